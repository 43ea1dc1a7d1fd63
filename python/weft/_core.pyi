from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from weft.workload import Traffic

__all__ = [
    "Cancel",
    "Certificate",
    "Fabric",
    "Hardware",
    "LoadBound",
    "LoadedTables",
    "MessageSpans",
    "ProgramTasks",
    "Routing",
    "StandingTables",
    "StateSpans",
    "StateSpansReader",
    "Trace",
    "__build__",
    "__version__",
    "aggregated_trace",
    "algorithms",
    "arrival_processes",
    "bandwidth",
    "check_certificate",
    "check_load_bound",
    "check_routing",
    "check_traffic",
    "collective_algorithms",
    "collective_trace",
    "compare_fabrics",
    "congestion",
    "default_precision",
    "default_routings",
    "degrade_fabric",
    "destinations",
    "exchange_trace",
    "expected_load",
    "fabric_computers",
    "fabric_figures",
    "fabric_formats",
    "fabric_levels",
    "fabric_parts",
    "fabric_text",
    "figures",
    "format_of_path",
    "free_between_compute_ends",
    "generate",
    "group_findings",
    "group_loads",
    "group_table_files",
    "group_verdict",
    "hardware",
    "hardware_parameters",
    "hardware_presets",
    "hashed_loads",
    "hottest_channels",
    "idle_latency",
    "inspect_fabric",
    "job_load",
    "latency_parts",
    "load_bound",
    "load_figures",
    "messaging_parameters",
    "most_bytes_without_end",
    "multicast_orders",
    "multicast_trace",
    "opensm_files",
    "packets_allowed",
    "packets_needed",
    "pattern_file",
    "patterns",
    "plan_transition",
    "prove",
    "read_fabric",
    "read_group_tables",
    "read_hardware",
    "read_routes",
    "read_trace",
    "rehearse",
    "repair",
    "replay_jobs",
    "route",
    "route_findings",
    "routes_file_kind",
    "routes_on_lanes",
    "routing_choice",
    "search",
    "sending_hosts",
    "service_level_classes",
    "simulate",
    "slurm_hostlist",
    "student_quantile",
    "subnets",
    "throughput_bound",
    "to_tables",
    "topologies",
    "trace_packets",
    "transfers_trace",
    "transition_methods",
    "transition_obstructions",
    "unpack",
]

__version__: str
__build__: dict[str, str]

@final
class Fabric:
    @property
    def name(self) -> str: ...
    @property
    def switch_count(self) -> int: ...
    @property
    def host_count(self) -> int: ...
    @property
    def link_count(self) -> int: ...
    @property
    def channel_count(self) -> int: ...
    @property
    def fingerprint(self) -> int: ...
    @property
    def wiring_fingerprint(self) -> int: ...
    @property
    def switch_names(self) -> list[str]: ...
    @property
    def host_names(self) -> list[str]: ...
    @property
    def system_guids(self) -> list[int | None]: ...
    @property
    def host_guids(self) -> list[int | None]: ...
    @property
    def adapter_guids(self) -> list[int | None]: ...
    @property
    def host_service(self) -> list[str | None]: ...
    def with_service(self, reasons: list[str | None]) -> Fabric: ...
    def free_ports(self) -> list[list[int]]: ...
    def with_cable(self, one: str, other: str) -> Fabric: ...
    @property
    def host_switch(self) -> NDArray[np.int64]: ...
    @property
    def layout_extents(self) -> list[int] | None: ...
    @property
    def is_switch_channel(self) -> NDArray[np.bool_]: ...
    def links(self) -> NDArray[np.int64]: ...
    def channel_ends(self) -> NDArray[np.int64]: ...
    def link_gbit_per_s(self) -> NDArray[np.float64]: ...
    def describe_channel(self, channel: int) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def unpack(content: bytes, source_name: str) -> bytes | None: ...
def most_bytes_without_end() -> int: ...
def subnets(fabric: Fabric) -> list[Fabric]: ...
def topologies() -> list[dict[str, Any]]: ...
def generate(topology: str, parameters: dict[str, str]) -> Fabric: ...
def read_fabric(
    content: bytes, source_name: str, beside: list[tuple[str, bytes]] = ...
) -> tuple[
    Fabric,
    str,
    _Notes,
    list[tuple[str, int, list[tuple[str, int]], list[tuple[str, str]]]],
]: ...
def fabric_text(fabric: Fabric, format: str) -> str: ...
def format_of_path(path: str) -> str: ...
def slurm_hostlist(names: list[str]) -> str: ...
def fabric_formats() -> list[dict[str, Any]]: ...
def degrade_fabric(
    fabric: Fabric,
    links: list[str],
    switches: list[str],
    hosts: list[str],
    seed: int,
    keep_largest: bool,
) -> dict[str, Any]: ...
def fabric_computers(fabric: Fabric) -> dict[str, Any]: ...
def fabric_levels(fabric: Fabric) -> NDArray[np.int64]: ...
def fabric_parts(
    fabric: Fabric,
) -> tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]: ...
def inspect_fabric(fabric: Fabric) -> dict[str, Any]: ...
def compare_fabrics(planned: Fabric, found: Fabric) -> dict[str, Any]: ...
def fabric_figures(fabric: Fabric) -> dict[str, Any]: ...

