"""A job array as Slurm's own programs know it: started, looked for, ended.

The array is known by a name made from its folder, so that nothing has to be remembered of it: a
process that was killed finds it again.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from weft._files import text_digest
from weft.errors import EnvironmentFailure

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ArrayJob"]

#: A scheduler that does not answer for so long is not waited for any longer.
_SILENCE_S = 600.0
_CALL_TIMEOUT_S = 60


class ArrayJob:
    """The job array that works in a folder; refused where Slurm's programs are not there.

    Each task runs a module of Weft's with the folder as its argument.
    """

    def __init__(self, folder: Path, module: str = "weft.study.executors.slurm_task") -> None:
        for program in ("sbatch", "squeue", "scancel"):
            if shutil.which(program) is None:
                message = f"found no {program}; call on a machine that may submit to Slurm"
                raise EnvironmentFailure(message)
        self._module = module
        self._folder = folder.absolute()
        self._name = f"weft-{text_digest(str(self._folder))[:16]}"
        self._answered_at: float | None = None

    def start(self, tasks: int) -> None:
        """Submit the array; where Slurm refuses it, the error says why."""
        program = [sys.executable, "-m", self._module, str(self._folder)]
        # Not %: a path may hold one, and a task's number is what follows it.
        logs = str(self._folder / "logs").replace("%", "%%")
        _call(
            "sbatch",
            "--parsable",
            f"--job-name={self._name}",
            f"--array=0-{tasks - 1}",
            f"--output={logs}/%a",
            f"--chdir={self._folder}",
            f"--wrap=exec {shlex.join(program)}",
        )

    def is_running(self) -> bool:
        """Return whether tasks run or wait; refused without an answer for ten minutes, or ever."""
        try:
            found = _call("squeue", "--noheader", f"--name={self._name}", "--format=%A %t")
        except EnvironmentFailure:
            if self._answered_at is None or time.monotonic() - self._answered_at > _SILENCE_S:
                raise
            return True
        self._answered_at = time.monotonic()
        return bool(found.strip())

    def cancel(self) -> None:
        """End the array, if there is one."""
        _call("scancel", f"--name={self._name}")


def _call(*command: str) -> str:
    """Run one of Slurm's programs and return what it prints."""
    try:
        # Its own session: Ctrl-C at the terminal is not for it, and a kill does not cut it short.
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_CALL_TIMEOUT_S,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"{command[0]}: {error}"
        raise EnvironmentFailure(message) from error
    if done.returncode:
        message = f"{command[0]}: {done.stderr.strip() or f'ended with {done.returncode}'}"
        raise EnvironmentFailure(message)
    return done.stdout
