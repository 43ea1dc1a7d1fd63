//! Random programs: tasks of several kinds on some of the hosts, with every parameter of the messaging
//! layer, in cycles as long as those of the presets; and what their ranks do in engine and oracle.

use super::random::Draws;
use super::tasks::{self, DrawnTasks, Limits};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId};
use weft_model::hardware::{Hardware, PRESETS};
use weft_model::workload::program::{
    Acknowledged, Background, MOST_MESSAGE_BYTES, Messaging, MessagingParameters, Tasks, Work,
};
use weft_model::workload::{
    Arrivals, Destinations, Execution, Program, Traffic, TrafficParameters, Workload,
};
use weft_oracle::Ranks;

/// A program, what it is, and what is counted of it when it is over.
/// In one of long times now and then ranks compute for long.
pub(crate) fn draw(
    draws: &mut Draws,
    fabric: &Fabric,
    is_long: bool,
) -> (Workload, String, Vec<String>) {
    let host_count = fabric.host_count();
    let cycle_ns = cycle_ns(draws);
    let mut parameters = messaging(draws, cycle_ns);
    if is_long {
        // What is refused while its receiver computes is so no more often than in short cases.
        parameters.resend_ns = 28_f64.exp2() * cycle_ns;
    }
    let limits = Limits {
        cycle_ns,
        most_bytes: if is_long {
            150
        } else {
            3_000.min(40 * u64::from(parameters.packet_bytes))
        },
        is_long,
    };
    let messaging = Messaging::new(&parameters, cycle_ns).unwrap();
    let mut drawn = drawn_jobs(draws, host_count, limits);
    let rank_count = drawn.tasks.rank_count();
    // What has room is decided where a packet comes, which only the host of a rank can.
    let may_have_adapters = parameters.receive_messages == 0;
    let mut placement = Placement::draw(draws, fabric, rank_count, may_have_adapters);
    if !is_long && draws.once_in(6) {
        let (traffic, text) = beside_jobs(draws, host_count);
        let traffic = Background::new(traffic);
        placement.add_background();
        drawn.tasks = Tasks::of_jobs(vec![drawn.tasks, traffic.into()]);
        drawn.description += &text;
        drawn.kinds.push("traffic beside jobs".to_owned());
    }
    let description = format!(
        "a program, {}, on {rank_count} ranks, {placement:?}, in cycles of {cycle_ns} ns, {parameters:?}",
        drawn.description
    );
    let program = placement.place(drawn.tasks, messaging);
    let mut kinds = drawn.kinds;
    let sent = lengths_sent(&program);
    let shared = (0..).take(rank_count).filter(|&rank| {
        let neighbours = program.ranks_on(program.host(rank));
        neighbours.len() > 1
    });
    let eager = parameters.eager_bytes;
    for (kind, is_so) in [
        (
            "cycles other than 1 ns",
            !(0.999..1.001).contains(&cycle_ns),
        ),
        ("several ranks a host", shared.count() > 1),
        ("several hosts a node", placement.nodes.is_some()),
        (
            "several adapters a rank",
            placement.adapters.iter().any(|hosts| hosts.len() > 1),
        ),
        ("messages inside nodes", is_sending_inside(&program)),
        (
            "messages inside nodes that take time",
            is_sending_inside(&program) && parameters.inner_gbit_per_s > 0.0,
        ),
        (
            "ranks that begin later",
            placement.begin_cycles.iter().any(|&cycle| cycle > 0),
        ),
        ("queue pairs", parameters.quantum_bytes > 0),
        (
            "queue pairs and control first",
            parameters.quantum_bytes > 0 && parameters.control_first,
        ),
        (
            "messages beyond 150 bytes",
            sent.iter().any(|&bytes| bytes > 150),
        ),
        (
            "announced messages",
            sent.iter().any(|&bytes| bytes > eager),
        ),
        (
            "messages on both sides of the limit",
            sent.iter().any(|&bytes| bytes > eager) && sent.iter().any(|&bytes| bytes <= eager),
        ),
    ] {
        kinds.extend(is_so.then(|| kind.to_owned()));
    }
    (Workload::Program(program), description, kinds)
}

/// A program, two beside one another, or either several times.
fn drawn_jobs(draws: &mut Draws, host_count: usize, limits: Limits) -> DrawnTasks {
    let mut drawn = tasks::draw(draws, host_count, limits);
    if !limits.is_long && draws.once_in(4) {
        let other = tasks::draw(draws, host_count, limits);
        drawn.tasks = Tasks::of_jobs(vec![drawn.tasks, other.tasks]);
        drawn.description = format!("{} beside {}", drawn.description, other.description);
        drawn.kinds.extend(other.kinds);
        drawn.kinds.push("jobs beside one another".to_owned());
    }
    if !limits.is_long && draws.once_in(4) {
        let times = draws.between_u32(2, 3);
        drawn.tasks = drawn.tasks.repeated(times);
        drawn.description = format!("{} {times} times", drawn.description);
        drawn.kinds.push("programs repeated".to_owned());
    }
    drawn
}