@final
class Routing:
    @property
    def algorithm(self) -> str: ...
    @property
    def parameters(self) -> dict[str, str]: ...
    @property
    def label(self) -> str: ...
    @property
    def granularity(self) -> Literal["switch", "host"]: ...
    @property
    def form(
        self,
    ) -> Literal[
        "source routes", "forwarding tables", "adaptive tables", "groups of ports", "two phases"
    ]: ...
    @property
    def is_adaptive(self) -> bool: ...
    @property
    def most_addresses(self) -> int: ...
    @property
    def lane_count(self) -> int: ...
    @property
    def service_note(self) -> str | None: ...
    def to_json(self) -> str: ...
    def leads_as(self, other: Routing) -> bool: ...
    def route_names(self, source_host: int, destination_host: int) -> list[str]: ...

_Notes: TypeAlias = list[tuple[int | None, str, str]]
_File: TypeAlias = tuple[bytes, str]
_Hosts: TypeAlias = Sequence[int] | None

def algorithms() -> list[dict[str, Any]]: ...
def route(
    fabric: Fabric,
    algorithm: str,
    parameters: dict[str, str],
    progress: Callable[[int, float | None], None] | None,
) -> Routing: ...
def check_routing(name: str, parameters: dict[str, str]) -> None: ...
def routing_choice(
    algorithm: str, parameters: dict[str, str]
) -> tuple[str, dict[str, str], str]: ...
def default_routings(set: str, lanes: int) -> list[str]: ...
def search(
    fabric: Fabric,
    algorithm: str,
    weights: NDArray[np.uint16] | None,
    parameters: dict[str, str],
    time_budget_s: float | None,
) -> Routing: ...
def load_figures(fabric: Fabric, routing: Routing, hosts: _Hosts) -> dict[str, Any]: ...
def throughput_bound(fabric: Fabric) -> float: ...
def congestion(
    fabric: Fabric, routing: Routing, rounds: str, count: int, seed: int, hosts: _Hosts
) -> dict[str, Any]: ...
def hottest_channels(
    fabric: Fabric, routing: Routing, count: int, most_pairs: int, hosts: _Hosts
) -> list[tuple[int, int, NDArray[np.int64]]]: ...
def read_routes(fabric: Fabric, content: bytes, source_name: str) -> tuple[Routing, _Notes]: ...
def routes_file_kind(content: bytes) -> str | None: ...
def read_group_tables(
    fabric: Fabric, label: str, files: dict[str, _File]
) -> tuple[Routing, _Notes]: ...
def group_table_files(fabric: Fabric, routing: Routing) -> dict[str, Any]: ...
def to_tables(fabric: Fabric, routing: Routing, lmc: int) -> Routing: ...

_Repair: TypeAlias = tuple[
    Routing,
    int,
    int,
    Literal["any", "unused_last", "clear_first"],
    list[str],
    list[tuple[str, str]],
]

def repair(before: Fabric, routing: Routing, after: Fabric) -> _Repair: ...

_TransitionStep: TypeAlias = tuple[
    Literal["write", "answer", "renew"], NDArray[np.uint32], NDArray[np.uint32]
]

def plan_transition(
    before: Fabric, old: Routing, after: Fabric, new: Routing
) -> tuple[
    list[tuple[str, int, int | None, bool]],
    Literal["none", "at_any_time", "last", "first"],
    list[
        tuple[
            list[
                tuple[Literal["write", "answer", "renew"], NDArray[np.uint32], NDArray[np.uint32]]
            ],
            int,
            bool,
        ]
    ],
    list[int],
    int,
    bool,
]: ...
def transition_methods(
    before: Fabric, old: Routing, after: Fabric, new: Routing
) -> list[
    tuple[
        Literal["static", "double_scheme", "overlapping", "opensm"], int, int, int, int, bool, int
    ]
]: ...
def transition_obstructions(
    before: Fabric, old: Routing, after: Fabric, new: Routing, addresses: list[tuple[str, int]]
) -> list[
    tuple[
        Literal["first", "last"],
        list[str],
        list[tuple[int, int, list[tuple[int, int, int, int, bool]]]],
    ]
]: ...

_Figures: TypeAlias = tuple[int, str | None, float, float]

