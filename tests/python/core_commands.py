"""What the core does without any extra: commands that follow one another in one folder."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["COMMANDS", "REFUSED", "lay_files"]


def lay_files(folder: Path) -> None:
    """Put into a folder what the commands read."""
    cluster = Path(__file__).resolve().parents[2] / "examples/cluster.ibnetdiscover"
    (folder / "discoveries").mkdir()
    for place in (folder, folder / "discoveries"):
        shutil.copy(cluster, place)
    actions = ("init", "barrier", "allreduce 1000 100", "finalize")
    lines = (f"{rank} {action}\n" for rank in range(4) for action in actions)
    (folder / "four.ti").write_text("".join(lines))


#: Each ends well, whatever extras there are, and says the same.
COMMANDS = (
    "fabric new torus --extents 4x4 --hosts-per-switch 2 -o net.json",
    "fabric new k-ary-n-tree --k 4 --n 2 -o tree.json",
    "fabric show net.json",
    "fabric show net.json --json",
    "route net.json updown -o routes.json",
    "route net.json updown --rounds bisections --count 20 --hottest 3 --hosts 0,3,9",
    "route net.json updown --rounds shifts --hottest 3 --pattern shift --json",
    "route tree.json min_hop --tables -o old.json",
    "route tree.json updown --tables -o new.json",
    "prove net.json updown --certificate order.json",
    "prove net.json updown --check order.json",
    "audit tree.json old.json --report audit.html",
    "audit tree.json old.json --json",
    "advise tree.json --lanes 2 --json",
    "survive tree.json old.json --json",
    "transition tree.json old.json new.json",
    "transition tree.json old.json new.json --json",
    "rehearse tree.json old.json --fail sw4 --load 0.2 --json",
    "simulate net.json --routing updown --load 0.1",
    "simulate tree.json --hardware infiniband_hdr --routing updown --load 0.1 --json",
    "compare net.json --routing updown --routing ud_itb --loads 2%,5% --no-report --out out",
    "compare tree.json --hardware infiniband_hdr --routing best --loads 9% --no-report --out lanes",
    "export results out/results.sqlite --csv -o tables",
    "export results lanes/results.sqlite --csv -o lane-tables",
    "collective allreduce --bytes 4096 --fabric net.json --routing updown",
    "replay four.ti --fabric net.json --routing updown --ranks --report replay.html",
    "replay four.ti --fabric net.json --routing updown --json",
    "bandwidth --hardware rhinet2 --fabric net.json --routing updown",
    "export opensm cluster.ibnetdiscover updown:root=tops -o opensm",
    "watch discoveries down_preferred:root=tops -o watch --once",
)
#: These need what an extra brings, which the error names: library, then extra.
REFUSED = (
    ("route net.json balanced", "highspy", "bounds"),
    ("fabric show net.json --draw net.svg", "matplotlib", "plots"),
    ("report out/results.sqlite", "matplotlib", "plots"),
    ("export results out/results.sqlite --parquet -o tables", "pyarrow", "tables"),
    ("reproduce itbsr --list", "numpy", "arrays"),
)
