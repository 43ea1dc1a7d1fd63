"""``weft completion``: the script by which a shell completes Weft's commands."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from weft.cli.options import Options, argument, command, json_flag
from weft.cli.output import emit_json, say

__all__ = ["completion"]

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


class _Options(Options):
    shell: str = argument(type=click.Choice(list(_SHELLS)))
    as_json: bool = json_flag()


@command(_Options)
def completion(options: _Options) -> None:
    """Print what makes a shell complete commands, options, files and the names Weft knows.

    Names are those of routings, presets of hardware and their parameters, topologies, traffic
    patterns, collective operations and papers.

    \b
      eval "$(weft completion bash)"                      in ~/.bashrc
      eval "$(weft completion zsh)"                       in ~/.zshrc
      weft completion fish > ~/.config/fish/completions/weft.fish
    """
    root = click.get_current_context().find_root()
    made = _SHELLS[options.shell](root.command, {}, "weft", "_WEFT_COMPLETE")
    script = made.source().rstrip()
    if options.as_json:
        emit_json("completion", {"shell": options.shell, "script": script})
    else:
        say(script)