/// Traffic from all hosts to all.
fn beside_jobs(draws: &mut Draws, host_count: usize) -> (Traffic, String) {
    let bytes = draws.between_u32(1, 200);
    let load = f64::from(bytes) / (300.0 + 3_000.0 * draws.unit());
    let (arrivals, seed) = (Arrivals::Poisson, draws.between(0, u64::MAX - 1));
    let parameters = TrafficParameters::of_one_size(arrivals, bytes, load, seed);
    let traffic = Traffic::new(parameters, Destinations::uniform(host_count).unwrap()).unwrap();
    (
        traffic,
        format!(" beside traffic of {bytes} bytes at {load}"),
    )
}

/// The length of a cycle: that of a preset's clock in half of the cases.
fn cycle_ns(draws: &mut Draws) -> f64 {
    if draws.once_in(2) {
        return 1.0;
    }
    Hardware::preset(draws.choose(PRESETS).name)
        .unwrap()
        .cycle_ns()
}

/// Where ranks are, and when they begin.
#[derive(Debug)]
struct Placement {
    host_count: usize,
    hosts: Vec<HostId>,
    nodes: Option<Vec<u32>>,
    /// Per rank; each has its host alone if empty.
    adapters: Vec<Vec<HostId>>,
    begin_cycles: Vec<u64>,
}

impl Placement {
    /// Half of the programs have a host for each rank, the others several on some; some have nodes of several
    /// hosts, and some ranks that begin later.
    fn draw(
        draws: &mut Draws,
        fabric: &Fabric,
        rank_count: usize,
        may_have_adapters: bool,
    ) -> Self {
        let has_adapters = may_have_adapters && draws.once_in(3);
        let host_count = fabric.host_count();
        let mut hosts: Vec<HostId> = fabric.host_ids().collect();
        draws.shuffle(&mut hosts);
        if draws.once_in(2) || rank_count > host_count {
            let used = draws.between(1, host_count.min(rank_count) as u64);
            hosts.truncate(usize::try_from(used).unwrap());
            hosts = (0..rank_count).map(|_| *draws.choose(&hosts)).collect();
        }
        hosts.truncate(rank_count);
        let node_count = draws.between(1, 4);
        let nodes = draws.once_in(3).then(|| {
            let node = |_| u32::try_from(draws.between(1, node_count)).unwrap();
            (0..host_count).map(node).collect()
        });
        let adapters = if has_adapters {
            Self::draw_adapters(draws, fabric, &hosts)
        } else {
            Vec::new()
        };
        let begins_later = draws.once_in(4);
        let begin = |_| {
            if begins_later {
                draws.between(0, 900)
            } else {
                0
            }
        };
        Self {
            host_count,
            hosts,
            nodes,
            adapters,
            begin_cycles: (0..rank_count).map(begin).collect(),
        }
    }

    /// Hosts that no rank is on become adapters of some; ranks of one host have the same.
    fn draw_adapters(draws: &mut Draws, fabric: &Fabric, hosts: &[HostId]) -> Vec<Vec<HostId>> {
        let mut of_host: BTreeMap<HostId, Vec<HostId>> =
            hosts.iter().map(|&host| (host, vec![host])).collect();
        let used: Vec<HostId> = of_host.keys().copied().collect();
        for host in fabric.host_ids() {
            if !used.contains(&host) && !draws.once_in(4) {
                let owner = *draws.choose(&used);
                of_host.get_mut(&owner).unwrap().push(host);
            }
        }
        hosts.iter().map(|host| of_host[host].clone()).collect()
    }

    /// Puts a rank that sends and one that receives on each host, behind all others.
    fn add_background(&mut self) {
        let all = (0..self.host_count).map(HostId::from_index);
        let both = all.clone().chain(all);
        if !self.adapters.is_empty() {
            self.adapters.extend(both.clone().map(|host| vec![host]));
        }
        self.hosts.extend(both);
        self.begin_cycles.resize(self.hosts.len(), 0);
    }

    fn place(&self, tasks: Tasks, messaging: Messaging) -> Program {
        let program = Program::new(tasks, messaging, &self.hosts, self.host_count).unwrap();
        let mut program = program.with_begins(self.begin_cycles.clone()).unwrap();
        if !self.adapters.is_empty() {
            program = program.with_adapters(&self.adapters).unwrap();
        }
        match &self.nodes {
            Some(nodes) => program.with_nodes(nodes).unwrap(),
            None => program,
        }
    }
}

