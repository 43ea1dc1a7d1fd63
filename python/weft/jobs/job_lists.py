"""Files of jobs, as TOML."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._nearest import alike, nearest
from weft._ranges import MOST_OF_32_BITS, MOST_OF_64_BITS
from weft._toml import (
    a_text,
    a_time,
    a_whole_number,
    document_of_tables,
    quantity,
    refuse,
    refuse_unknown,
)
from weft.errors import FormatError, InputError, TrafficError
from weft.exchanges import exchange, read_lengths, skewed_lengths
from weft.jobs.job import Job
from weft.jobs.sharing import NOT_JOBS
from weft.placement import PLACEMENTS, place_ranks
from weft.quantities import parse_share, parse_size
from weft.replay import MOST_ADAPTERS
from weft.traces import chosen_algorithms, collective, collective_algorithms, read_trace
from weft.workload import Traffic

if TYPE_CHECKING:
    from weft._core import Fabric, Trace

__all__ = ["JobsFile", "read_jobs"]

_PROGRAM = {
    "trace": ("region", "flops_per_s", "clock", "algorithms"),
    "collective": ("bytes", "ranks", "root", "algorithm", "matrix", "zipf", "skew"),
}
#: What tells lengths that differ, of an ``alltoallv``.
_LENGTHS = ("matrix", "zipf", "skew")
_PLACE = ("placement", "hosts", "per_host", "adapters", "seed")
_COMMON = ("name", "start", "repetitions", *_PLACE)
_BACKGROUND = ("load", "pattern", "message", "arrivals", "seed")


@dataclass(frozen=True, slots=True, eq=False)
class JobsFile:
    """What a file of jobs says on a network."""

    jobs: list[Job]  #: In the order of the file
    background: Traffic | None  #: Traffic beside them
    _entries: list[_Entry] = field(repr=False)
    _fabric: Fabric = field(repr=False)

    def placed(self, rule: str) -> JobsFile:
        """Put all jobs that have no ``hosts`` where a rule says, whatever the file says.

        Parameters
        ----------
        rule : str
            A rule of :func:`place_ranks`.

        Raises
        ------
        InputError
            When there are too few hosts.
        """
        return replace(self, jobs=_jobs(self._entries, self._fabric, rule))


def read_jobs(path: str | os.PathLike[str], fabric: Fabric) -> JobsFile:
    """Read which programs run beside one another, and put their ranks on hosts.

    Each table of ``[[jobs]]`` has a ``name`` and either ``trace`` (a file, found from this one's
    folder, with ``region``, ``flops_per_s`` and ``clock`` as of `weft replay`, and ``algorithms``,
    ``OPERATION=NAME`` with commas between) or ``collective`` (an operation, with ``bytes``,
    ``ranks``, ``root`` and ``algorithm``, and for an alltoallv ``matrix``, ``zipf`` or ``skew`` as
    of `weft collective`); ``start`` (a time), ``repetitions``; and its place:
    ``hosts`` (a list of names) or ``placement`` (a rule of :func:`place_ranks`, with ``seed``),
    and ``per_host`` ranks on each, or ``adapters`` of a rank,
    each a host, one rank after another. Jobs without a place get
    hosts by the rule asked for, linear by default, which no other job has; those with hosts of
    their own are placed first. ``[background]`` has ``load`` (a share of each host's link),
    ``pattern``, ``message`` (a length), ``arrivals`` and ``seed``.

    Parameters
    ----------
    path : path-like
        The file.
    fabric : Fabric
        The network.

    Returns
    -------
    JobsFile
        Jobs in the order of the file.

    Raises
    ------
    FormatError
        When the file is not as described; it names the job and the key.
    InputError
        When there are too few hosts, or a file it names cannot be read.
    """
    name = os.fspath(path)
    document, listed = document_of_tables(path, "jobs", "jobs", ("background",))
    entries = [
        _Entry(told, f"{name}: job {number}", Path(path).parent)
        for number, told in enumerate(listed, 1)
    ]
    for job, count in Counter(entry.name for entry in entries).items():
        if count > 1:
            refuse(f"{name}: {count} jobs have the name “{job}”, expected one for each")
    background = document.get("background")
    traffic = None if background is None else _traffic(background, f"{name}: background")
    return JobsFile(_jobs(entries, fabric, None), traffic, entries, fabric)


def _jobs(entries: list[_Entry], fabric: Fabric, placement: str | None) -> list[Job]:
    """Give each job its hosts: first those that name them, then the others in order."""
    hosts: list[list[int]] = [[] for _ in entries]
    taken: set[int] = set()
    order = sorted(range(len(entries)), key=lambda number: "hosts" not in entries[number].told)
    for number in order:
        entry = entries[number]
        hosts[number] = entry.hosts(fabric, placement, taken)
        taken.update(hosts[number])
    return [entry.job(found) for entry, found in zip(entries, hosts, strict=True)]


class _Entry:
    """A table of ``[[jobs]]``."""

    def __init__(self, told: dict[str, Any], where: str, folder: Path) -> None:
        self.told = told
        self.name = a_text(told.get("name"), f"{where}: name", "a name")
        self._where = f"{where} (“{self.name}”)"
        if self.name in NOT_JOBS:
            refuse(f"{self._where}: {NOT_JOBS[self.name]} has this name, expected another")
        kinds = [kind for kind in _PROGRAM if kind in told]
        if len(kinds) != 1:
            refuse(f"{self._where}: expected one of {' and '.join(_PROGRAM)}")
        self._kind = kinds[0]
        options = _PROGRAM[self._kind]
        refuse_unknown(told, (*_COMMON, self._kind, *options), self._where)
        if "hosts" in told and "placement" in told:
            refuse(f"{self._where}: found both hosts and placement, expected one")
        self._program = self._read(folder)

    def hosts(self, fabric: Fabric, placement: str | None, taken: set[int]) -> list[int]:
        """Choose a host for each rank."""
        per_host = self._whole("per_host", 1, 1)
        adapters = self._adapters
        if per_host > 1 and adapters > 1:
            refuse(f"{self._where}: found both per_host and adapters, expected one")
        ranks = self._program.rank_count
        if "hosts" in self.told:
            named = self._named(fabric)
            ranks *= adapters
            if len(named) * per_host < ranks or (len(named) - 1) * per_host >= ranks:
                each = "one for each" if per_host == 1 else f"one for each {per_host}"
                of = "ranks" if adapters == 1 else "adapters of ranks"
                refuse(
                    f"{self._where}: hosts: found {len(named)} for {ranks} {of}, expected {each}"
                )
            return [named[rank // per_host] for rank in range(ranks)]
        rule = placement or a_text(
            self.told.get("placement", "linear"), f"{self._where}: placement", "a rule"
        )
        if rule not in PLACEMENTS:
            refuse(f"{self._where}: placement: found “{rule}”, {nearest(rule, PLACEMENTS)}")
        seed = self._whole("seed", 1, 0)
        try:
            return place_ranks(
                fabric,
                ranks,
                rule,
                seed=seed,
                per_host=per_host,
                adapters=adapters,
                taken=taken,
            )
        except InputError as error:
            message = f"{self._where}: {error}"
            raise InputError(message) from error

    def job(self, hosts: list[int]) -> Job:
        """Return the job on these hosts."""
        algorithms = self._algorithms()
        region = self._text("region") if "region" in self.told else ".."
        if algorithms or region != "..":
            self._check(region, algorithms)
        return Job(
            name=self.name,
            program=self._program,
            hosts=hosts,
            start_ns=a_time(self.told.get("start", 0.0), f"{self._where}: start"),
            repetitions=self._whole("repetitions", 1, 1, MOST_OF_32_BITS),
            region=region,
            algorithms=algorithms,
            adapters=self._adapters,
        )

    def _algorithms(self) -> dict[str, str]:
        """Read the algorithms of collective operations: of one, or of those of a trace."""
        key = "algorithm" if self._kind == "collective" else "algorithms"
        if key not in self.told:
            return {}
        where, text = f"{self._where}: {key}", self._text(key)
        chosen = {self.told["collective"]: text} if self._kind == "collective" else {}
        if not chosen:
            try:
                chosen = chosen_algorithms(text)
            except InputError as error:
                refuse(f"{where}: {error}")
        known = collective_algorithms()
        for operation, algorithm in chosen.items():
            if operation not in known:
                refuse(f"{where}: found “{operation}”, {nearest(operation, known)}")
            name = algorithm.partition(":")[0]
            if name not in known[operation]:
                refuse(f"{where}: found “{name}”, {nearest(name, known[operation])}")
        return chosen

    def _check(self, region: str, algorithms: dict[str, str]) -> None:
        """Refuse what the trace has not, and parameters and ranks by which nothing can be done."""
        trace = self._program
        if self._kind == "collective":
            # Whatever as many ranks do by it.
            trace = collective("bcast", trace.rank_count, size_bytes=0)
        try:
            _core.trace_packets(trace, region, algorithms, 1)
        except InputError as error:
            keys = [key for key in ("region", "algorithm", "algorithms") if key in self.told]
            refuse(f"{self._where}: {' and '.join(keys)}: {error}")

    @property
    def _adapters(self) -> int:
        adapters = self._whole("adapters", 1, 1)
        if adapters > MOST_ADAPTERS:
            refuse(f"{self._where}: adapters: found {adapters}, expected 1 to {MOST_ADAPTERS}")
        return adapters

    def _read(self, folder: Path) -> Trace:
        if self._kind == "trace":
            flops = self.told.get("flops_per_s")
            if flops is not None and (
                isinstance(flops, bool) or not isinstance(flops, int | float)
            ):
                refuse(f"{self._where}: flops_per_s is {flops!r}, expected a number")
            clock_ns = None
            if "clock" in self.told:
                clock_ns = a_time(self.told["clock"], f"{self._where}: clock")
            trace = folder / self._text("trace")
            try:
                return read_trace(trace, flops_per_s=flops, clock_ns=clock_ns)
            except InputError as error:
                refuse(f"{self._where}: {error}")
        operation = self._text("collective")
        known = collective_algorithms()
        if operation not in known:
            refuse(f"{self._where}: collective: found “{operation}”, {nearest(operation, known)}")
        if "ranks" not in self.told:
            refuse(f"{self._where}: ranks is missing, expected how many take part")
        ranks, root = self._whole("ranks", 1, 1), self._whole("root", 0, 0)
        size_bytes = quantity(self.told.get("bytes", 8), parse_size, f"{self._where}: bytes")
        lengths = [key for key in _LENGTHS if key in self.told]
        if lengths and operation != "alltoallv":
            refuse(f"{self._where}: {lengths[0]}: expected it of alltoallv alone")
        told = [*lengths, "bytes"] if "bytes" in self.told and "matrix" in lengths else lengths
        if len(told) > 1:
            refuse(f"{self._where}: found {' and '.join(told)}, expected one of them")
        try:
            if lengths:
                return self._exchange(lengths[0], ranks, int(size_bytes), folder)
            return collective(operation, ranks, size_bytes=int(size_bytes), root=root)
        except InputError as error:
            message = f"{self._where}: {error}"
            raise FormatError(message) from error

    def _exchange(self, key: str, ranks: int, size_bytes: int, folder: Path) -> Trace:
        """Make an exchange whose lengths differ, as experts have it."""
        if key == "matrix":
            return exchange(read_lengths(folder / self._text(key), ranks))
        told = self.told[key]
        if isinstance(told, bool) or not isinstance(told, int | float):
            refuse(f"{self._where}: {key} is {told!r}, expected a number")
        seed = self._whole("seed", 1, 0)
        return exchange(skewed_lengths(ranks, size_bytes=size_bytes, seed=seed, **{key: told}))

    def _named(self, fabric: Fabric) -> list[int]:
        told = self.told["hosts"]
        where = f"{self._where}: hosts"
        if not isinstance(told, list) or not told:
            refuse(f"{where} is {told!r}, expected a list of names")
        numbers = {name: number for number, name in enumerate(fabric.host_names)}
        found = []
        for name in told:
            host = numbers.get(name) if isinstance(name, str) else None
            if host is None:
                meant = alike(name, numbers) if isinstance(name, str) else ""
                expected = meant or f"expected a host of “{fabric.name}”"
                refuse(f"{where}: found {name!r}, {expected}")
            if host in found:
                refuse(f"{where}: found “{name}” twice, expected each once; per_host shares one")
            found.append(host)
        return found

    def _text(self, key: str) -> str:
        return a_text(self.told[key], f"{self._where}: {key}")

    def _whole(self, key: str, default: int, least: int, most: int | None = None) -> int:
        return a_whole_number(self.told.get(key, default), f"{self._where}: {key}", least, most)


def _traffic(told: object, where: str) -> Traffic:
    if not isinstance(told, dict):
        refuse(f"{where} is {told!r}, expected a table [background]")
    refuse_unknown(told, _BACKGROUND, where)
    if "load" not in told:
        refuse(f'{where}: load is missing, expected a share of each host\'s link, such as "5%"')
    values: dict[str, Any] = {
        "load": quantity(told["load"], parse_share, f"{where}: load"),
        "payload_bytes": int(quantity(told.get("message", 4096), parse_size, f"{where}: message")),
    }
    for key in ("pattern", "arrivals"):
        if key in told:
            values[key] = a_text(told[key], f"{where}: {key}")
    if "seed" in told:
        values["seed"] = a_whole_number(told["seed"], f"{where}: seed", 0, MOST_OF_64_BITS)
    try:
        return Traffic(**values)
    except TrafficError as error:
        message = f"{where}: {error}"
        raise FormatError(message) from error