@final
class StandingTables:
    def __new__(
        cls, fabric: Fabric, routing: Routing, rounds: int, seed: int
    ) -> StandingTables: ...
    def cables(self) -> list[tuple[int, str, str]]: ...
    def figures(self) -> _Figures: ...
    def on(self, wider: Fabric) -> StandingTables: ...
    def repaired(self, after: Fabric) -> tuple[StandingTables, _Repair]: ...
    def survive(
        self, failures: list[tuple[list[int], list[int]]]
    ) -> list[tuple[list[str], str | None, tuple[int, int, int, int, _Figures] | None]]: ...

_Event = tuple[
    float,
    str,
    str | None,
    Routing | None,
    list[str] | None,
    float,
    bool,
    list[tuple[str, str, int, int]],
]

def rehearse(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    traffic: Traffic,
    events: list[_Event],
    *,
    retries: tuple[float, int] | None,
    until_ns: float,
    window_ns: float,
    cancel: Cancel | None,
) -> dict[str, Any]: ...
def routes_on_lanes(
    fabric: Fabric, routing: Routing, service_levels: _File | None, lane_maps: _File | None
) -> tuple[Routing, _Notes]: ...
def opensm_files(
    fabric: Fabric,
    routing: Routing,
    certificate: Certificate | None,
    *,
    folder: str,
    fabric_file: str,
    verdict: str,
    lmc: int,
    weft_engine: bool | None,
    unproved: bool,
    for_opensm_alone: bool,
) -> dict[str, Any]: ...

@final
class LoadedTables:
    @staticmethod
    def read(content: bytes) -> LoadedTables | None: ...
    @property
    def switch_count(self) -> int: ...
    @property
    def text_bytes(self) -> int: ...
    def text(self) -> bytes: ...
    def packed(self) -> bytes: ...
    def laid_out_as(self, others: LoadedTables) -> LoadedTables: ...
    def between(
        self,
        others: LoadedTables,
        fabric: Fabric,
        cleared: list[str] | None,
        last: list[tuple[str, str]],
    ) -> LoadedTables: ...
    def pieces(self, switch: int, written: LoadedTables | None) -> list[tuple[int, bytes]]: ...
    def differing_entries(self, printed: bytes) -> int: ...

@final
class Certificate:
    def __new__(cls, ranks: NDArray[np.uint32] | Sequence[Sequence[int]]) -> Certificate: ...
    @property
    def ranks(self) -> NDArray[np.uint32]: ...

@final
class LoadBound:
    def __new__(cls, routes: str, load: int, weights: Sequence[int]) -> LoadBound: ...
    @property
    def routes(self) -> Literal["any", "shortest"]: ...
    @property
    def load(self) -> int: ...
    @property
    def split_load(self) -> float: ...
    @property
    def weights(self) -> NDArray[np.uint32]: ...

def load_bound(
    fabric: Fabric, weights: NDArray[np.uint16] | None, routes: str, is_tight: bool
) -> LoadBound: ...
def check_load_bound(fabric: Fabric, bound: LoadBound) -> None: ...
def prove(fabric: Fabric, routing: Routing) -> dict[str, Any]: ...
def service_level_classes(fabric: Fabric, routing: Routing) -> list[list[int]]: ...
def group_verdict(
    fabric: Fabric, routing: Routing, level: int, most_named: int
) -> tuple[dict[str, Any], list[str], str | None]: ...
def group_loads(
    fabric: Fabric, routing: Routing, level: int, hosts: Sequence[int] | None
) -> dict[str, Any]: ...
def hashed_loads(
    fabric: Fabric, routing: Routing, level: int, flows: int, draws: int, seed: int
) -> list[float]: ...
def group_findings(fabric: Fabric, routing: Routing, level: int) -> dict[str, Any]: ...
def free_between_compute_ends(fabric: Fabric, routing: Routing) -> bool: ...
def route_findings(fabric: Fabric, routing: Routing, most_named: int) -> dict[str, Any]: ...
def check_certificate(fabric: Fabric, routing: Routing, certificate: Certificate) -> None: ...

