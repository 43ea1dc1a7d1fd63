"""What the documents of ``--json`` hold, by kind: the one source of their schemas.

A kind is a `TypedDict`; where a command prints a record of Weft, that record is its form, and where
it prints some fields of one, `some` takes their types from there. A key that is not always there is
`NotRequired`.
"""

# Types are evaluated as they stand here.
# ruff: noqa: D101 - what a form holds is told where it is made
from typing import Any, Literal, NotRequired, TypedDict

from json_advice_forms import Advised, Audited, AuditedSubnets, Parameters
from json_explore_forms import ExploredPage
from json_job_forms import JobsTold, PlaceTold
from json_transition_forms import Transition
from json_types import LoadGap, Numbers, fields_of, some

from weft.adaptive import GroupsJudged
from weft.algorithm import Algorithm
from weft.audit import Judgement
from weft.channel_loads import LoadFigures
from weft.congestion import Congestion
from weft.fabric import DegradedFabric, FabricDiff, FabricFigures, FabricFormat, FabricInspection
from weft.fabric.computers import Computers
from weft.fabric.formats import PortRecord, ReadNote
from weft.figure_table import WaitingPacket
from weft.measurement import Measurement
from weft.prediction import CarriedLoad
from weft.proof import Proof
from weft.rehearsal import Phase
from weft.replay import Replay
from weft.reproduce.definition import Row
from weft.results.link_use import LinkUse
from weft.results.ranking import RankedRouting
from weft.results.replay_figures import RANK_TIMES, ReplayFigures
from weft.results.types import Knee, ProofSummary, Throughput
from weft.spec.keys import StudyKey
from weft.study.status import CaseStatus
from weft.survive import Additions, FailureParts, LoadOfTables, Survival
from weft.traffic_gap import ShiftShares, TrafficGap
from weft.watch import Health
from weft.workload import ArrivalProcess, ExpectedLoad, TrafficPattern


class Error(TypedDict):
    kind: str
    message: str
    exit_code: Literal[2, 3, 70, 130]


class ErrorDocument(TypedDict):
    error: Error


class Version(TypedDict):
    commit: str | None
    profile: str
    compiler: str
    target: str
    python: str


class FabricRead(TypedDict):
    name: str
    format: str
    fingerprint: str
    wiring_fingerprint: str
    figures: FabricFigures
    service: dict[str, str]
    notes: list[ReadNote]


class FabricWritten(FabricRead):
    path: str


class FabricShown(FabricRead):
    inspection: FabricInspection
    computers: Computers
    ports: list[PortRecord]
    drawing: NotRequired[str]


class FabricsShown(TypedDict):
    name: str
    format: str
    computers: Computers
    ends_in_each: int | None
    subnets: list[FabricShown]
    drawing: NotRequired[str]


class Degraded(TypedDict):
    name: str
    fingerprint: str
    path: str


class Difference(TypedDict):
    planned_wiring: str
    found_wiring: str
    diff: FabricDiff


class Formats(TypedDict):
    formats: list[FabricFormat]


class HardwareParameter(TypedDict):
    name: str
    value: str | int | float | bool
    type: str
    unit: str
    range: str
    default: str | None
    summary: str
    source: str


class HardwareDocument(TypedDict):
    preset: str
    switching: str
    parameters: list[HardwareParameter]


class Algorithms(TypedDict):
    algorithms: list[Algorithm]


class RoutingTold(TypedDict):
    label: str
    algorithm: str
    parameters: Parameters
    granularity: str
    form: str
    most_addresses: int
    lane_count: int
    service_note: str | None


class RouteNodes(TypedDict):
    source: str
    destination: str
    nodes: list[str]


class Repaired(TypedDict):
    changed_entries: int
    changed_lanes: int
    order: Literal["any", "in_rounds", "clear_first"]
    renews: bool


class RoutedAnew(TypedDict):
    refusal: str | None
    entries: int
    largest_load: int
    is_time: bool


class Survived(TypedDict):
    fabric: str
    routing: str
    whole: LoadOfTables
    counts: dict[FailureParts, int]
    hardware: Parameters | None
    whole_throughput: CarriedLoad | None
    failures: list[Survival]
    additions: Additions | None


class HotChannel(TypedDict):
    channel: int
    name: str
    routes: int
    first_pairs: list[tuple[str, str]]


