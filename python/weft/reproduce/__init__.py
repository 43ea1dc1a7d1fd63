"""Published experiments, run again, our figures with their intervals beside the published ones.

A paper is data: a folder in ``studies`` with its study files and ``published.csv``, and one module
in `weft.reproduce.papers` that says which experiment takes which study file and what it asks of
the results (`weft.reproduce.questions`)::

    papers/boost.py        Paper(tag, title, experiments)
    definition.py          Paper, Experiment, Row, judgement
    published.py           published figures from a file, checked, and beside ours
    questions.py           rows from results: factors over topologies, throughput, latency, stops
    low_load.py            latency at low traffic, one routing over another
    common_load.py         policies against each other, and at one load
    program_file.py        what a file of programs says: what is measured on which networks
    programs.py            such files, read and checked
    measures.py            rows from programs: switches on paths, barriers, broadcasts, bandwidth
    applications.py        the same of recorded applications: time, and where it goes
    gains.py               what a routing, machine or order gains over another
    run.py                 run an experiment's study files, ask, set published figures beside
    page.py                Markdown and HTML

How to add a paper:

1. Study files in ``studies/<tag>/``; `weft study plan` tells what they cost, ``[quick]`` makes each
   small. Where programs are measured and no traffic, files of programs instead.
2. ``studies/<tag>/published.csv``: experiment, condition, quantity, value, as the rows name them;
   where only the condition is known there is no line, and our figure stands alone. `published.py`
   says what such a file may hold.
3. A module ``papers/<tag>.py`` with a `Paper`, and its name in `weft.reproduce.papers`. Command,
   help, report and the tests of all papers read it from there.
4. What the command measured, ``report.md`` and ``report.csv``, as ``quick`` and ``full`` in
   ``docs/validation/<tag>``, with ``remarks.md`` and ``reasons.toml``; ``docs/validation_page.py``
   makes the guide's page of them. They are no part of the package.
"""

from __future__ import annotations

from weft.reproduce.definition import Experiment, Paper, Row, judgement
from weft.reproduce.papers import PAPERS
from weft.reproduce.run import Reproduced, reproduce

__all__ = ["PAPERS", "Experiment", "Paper", "Reproduced", "Row", "judgement", "reproduce"]
