"""The cluster of the examples is what the real ibnetdiscover prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_script_makes_the_cluster_file_again_to_the_byte(tmp_path: Path) -> None:
    made = tmp_path / "cluster.ibnetdiscover"
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / "make_cluster.py"), str(made)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("20 switches, 300 hosts, 463 cables\n")
    assert made.read_bytes() == (EXAMPLES / "cluster.ibnetdiscover").read_bytes()