class Route(TypedDict):
    fabric: str
    routing: RoutingTold
    load_figures: LoadFigures | None
    bound_at_rates: float | None
    load_gap: LoadGap | None
    traffic_gaps: list[TrafficGap]
    shift_shares: ShiftShares | None
    routes: list[RouteNodes]
    pattern: str | None
    expected_load: ExpectedLoad | None
    repair: Repaired | None
    anew: RoutedAnew | None
    rounds: Literal["bisections", "permutations", "shifts"] | None
    congestion: Congestion | None
    hottest_channels: list[HotChannel]


class Proved(TypedDict):
    fabric: str
    routing: str
    service_note: str | None
    certificate_checked: bool
    certificate: str | None
    deadlock_free_between_compute_ends: bool | None
    groups: GroupsJudged | None


class Checked(TypedDict):
    fabric: str
    routing: str
    certificate: str
    holds: bool
    refusal: str | None


class BoundChecked(TypedDict):
    fabric: str
    routing: str
    bound: str
    routes: Literal["any", "shortest", "tables"]
    load: int
    largest_load: float | None
    holds: bool
    refusal: str | None
    better_possible: float | None


class OnNetwork(TypedDict):
    fabric: str
    routing: str
    hardware: Parameters


class Simulated(OnNetwork):
    pattern: str
    sending_hosts: int
    deadlock_free: bool
    measurement: Measurement


class WindowArrays(TypedDict):
    begin_ns: list[float]
    end_ns: list[float]
    packets: list[int]
    accepted_load: list[float]
    mean_latency_ns: list[float | None]
    most_latency_ns: list[float]
    lost_by_failure: list[int]
    lost_without_entry: list[int]


class Phases(TypedDict):
    before: Phase
    during: Phase
    end: Phase


class Rehearsal(OnNetwork):
    offered_load: float
    first_event_ns: float
    last_event_ns: float
    recovered_ns: float | None
    under_way_packets: int
    deadlock_ns: float | None
    waiting_cycle: list[WaitingPacket]
    phases: Phases
    windows: WindowArrays


class BandwidthRun(OnNetwork):
    bytes: int
    acknowledged: int
    mean_bytes_per_ns: float
    min_bytes_per_ns: float
    max_bytes_per_ns: float
    host_bytes_per_ns: Numbers


class Bandwidths(TypedDict):
    pattern: str
    messages: int
    runs: list[BandwidthRun]


class CollectiveRun(OnNetwork):
    algorithm: str
    orders: int
    mean_ns: float
    last_ns: float
    last_less_first_ns: float
    mean_ns_by_order: list[float]
    announced_messages: int
    mean_announced_wait_ns: float | None


class Collectives(TypedDict):
    operation: str
    runs: list[CollectiveRun]


class ReplayRunOf(OnNetwork):
    duration_ns: float


_REPLAY = {
    name: kind for name, kind in fields_of(Replay).items() if name not in {"timeline", "course"}
}
ReplayRun = TypedDict("ReplayRun", {**fields_of(ReplayRunOf), **_REPLAY})


class TimelineWritten(TypedDict):
    path: str
    resolution_ns: float
    spans: int
    states: int
    kept_messages: int
    messages: int
    one_in: int
    least_message_bytes: int


class Replays(TypedDict):
    trace: str
    ranks: int
    timeline: NotRequired[TimelineWritten]
    runs: list[ReplayRun]


class Completion(TypedDict):
    shell: str
    script: str


class Workloads(TypedDict):
    patterns: list[TrafficPattern]
    arrivals: list[ArrivalProcess]


class ComparedRouting(TypedDict):
    label: str
    parameters: Parameters
    failure: str | None
    proof: ProofSummary
    throughput: Throughput | None
    knee: Knee | None
    same_routes_as: str | None
    points: int


class ComparedFiles(TypedDict):
    results: str
    report: NotRequired[str]
    charts: NotRequired[str]
    bound: NotRequired[str]


class Compared(TypedDict):
    fabric: dict[str, Any]
    ranking: list[RankedRouting]
    link_use: list[LinkUse]
    routings: list[ComparedRouting]
    recommendation: str
    load_bound: int | None
    files: ComparedFiles
    service_notes: dict[str, str]
    beside_static: list[Judgement]
    adaptive: list[str]
    traffic_notes: dict[str, str]


class Reported(TypedDict):
    report: str
    charts: list[str]


class ExportedResults(TypedDict):
    files: dict[str, int]


class ExportedIbdiagnet(TypedDict):
    files: list[str]
    keeps_lids: bool