@final
class Hardware:
    @property
    def preset(self) -> str: ...
    @property
    def switching(self) -> str: ...
    @property
    def cycle_ns(self) -> float: ...
    @property
    def link_rate_bytes_per_ns(self) -> float: ...
    @property
    def parameters(self) -> dict[str, float | int | str]: ...
    def to_toml(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

def hardware(preset: str, changes: dict[str, str]) -> Hardware: ...
def read_hardware(text: str, source_name: str, changes: dict[str, str]) -> Hardware: ...
def hardware_presets() -> list[tuple[str, str]]: ...
def hardware_parameters(preset: str) -> list[dict[str, Any]]: ...
def check_traffic(traffic: Traffic) -> None: ...
def pattern_file(pattern: str) -> str | None: ...
def patterns() -> list[dict[str, Any]]: ...
def arrival_processes() -> list[dict[str, Any]]: ...
def destinations(fabric: Fabric, traffic: Traffic, host: int) -> list[tuple[int, float]]: ...
def sending_hosts(fabric: Fabric, traffic: Traffic) -> int: ...
def expected_load(fabric: Fabric, routing: Routing, traffic: Traffic) -> dict[str, Any]: ...

@final
class Cancel:
    def __new__(cls) -> Cancel: ...
    @property
    def is_cancelled(self) -> bool: ...
    def cancel(self) -> None: ...

def simulate(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    traffic: Traffic,
    *,
    precision_latency: float | None,
    precision_accepted: float | None,
    min_packets: int | None,
    max_packets: int | None,
    pool_interval_ns: float | None,
    threads: int,
    cancel: Cancel | None,
) -> dict[str, Any]: ...
def figures() -> list[dict[str, Any]]: ...
def latency_parts() -> list[tuple[str, str, str]]: ...
def default_precision() -> tuple[float, float]: ...
def packets_allowed(sending_hosts: int) -> int: ...
def packets_needed(sending_hosts: int) -> int: ...
def student_quantile(confidence: float, degrees: int) -> float: ...
def bandwidth(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    *,
    targets: list[int | None] | None,
    traffic: Traffic | None,
    messages: int,
    message_bytes: int,
    messaging: dict[str, float],
    cancel: Cancel | None,
) -> tuple[NDArray[np.float64], float]: ...
def idle_latency(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    source: str,
    destination: str,
    payload_bytes: list[int],
) -> list[float | None]: ...

@final
@final
class StateSpans:
    def __len__(self) -> int: ...
    def __iter__(self) -> StateSpansReader: ...

@final
class StateSpansReader:
    def __iter__(self) -> StateSpansReader: ...
    def __next__(self) -> tuple[Any, ...]: ...

@final
class MessageSpans:
    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> tuple[Any, ...]: ...

@final
class Trace:
    @property
    def rank_count(self) -> int: ...
    @property
    def actions(self) -> dict[str, int]: ...
    @property
    def compute_ns(self) -> list[float]: ...
    def evened(self) -> Trace: ...

@final
class ProgramTasks:
    def __new__(cls, ranks: int) -> ProgramTasks: ...
    def compute(
        self, rank: int, ns: float, place: tuple[int, int], waits: tuple[list[int], list[int]]
    ) -> int: ...
    def send(
        self,
        rank: int,
        to: int,
        message: tuple[int, int],
        place: tuple[int, int],
        waits: tuple[list[int], list[int]],
    ) -> int: ...
    def receive(
        self,
        rank: int,
        source: int | None,
        message: tuple[int, int | None],
        place: tuple[int, int],
        waits: tuple[list[int], list[int]],
    ) -> int: ...
    def trace(self) -> Trace: ...
    def goal(self) -> str: ...
    def __len__(self) -> int: ...

def read_trace(path: str, flops_per_s: float | None, clock_ns: float | None) -> Trace: ...
def collective_trace(operation: str, ranks: int, bytes: int, root: int) -> Trace: ...
def exchange_trace(lengths: list[list[int]]) -> Trace: ...
def aggregated_trace(
    parents: list[int | None], bytes: int, chunk_bytes: int, in_flight: int
) -> Trace: ...
def multicast_trace(
    order: str,
    groups: list[list[int]],
    bytes: int,
    gather_bytes: int | None,
    is_halving: bool,
    seed_and_repeats: tuple[int, int],
) -> Trace: ...
def multicast_orders() -> list[tuple[str, bool]]: ...
def collective_algorithms() -> dict[str, list[str]]: ...
def messaging_parameters(preset: str) -> list[dict[str, Any]]: ...
def transfers_trace(
    destinations: list[int | None], messages: int, bytes: int, waits: bool
) -> Trace: ...
def trace_packets(
    trace: Trace, region: str, algorithms: dict[str, str], packet_bytes: int
) -> int: ...

_Job = tuple[Trace, str, dict[str, str], int]

def replay_jobs(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    jobs: list[_Job],
    *,
    messaging: dict[str, float],
    hosts: list[int],
    nodes: list[int] | None,
    begin_ns: list[float],
    background: Traffic | None,
    most_ns: float | None,
    timeline: tuple[float, int, int, int] | None,
    events: list[_Event],
    retries: tuple[float, int] | None,
    cancel: Cancel | None,
) -> dict[str, Any]: ...
def job_load(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    job: _Job,
    hosts: list[int],
    nodes: list[int] | None,
) -> dict[str, Any]: ...
