"""Networks and machines of commands: files kept, machines named, unproved routes refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import done, refused, weft

import weft as library
from weft.study import read_study

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def torus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("torus") / "torus.json"
    library.write_fabric(library.torus(4, 4, hosts_per_switch=1), path)
    return path


def test_an_existing_file_is_replaced_by_force_alone(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    new = ("fabric", "new", "ring", "--hosts-per-switch", "1", "-o", path)
    done(*new, "--switches", "6")
    first = path.read_bytes()
    done(*new, "--switches", "6")  # The same again is no loss.
    refused("holds something else; give --force", *new, "--switches", "8")
    other = tmp_path / "other.json"
    done("fabric", "degrade", path, "--links", "sw0:1", "-o", other)
    kept = "give --force to replace it"
    refused(kept, "fabric", "convert", other, path)
    refused(kept, "fabric", "degrade", path, "--links", "sw1:1", "-o", other)
    assert path.read_bytes() == first
    done(*new, "--switches", "8", "--force")
    assert library.read_fabric(path).fabric.switch_count == 8


def test_programs_on_routes_that_can_deadlock_are_refused(torus: Path) -> None:
    for call in (
        ("collective", "barrier", "--fabric", torus, "--routing", "minimal"),
        ("bandwidth", "--fabric", torus, "--routing", "minimal", "--messaging", "acknowledged=1"),
    ):
        ended = weft(*call)
        assert (ended.code, ended.stdout) == (1, "")
        assert "not proved deadlock-free (deadlock); not simulated" in ended.stderr
        assert "simulating on" in done(*call, "--unproved").stderr


def test_the_hardware_follows_the_rates_of_the_file(tmp_path: Path) -> None:
    """A link of 25 Gbit/s (EDR, four lanes: 100) carries 12.5 bytes/ns, Myrinet's 0.16."""
    path = tmp_path / "edr.json"
    done("fabric", "new", "mesh", "--extents", "2x2", "--hosts-per-switch", "1", "-o", path)
    document = json.loads(path.read_text())
    for link in document["links"]:
        link["rate"] = "4xEDR"
    path.write_text(json.dumps(document))
    asked = ("--routing", "updown")
    told = done("simulate", path, *asked, "--load", "0.1").stdout
    assert "hardware        infiniband_edr, links at the rates of the fabric" in told
    for call in (
        ("collective", "barrier", "--fabric", path, *asked),
        ("bandwidth", "--fabric", path, *asked, "--messaging", "acknowledged=1"),
    ):
        first = done(*call).stdout.splitlines()[0].split(maxsplit=1)
        assert first == ["hardware", "infiniband_edr, links at the rates of the fabric"]
        [run] = done(*call, "--json").document["runs"]
        assert run["hardware"]["preset"] == "infiniband_edr"
        [run] = done(*call, "--json", "--hardware", "myrinet").document["runs"]
        assert run["hardware"]["preset"] == "myrinet"
    changed = done("simulate", path, *asked, "--load", "0.1", "--set", "lanes=2").stdout
    assert "rates of the fabric, lanes=2" in changed
    study = tmp_path / "study.toml"
    study.write_text('routings = ["updown"]\n[[fabrics]]\nfile = "edr.json"\n')
    [case] = read_study(study).cases
    assert case.spec.hardware.preset == "infiniband_edr"