/// The messages from one rank to another: both, and the length.
fn messages_of(program: &Program) -> impl Iterator<Item = (u32, u32, u64)> {
    let ranks = (0..).take(program.rank_count());
    let tasks = ranks.flat_map(|rank| {
        let most = if program.is_background(rank) {
            0
        } else {
            usize::MAX
        };
        let tasks = program.tasks(rank, most).into_iter();
        tasks.map(move |(task, _)| (rank, task.work))
    });
    tasks.filter_map(|(rank, work)| match work {
        Work::Send { to, bytes, .. } if to != rank => Some((rank, to, bytes)),
        _ => None,
    })
}

/// The lengths of those that use the network.
fn lengths_sent(program: &Program) -> Vec<u64> {
    let messages = messages_of(program);
    let sent = messages.filter(|&(from, to, _)| !program.are_neighbours(from, to));
    sent.map(|(.., bytes)| bytes.min(MOST_MESSAGE_BYTES))
        .collect()
}

fn is_sending_inside(program: &Program) -> bool {
    messages_of(program).any(|(from, to, _)| program.are_neighbours(from, to))
}

/// What the ranks of a program have done before a cycle, and how they spent their time.
pub(crate) fn compare(
    found: Option<&Execution>,
    expected: Option<&Ranks<'_>>,
    cycle: u64,
) -> Result<(), String> {
    let (Some(found), Some(expected)) = (found, expected) else {
        return Ok(());
    };
    let is_equal = found.message_counts() == expected.message_counts()
        && found.announcements() == expected.announcements()
        && found.blocked() == expected.blocked()
        && found.unclaimed() == expected.unclaimed()
        && found.is_finished() == expected.is_finished();
    if !is_equal {
        return Err(format!(
            "program at {cycle}\nengine {found:?}\noracle {expected:?}"
        ));
    }
    for rank in (0..).take(expected.rank_count()) {
        let found = (found.finish_cycle(rank), found.account(rank, cycle));
        let expected = (expected.finish_cycle(rank), expected.account(rank));
        if found != expected {
            return Err(format!(
                "rank {rank} at {cycle}\nengine {found:?}\noracle {expected:?}"
            ));
        }
    }
    Ok(())
}

/// Nothing, a little, now and then a lot; in cycles, as a rule no whole number of them.
pub(super) fn overhead_cycles(draws: &mut Draws) -> f64 {
    match draws.between(0, 5) {
        0..=2 => 0.0,
        3 | 4 => 30.0 * draws.unit(),
        _ => 500.0 * draws.unit(),
    }
}

fn messaging(draws: &mut Draws, cycle_ns: f64) -> MessagingParameters {
    let overhead_ns = |draws: &mut Draws| overhead_cycles(draws) * cycle_ns;
    let mut drawn = MessagingParameters {
        packet_bytes: *draws.choose(&[1, 16, 64, 64, 512]),
        acknowledged: *draws.choose(&[
            Acknowledged::No,
            Acknowledged::Waited,
            Acknowledged::Waited,
            Acknowledged::Unwaited,
        ]),
        acknowledgement_bytes: *draws.choose(&[0, 1, 8]),
        acknowledge_ns: overhead_ns(draws),
        next_packet_ns: overhead_ns(draws),
        control_ns: overhead_ns(draws),
        blocking: draws.once_in(3),
        pio_bytes: *draws.choose(&[0, 20, 300, 1_000_000]),
        push_packet_ns: overhead_ns(draws),
        bus_gbit_per_s: *draws.choose(&[0.0, 0.0, 1.0, 4.0, 30.0]) / cycle_ns,
        eager_bytes: *draws.choose(&[0, 20, 100, 600, 65_536]),
        control_bytes: *draws.choose(&[0, 8, 70]),
        send_message_ns: overhead_ns(draws),
        send_byte_ns: draws.unit() * cycle_ns,
        receive_message_ns: overhead_ns(draws),
        receive_byte_ns: draws.unit() * cycle_ns,
        receive_messages: *draws.choose(&[0, 0, 1, 2, 5]),
        resend_ns: overhead_ns(draws),
        quantum_bytes: *draws.choose(&[0, 0, 1, 1, 100, 700]),
        control_first: draws.once_in(2),
        inner_ns: overhead_ns(draws),
        inner_gbit_per_s: *draws.choose(&[0.0, 1.0, 30.0]) / cycle_ns,
        inner_overhead: *draws.choose(&[0.0, 0.3, 1.0]),
        compute_scale: *draws.choose(&[0.0, 1.0, 1.0, 0.3]),
        ..MessagingParameters::default()
    };
    if drawn.receive_byte_ns < cycle_ns / 2.0 {
        // Combining takes as long as receiving.
        drawn.reduce_byte_ns = drawn.receive_byte_ns;
    }
    if draws.once_in(2) {
        drawn.send_packet_ns = overhead_ns(draws);
        drawn.receive_packet_ns = overhead_ns(draws);
    }
    drawn
}
