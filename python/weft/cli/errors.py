"""Exceptions as exit codes, and one clear message each."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from weft.cli.output import emit_json, say
from weft.errors import EnvironmentFailure, WeftError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "BAD_INPUT",
    "BUG",
    "DONE",
    "ENVIRONMENT",
    "INTERRUPTED",
    "PROPERTY_DOES_NOT_HOLD",
    "WeftGroup",
]

DONE = 0
PROPERTY_DOES_NOT_HOLD = 1
BAD_INPUT = 2
ENVIRONMENT = 3
BUG = 70
INTERRUPTED = 130

_MOST_MESSAGE = 4000  #: Characters of a message; what a file holds may be in it.
_STDOUT = 1  #: File descriptor of the standard output.


class WeftGroup(click.Group):
    """The group of all commands; its `main` turns every exception into an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Run the command line as `click.Command.main` does, and leave with an exit code."""
        arguments = list(sys.argv[1:] if args is None else args)

        def run() -> Any:  # noqa: ANN401
            return super(WeftGroup, self).main(
                arguments,
                prog_name or "weft",
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                # What `tell_how_to_go_on` repeats after an interruption.
                **{"obj": arguments, **extra},
            )

        if not standalone_mode:
            return run()
        code = DONE
        try:
            outcome = run()
            sys.stdout.flush()
            code = outcome if isinstance(outcome, int) else DONE
        # A group by itself, which asks for no work and so is no mistake.
        except click.exceptions.NoArgsIsHelpError as asked:
            say(asked.format_message())
        # Whatever it is, also a panic of the native module, it ends as an exit code.
        except BaseException as error:  # noqa: BLE001
            code = report(error, as_json="--json" in arguments)
        sys.exit(code)


def report(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong, and return the exit code."""
    # In this mode click raises SystemExit for one reason: whoever read stdout went away, as `head`
    # does. Nothing more can be said to it, nor by the interpreter when it ends.
    if isinstance(error, SystemExit) or _is_broken_pipe(error):
        _forget_stdout()
        return ENVIRONMENT
    code, message = _judge(error)
    message = _shortened(message)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        say(error.ctx.get_usage(), err=True)
    if code == BUG:
        say("".join(traceback.format_exception(error)), err=True, nl=False)
    if message:
        say(f"error: {message}", err=True)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        say(f"hint: {error.ctx.command_path} --help explains it", err=True)
    if as_json:
        told = {"kind": type(error).__name__, "message": message, "exit_code": code}
        # Where stdout itself is what failed, stderr has the message already.
        with suppress(OSError):
            emit_json("error", {"error": told})
    try:
        sys.stdout.flush()
    except OSError:
        _forget_stdout()
    return code


def _judge(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the message of an exception."""
    if isinstance(error, click.ClickException):
        return BAD_INPUT, error.format_message()
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return INTERRUPTED, "interrupted"
    if isinstance(error, WeftError):
        return ENVIRONMENT if isinstance(error, EnvironmentFailure) else BAD_INPUT, str(error)
    if isinstance(error, MemoryError):
        return ENVIRONMENT, "out of memory"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return ENVIRONMENT, f"{place}{(error.strerror or str(error)).lower()}"
    return BUG, f"a bug in Weft: {type(error).__name__}: {error}; please report it with the above"


def _shortened(message: str) -> str:
    """Leave the middle of a message out that would fill the terminal."""
    left_out = len(message) - _MOST_MESSAGE
    if left_out <= 0:
        return message
    end = _MOST_MESSAGE // 2
    return f"{message[:end]} … {left_out} characters left out … {message[-end:]}"


def _forget_stdout() -> None:
    """Send what is still to be written nowhere, so that the interpreter ends without complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)


def _is_broken_pipe(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno == errno.EPIPE
