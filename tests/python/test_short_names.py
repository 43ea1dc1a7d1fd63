"""Names made short: what is kept of the names that switches and hosts really have."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.short_names import short_names

DIRECTOR = [
    *(f"MF0;ib-core{core}:CS7500/L{card:02}/U{chip}" for core in (1, 2) for card in range(1, 4)
      for chip in (1, 2)),
    *(f"MF0;ib-core{core}:CS7500/S{card:02}/U1" for core in (1, 2) for card in (1, 2)),
]  # fmt: skip
UNNAMED = [f"SwitchIB Mellanox Technologies 0x0002c9000000{tail}" for tail in ("7c80", "7cc0")]

#: Names of one network and what is to be shown of them.
EXPECTED = {
    "chips of directors": (
        DIRECTOR,
        [
            *(f"core{core}/L{card:02}/U{chip}" for core in (1, 2) for card in (1, 2, 3)
              for chip in (1, 2)),
            *(f"core{core}/S{card:02}" for core in (1, 2) for card in (1, 2)),
        ],
    ),
    "models differ": (["MF0;rack95:MQM8700/U1", "MF0;rack226:SX6036/U1"], ["rack95", "rack226"]),
    "one alone": (["MF0;rack95:MQM8700/U1"], ["rack95"]),
    "GUIDs": (UNNAMED, ["7c80", "7cc0"]),
    "units": (
        ["Voltaire 4036 # 4036 unit 8C5C", "Voltaire 4036 # 4036 unit 8BBA", "Voltaire 4036 # e1"],
        ["8C5C", "8BBA", "e1"],
    ),
    "what all share": (
        ["cluster-west-leaf-001", "cluster-west-leaf-012", "cluster-west-spine-01"],
        ["leaf-001", "leaf-012", "spine-01"],
    ),
    "cards and chips": (
        [f"ISR2012 Voltaire Line {line} Chip {chip}" for line in (1, 2) for chip in (1, 2)],
        [f"Line {line} Chip {chip}" for line in (1, 2) for chip in (1, 2)],
    ),
    "adapters of one computer": (
        ["storage-server96 HCA-1", "storage-server96 HCA-2", "node1 HCA-1"],
        ["server96 HCA-1", "server96 HCA-2", "node1 HCA-1"],
    ),
    "equal tails": (
        ["Infiniscale-IV Mellanox Technologies 0x0002c90000001000",
         "Infiniscale-IV Mellanox Technologies 0x0002c90000001040",
         "Voltaire 4036 - 36 QDR ports switch 0x0008f10000001000",
         "Voltaire 4036 - 36 QDR ports switch 0x0008f10000001040"],
        ["0x0002c90000001000", "0x0002c90000001040", "0x0008f10000001000", "0x0008f10000001040"],
    ),
    "nothing that tells": (["Mellanox Technologies", "Mellanox Technologies Node"],) * 2,
    "short already": (["sw0", "sw10", "leaf-rack-1", ""],) * 2,
}  # fmt: skip


@pytest.mark.parametrize("case", EXPECTED)
def test_a_name_is_cut_to_what_tells_it_from_the_others(case: str) -> None:
    names, expected = EXPECTED[case]
    assert short_names(names) == expected


def test_a_form_is_shortened_alike_where_one_of_it_needs_more() -> None:
    names = ["site-row1-rack1-leaf1", "site-row1-rack2-leaf1", "site-row2-rack1-leaf1"]
    assert short_names(names[1:]) == ["row1", "row2"]
    assert short_names(names) == ["row1-rack1", "row1-rack2", "row2-rack1"]


def test_one_pair_alike_does_not_lengthen_the_others() -> None:
    others = [
        f"Voltaire 4036 - 36 QDR ports switch 0x0008f1000000{tail}" for tail in ("7c80", "1040")
    ]
    labels = short_names([*UNNAMED, *others])
    assert labels == ["0x0002c90000007c80", "7cc0", "0x0008f10000007c80", "1040"]


words = st.sampled_from(
    ["MF0", "leaf", "L01", "L02", "U1", "U2", "7", "0x0002c90300001a2b", "Mellanox"]
)
parts = st.lists(
    st.tuples(words, st.sampled_from([" ", "-", "/", ": ", "_"])), min_size=1, max_size=6
)
names = parts.map(lambda own: "".join(word + mark for word, mark in own)) | st.text(max_size=20)


@given(st.lists(names, max_size=12), st.integers(0, 11))
@example(["a-bcdefghijkl-1", "a_bcdefghijkl_1"], 1)
def test_labels_are_as_different_as_names_in_any_order(given_names: list[str], turn: int) -> None:
    labels = short_names(given_names)
    assert len(labels) == len(given_names)
    assert (
        len(set(zip(given_names, labels, strict=True))) == len(set(labels)) == len(set(given_names))
    )
    assert all(len(label) <= len(name) for name, label in zip(given_names, labels, strict=True))
    assert all(label for name, label in zip(given_names, labels, strict=True) if name)
    turned = (given_names[turn:] + given_names[:turn])[::-1]
    assert dict(zip(turned, short_names(turned), strict=True)) == dict(
        zip(given_names, labels, strict=True)
    )


def test_a_large_cluster_takes_no_time_that_grows_with_its_square() -> None:
    names = [
        f"MF0;core{d}-mgt1:CS7500/L{c:02}/U{u}"
        for d in range(500)
        for c in range(20)
        for u in (1, 2)
    ]
    labels = short_names(names)
    assert labels[:2] == ["core0/L00/U1", "core0/L00/U2"]
    assert all(re.fullmatch(r"core\d+/L\d\d/U[12]", label) for label in labels)