class ExportedOpensm(TypedDict):
    files: list[str]
    verdict: str
    text: str
    # None of them where the routes are refused.
    lmc: NotRequired[int]
    keeps_lids: NotRequired[bool]
    engine: NotRequired[str]
    level_count: NotRequired[int]
    lane_count: NotRequired[int]
    policy_rules: NotRequired[int]
    needs_chosen_lids: NotRequired[bool]
    unfit_for_managers: NotRequired[list[str]]
    unordered_switch_pairs: NotRequired[int]


class Experiment(TypedDict):
    kind: Literal["table", "figure"]
    number: str
    title: str


class Experiments(TypedDict):
    paper: str
    citation: str
    experiments: list[Experiment]


class PublishedAlone(TypedDict):
    condition: str
    quantity: str
    value: float


class ReproducedRowOf(TypedDict):
    ratio: float | None
    is_other_reading: bool
    judgement: str | None


ReproducedRow = TypedDict(
    "ReproducedRow",
    {
        **fields_of(some(Row, "condition", "quantity", "value", "half_width", "count", "remark")),
        "published": float | None,
        **fields_of(ReproducedRowOf),
    },
)


class ReproducedExperiment(TypedDict):
    experiment: str
    title: str
    missing: list[str]
    rows: list[ReproducedRow]
    published_alone: list[PublishedAlone]


class ReproducedPaper(TypedDict):
    paper: str
    experiments: list[ReproducedExperiment]


class StudyKeys(TypedDict):
    keys: list[StudyKey]


class Statuses(TypedDict):
    title: str
    results: str
    worked_on_by: dict[str, Any] | None
    cases: list[CaseStatus]


class StudyRan(TypedDict):
    title: str
    results: str
    cases: dict[str, list[RankedRouting]]
    link_use: dict[str, list[LinkUse]]


_ARRAYS = ("rank_times_ns", "channel_busy_ns")
ProgramRun = TypedDict(
    "ProgramRun",
    {
        "case": str,
        "routing": str,
        "same_routes_as": str | None,
        **{name: kind for name, kind in fields_of(ReplayFigures).items() if name not in _ARRAYS},
        **dict.fromkeys((*RANK_TIMES, "channel_busy_ns"), Numbers),
    },
)


class ProgramsRan(TypedDict):
    title: str
    results: str
    runs: list[ProgramRun]


class Stopped(TypedDict):
    results: str
    stopped: list[str]


FORMS: dict[str, dict[str, Any]] = {
    kind: {name: of for form in forms for name, of in fields_of(form).items()}
    for kind, forms in {
        "advise": [Advised],
        "audit": [Audited],
        "audit-subnets": [AuditedSubnets],
        "bandwidth": [Bandwidths],
        "collective": [Collectives],
        "compare": [Compared],
        "completion": [Completion],
        "error": [ErrorDocument],
        "explore": [ExploredPage],
        "export-ibdiagnet": [ExportedIbdiagnet],
        "export-opensm": [ExportedOpensm],
        "export-results": [ExportedResults],
        "fabric-convert": [FabricWritten],
        "fabric-degrade": [
            Degraded,
            some(
                DegradedFabric,
                *(name for name in fields_of(DegradedFabric) if name != "fabric"),
            ),
        ],
        "fabric-diff": [Difference],
        "fabric-formats": [Formats],
        "fabric-new": [FabricWritten],
        "fabric-show": [FabricShown],
        "fabric-show-subnets": [FabricsShown],
        "hardware": [HardwareDocument],
        "prove": [Proved, some(Proof, "deadlock_free", "verdict", "text", "cycle", "rests_on")],
        "prove-bound": [BoundChecked],
        "prove-check": [Checked],
        "rehearse": [Rehearsal],
        "jobs": [JobsTold],
        "place": [PlaceTold],
        "replay": [Replays],
        "report": [Reported],
        "reproduce": [ReproducedPaper],
        "reproduce-list": [Experiments],
        "route": [Route],
        "route-list": [Algorithms],
        "simulate": [Simulated],
        "study-cancel": [Stopped],
        "study-keys": [StudyKeys],
        "study-plan": [Statuses],
        "study-programs": [ProgramsRan],
        "study-run": [StudyRan],
        "study-status": [Statuses],
        "survive": [Survived],
        "transition": [Transition],
        "version": [Version],
        "watch": [Health],
        "workload": [Workloads],
    }.items()
}
