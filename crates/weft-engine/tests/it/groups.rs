//! Switches that choose among groups of ports: which ports packets take, by hand, and circles of groups, which deadlock.

use crate::support::fixtures::{Collector, cut_through_model, listed};
use crate::support::random::Draws;
use weft_engine::Simulator;
use weft_engine::cut_through::Engine;
use weft_fabric::{Fabric, HostId, LinkId, PortNumber, SwitchId};
use weft_model::changes::{Change, Changes};
use weft_model::cut_through::{CutThroughModel, Selection};
use weft_model::workload::Workload;
use weft_model::{ChannelTiming, ChannelTimings, PacketRecord};
use weft_oracle::CutThroughOracle;
use weft_routing::{
    AdaptiveRoutes, CheckedRoutes, GroupEntry, GroupTables, Lane, LaneKey, LaneTables, LidState,
    PortGroup, Subgroup,
};
use weft_testing::fabric_of;

const TIMINGS: ChannelTimings = ChannelTimings::Alike(ChannelTiming {
    cycles_per_flit: 1,
    flight_cycles: 5,
});

/// Flits of a packet.
const FLITS: u32 = 16;

/// Room for eight packets at either end of a link.
fn model(lanes: u8) -> CutThroughModel {
    cut_through_model(lanes, 8 * FLITS, 8 * FLITS, 5)
}

/// A group of subgroups, each of some ports and a weight.
fn group(subgroups: &[(&[u8], u8)]) -> PortGroup {
    let subgroup = |&(ports, weight): &(&[u8], u8)| Subgroup {
        ports: ports.iter().copied().map(PortNumber::new).collect(),
        weight,
    };
    PortGroup::new(subgroups.iter().map(subgroup).collect())
}

/// Two switches with three links, on ports 1 to 3, four hosts at the first, 0 to 3, and two at the other.
fn pair() -> Fabric {
    fabric_of(&[4, 2], &[(0, 1); 3])
}

/// Tables of such a pair: packets across may choose among a group.
fn across(fabric: &Fabric, state: LidState, subgroups: &[(&[u8], u8)]) -> GroupTables {
    let mut tables = GroupTables::new(fabric, &vec![1; fabric.host_count()]);
    for switch in fabric.switch_ids() {
        tables.switch_mut(switch).adaptive_levels = u16::MAX;
        tables.switch_mut(switch).groups = vec![group(subgroups)];
        for host in fabric.host_ids() {
            let is_there = fabric.host_switch(host) == switch;
            let entry = GroupEntry {
                static_port: if is_there {
                    fabric.host_port(host)
                } else {
                    PortNumber::new(3)
                },
                state: if is_there { LidState::Static } else { state },
                group: 0,
            };
            tables.set_entry(switch, 0, host.index(), entry);
        }
    }
    tables
}

/// Packets that the first switch sent by each of its links, by lane.
fn sent(
    fabric: &Fabric,
    tables: GroupTables,
    packets: &[(usize, usize)],
    selection: Selection,
) -> Vec<Vec<u64>> {
    let routes = AdaptiveRoutes::Groups(tables);
    let lanes = routes.lane_count();
    let routes = CheckedRoutes::new(fabric, &routes).unwrap();
    let workload = listed(fabric, packets, FLITS);
    let model = CutThroughModel {
        selection,
        ..model(lanes)
    };
    let mut engine = Engine::new(fabric, &routes, &model, &TIMINGS, &workload).unwrap();
    let mut collector = Collector::default();
    engine.advance(10_000, &mut collector);
    assert_eq!(collector.delivered.len(), packets.len());
    let hops = fabric.hops(SwitchId::new(0)).iter();
    hops.map(|hop| {
        let lanes = (0..lanes).map(Lane::new);
        let busy = lanes.map(|lane| engine.lane_use(hop.channel, lane).busy_cycles);
        busy.map(|cycles| cycles / u64::from(FLITS)).collect()
    })
    .collect()
}

/// The same, all lanes together.
fn by_port(fabric: &Fabric, tables: GroupTables, packets: &[(usize, usize)]) -> Vec<u64> {
    let by_lane = sent(fabric, tables, packets, Selection::Emptiest);
    by_lane.iter().map(|lanes| lanes.iter().sum()).collect()
}

/// Three packets behind one another: the buffers at the first link have something taken when the second comes, and are
/// empty again when the third does. Where subgroups say which comes first, they do, as long as that is open.
#[test]
fn free_packets_take_the_emptiest_port_of_the_first_subgroup() {
    let fabric = pair();
    let packets = [(0, 4); 3];
    let found = |subgroups: &[(&[u8], u8)]| {
        let tables = across(&fabric, LidState::Free, subgroups);
        by_port(&fabric, tables, &packets)
    };
    assert_eq!(found(&[(&[1, 2, 3], 0)]), [2, 1, 0]);
    assert_eq!(found(&[(&[2, 3], 0)]), [0, 2, 1]);
    assert_eq!(found(&[(&[3], 0), (&[1, 2], 0)]), [0, 0, 3]);
    // Three hosts at once: the first subgroup is open for one.
    let tables = across(&fabric, LidState::Free, &[(&[3], 0), (&[1, 2], 0)]);
    assert_eq!(
        by_port(&fabric, tables, &[(0, 4), (1, 4), (2, 5)]),
        [1, 1, 1]
    );
}

/// Three hosts' packets come in cycle 5 and see all links free: all choose the first, as nobody sees what others have
/// chosen. Eleven cycles later the first in turn takes it, whose crossbar port it has for 5 + 16 cycles, and the others
/// choose the second, and so on. Without the delay each arrives after 5 + 2 · (5 + 1 + 5) + 15 cycles; behind the links
/// nothing is left to choose, and nothing delayed, nor where a hash leaves one port.
#[test]
fn a_choice_counts_when_its_delay_is_over_and_is_made_anew_where_others_were_faster() {
    let fabric = pair();
    let packets = [(0, 4), (1, 5), (2, 4)];
    let delivered = |state, subgroups: &[(&[u8], u8)], choice_delay_cycles| {
        let routes = AdaptiveRoutes::Groups(across(&fabric, state, subgroups));
        let routes = CheckedRoutes::new(&fabric, &routes).unwrap();
        let workload = listed(&fabric, &packets, FLITS);
        let model = CutThroughModel {
            choice_delay_cycles,
            ..model(1)
        };
        let mut engine = Engine::new(&fabric, &routes, &model, &TIMINGS, &workload).unwrap();
        let mut collector = Collector::default();
        engine.advance(10_000, &mut collector);
        let mut delivered = collector.delivered;
        delivered.sort_by_key(|record| record.source);
        let cycles = delivered.iter().map(|record| record.delivery_cycle);
        cycles.collect::<Vec<_>>()
    };
    let (free, all): (_, [(&[u8], u8); 1]) = (LidState::Free, [(&[1, 2, 3], 0)]);
    // Two of them go to host 4, one behind the other.
    assert_eq!(delivered(free, &all, 0), [42, 42, 42 + 21]);
    assert_eq!(delivered(free, &all, 11), [42 + 11, 42 + 22, 42 + 33]);
    // Those of a first subgroup are looked at first; in cycle 16 it is taken.
    let subgroups: [(&[u8], u8); 2] = [(&[3], 0), (&[1, 2], 0)];
    assert_eq!(delivered(free, &subgroups, 11), [53, 64, 75]);
    for state in [LidState::Hashed, LidState::Static] {
        assert_eq!(delivered(state, &all, 0), delivered(state, &all, 11));
    }
    assert_eq!(delivered(free, &[(&[2], 0)], 11), [42, 63, 84]);
}

/// The first of twenty packets takes a link that a flit is under way on for a hundred times as long as on the others, which
/// most of those behind it take.
#[test]
fn packets_are_told_how_many_overtook_them() {
    let fabric = pair();
    let timing = |link: usize| ChannelTiming {
        cycles_per_flit: 1,
        flight_cycles: if link == 0 { 500 } else { 5 },
    };
    let timings = ChannelTimings::ByLink((0..fabric.link_count()).map(timing).collect());
    let packets: Vec<_> = (0..20).map(|n| (0, 4 + usize::from(n % 3 == 0))).collect();
    let delivered = |state| {
        let tables = across(&fabric, state, &[(&[1, 2, 3], 0)]);
        let routes = AdaptiveRoutes::Groups(tables);
        let routes = CheckedRoutes::new(&fabric, &routes).unwrap();
        let workload = listed(&fabric, &packets, FLITS);
        let mut engine = Engine::new(&fabric, &routes, &model(1), &timings, &workload).unwrap();
        assert!(engine.tells_order());
        let mut collector = Collector::default();
        engine.advance(10_000, &mut collector);
        let mut delivered = collector.delivered;
        delivered.sort_by_key(|record| record.sequence);
        delivered
    };
    let overtaken = |records: &[PacketRecord]| -> Vec<u32> {
        records.iter().map(|record| record.overtaken_by).collect()
    };
    let free = delivered(LidState::Free);
    let counted = |one: &PacketRecord| {
        let overtakes = |other: &&PacketRecord| {
            other.destination == one.destination
                && other.injection_cycle > one.injection_cycle
                && other.delivery_cycle < one.delivery_cycle
        };
        u32::try_from(free.iter().filter(overtakes).count()).unwrap()
    };
    assert_eq!(
        overtaken(&free),
        free.iter().map(counted).collect::<Vec<_>>()
    );
    assert!(free[0].overtaken_by > 3, "{free:?}");
    assert_eq!(overtaken(&delivered(LidState::Hashed)), [0; 20]);
}

/// A port whose link has failed is left out, also of what a hash decides among: host 3 has number 3 of five, and so port 2;
/// where that fails, number ⌊4 · 0.6…⌋ = 2 of the other four. Without any port packets are lost, not held up.
#[test]
fn ports_whose_links_fail_leave_the_group() {
    let fabric = pair();
    let packets = [(3, 4); 6];
    let weighted: [(&[u8], u8); 2] = [(&[1], 3), (&[2, 3], 1)];
    let found = |state, failed: &[usize]| {
        let routes = AdaptiveRoutes::Groups(across(&fabric, state, &weighted));
        let routes = CheckedRoutes::new(&fabric, &routes).unwrap();
        let workload = listed(&fabric, &packets, FLITS);
        let failures = failed
            .iter()
            .map(|&link| (0, Change::LinkFails(LinkId::from_index(link))));
        let changes = Changes::new(failures.collect(), None);
        let hardware = (&model(1), &TIMINGS);
        let mut engine =
            Engine::with_changes(&fabric, &routes, &[], &changes, hardware, &workload).unwrap();
        let mut collector = Collector::default();
        engine.advance(10_000, &mut collector);
        assert_eq!(engine.waiting_cycle(), None);
        let hops = fabric.hops(SwitchId::new(0)).iter();
        let busy = hops.map(|hop| engine.lane_use(hop.channel, Lane::ZERO).busy_cycles);
        let sent: Vec<u64> = busy.map(|cycles| cycles / u64::from(FLITS)).collect();
        (sent, collector.lost.len())
    };
    assert_eq!(found(LidState::Free, &[0]), (vec![0, 3, 3], 0));
    assert_eq!(found(LidState::Free, &[0, 2]), (vec![0, 6, 0], 0));
    assert_eq!(found(LidState::Hashed, &[]), (vec![0, 6, 0], 0));
    assert_eq!(found(LidState::Hashed, &[1]), (vec![6, 0, 0], 0));
    assert_eq!(found(LidState::Hashed, &[0, 1]), (vec![0, 0, 6], 0));
    assert_eq!(found(LidState::Free, &[0, 1, 2]).1, 6);
}

/// By the formula of `docs/concepts/engine.md` at switch 0, worked out by another program: four hosts to host 4 have the
/// numbers 2, 1, 1, 3 of five and to host 5 1, 1, 3, 2.
#[test]
fn hashed_flows_take_the_port_of_their_number() {
    let fabric = pair();
    let weighted: [(&[u8], u8); 2] = [(&[1], 3), (&[2, 3], 1)];
    for (source, numbers) in [(0, [2, 1]), (1, [1, 1]), (2, [1, 3]), (3, [3, 2])] {
        for (destination, number) in [4, 5].into_iter().zip(numbers) {
            let tables = across(&fabric, LidState::Hashed, &weighted);
            let found = by_port(&fabric, tables, &[(source, destination); 5]);
            let mut expected = [0; 3];
            expected[[0, 0, 0, 1, 2][number]] = 5;
            assert_eq!(found, expected, "from {source} to {destination}");
        }
    }
}

/// By the formula of the same page for packets 0 to 9 of host 2, drawn with seed 0: 4, 1, 1, 2, 1, 0, 0, 3, 0 and 3 of
/// five. By hash free packets go as those of hashed flows do.
#[test]
fn switches_that_do_not_look_select_by_weight() {
    let fabric = pair();
    let weighted: [(&[u8], u8); 2] = [(&[1], 3), (&[2, 3], 1)];
    let found = |state, selection, source| {
        let tables = across(&fabric, state, &weighted);
        sent(&fabric, tables, &[(source, 4); 10], selection).concat()
    };
    assert_eq!(found(LidState::Free, Selection::Random, 2), [7, 2, 1]);
    assert_eq!(found(LidState::Free, Selection::Hash, 3), [0, 10, 0]);
    assert_eq!(found(LidState::Hashed, Selection::Random, 3), [0, 10, 0]);
    assert_eq!(found(LidState::Static, Selection::Random, 2), [0, 0, 10]);
}

#[test]
fn packets_that_may_not_choose_take_the_static_port() {
    let fabric = pair();
    let packets = [(0, 4), (1, 5), (2, 4)];
    let all: [(&[u8], u8); 1] = [(&[1, 2], 0)];
    let tables = across(&fabric, LidState::Static, &all);
    assert_eq!(by_port(&fabric, tables, &packets), [0, 0, 3]);
    let mut tables = across(&fabric, LidState::Free, &all);
    tables.switch_mut(SwitchId::new(0)).adaptive_levels = 0b10;
    assert_eq!(by_port(&fabric, tables, &packets), [0, 0, 3]);
    let tables = across(&fabric, LidState::Free, &[]);
    assert_eq!(by_port(&fabric, tables, &packets), [0, 0, 3]);
}

/// Packets of host 0 are looked up in a table of their own, and lanes depend on both ports.
#[test]
fn tables_and_lanes_go_by_the_port_that_a_packet_came_by() {
    let fabric = pair();
    let here = SwitchId::new(0);
    let mut tables = across(&fabric, LidState::Static, &[]);
    let entry = |port| GroupEntry {
        static_port: PortNumber::new(port),
        ..GroupEntry::NONE
    };
    for host in fabric.host_ids() {
        let is_there = fabric.host_switch(host) == here;
        let port = if is_there {
            fabric.host_port(host).number()
        } else {
            1
        };
        tables.set_entry(here, 1, host.index(), entry(port));
    }
    let input = fabric.host_port(HostId::new(0));
    tables.set_table(&fabric, here, (input, Lane::ZERO), 1);
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    lanes.set(
        &fabric,
        here,
        [input, PortNumber::new(1)],
        [Some(Lane::new(1)); 16],
    );
    lanes.set_level(15, Lane::ZERO);
    let lanes = lanes.in_use(1, 1);
    tables.set_lane_tables(lanes);
    let found = sent(
        &fabric,
        tables,
        &[(0, 4), (0, 5), (1, 4), (2, 4), (3, 5)],
        Selection::Emptiest,
    );
    assert_eq!(found, [[0, 2], [0, 0], [3, 0]]);
}

/// A ring of switches with up to three links between neighbours, one host for each; packets go all the way but one link
/// forwards, by any of the links.
struct Loop {
    fabric: Fabric,
    tables: GroupTables,
    packets: Vec<(usize, usize)>,
}

impl Loop {
    fn draw(draws: &mut Draws) -> Self {
        let switches = 4 + draws.index(4);
        let links = 1 + draws.index(3);
        let neighbours = (0..switches)
            .flat_map(|here| std::iter::repeat_n((here, (here + 1) % switches), links));
        // Links that no group takes.
        let mut all: Vec<_> = neighbours.collect();
        for _ in 0..draws.index(3) {
            all.push((draws.index(switches), draws.index(switches)));
        }
        all.retain(|&(from, to)| from != to);
        draws.shuffle(&mut all);
        let fabric = fabric_of(&vec![links; switches], &all);
        let mut tables = GroupTables::new(&fabric, &vec![1; fabric.host_count()]);
        for here in fabric.switch_ids() {
            let next = SwitchId::from_index((here.index() + 1) % switches);
            let hops = fabric.hops(here).iter().filter(|hop| hop.switch == next);
            let mut ports: Vec<u8> = hops.map(|hop| hop.port.number()).collect();
            draws.shuffle(&mut ports);
            // Subgroups change what is taken first, not what there is to wait for.
            let (first, second) = ports.split_at(draws.index(ports.len() + 1));
            tables.switch_mut(here).adaptive_levels = u16::MAX;
            tables.switch_mut(here).groups = vec![group(&[(first, 0), (second, 0)])];
            for host in fabric.host_ids() {
                let is_there = fabric.host_switch(host) == here;
                let entry = GroupEntry {
                    static_port: if is_there {
                        fabric.host_port(host)
                    } else {
                        PortNumber::new(ports[0])
                    },
                    state: if is_there {
                        LidState::Static
                    } else {
                        LidState::Free
                    },
                    group: 0,
                };
                tables.set_entry(here, 0, host.index(), entry);
            }
        }
        let hosts = fabric.host_count();
        let ends = |n: usize| (n % hosts, (n + hosts - links) % hosts);
        let packets = (0..40 * hosts).map(ends).collect();
        Self {
            fabric,
            tables,
            packets,
        }
    }
}

/// What the engine finds and the oracle does until the one tells of a deadlock and the other stands still.
fn deadlocks(case: &Loop, model: &CutThroughModel) -> bool {
    let routes = AdaptiveRoutes::Groups(case.tables.clone());
    let workload: Workload = listed(&case.fabric, &case.packets, FLITS);
    let checked = CheckedRoutes::new(&case.fabric, &routes).unwrap();
    let mut engine = Engine::new(&case.fabric, &checked, model, &TIMINGS, &workload).unwrap();
    let mut oracle =
        CutThroughOracle::with_routes(&case.fabric, (&routes).into(), model, &TIMINGS, &workload)
            .unwrap();
    let (mut found, mut expected) = (Collector::default(), Vec::new());
    let end = 40_000;
    engine.advance(end, &mut found);
    oracle.pass_over_pauses();
    oracle.advance(end, &mut expected);
    let key = |record: &PacketRecord| (record.source, record.sequence);
    found.delivered.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(found.delivered, expected);
    let sent = oracle.flit_hops();
    oracle.advance(2 * end, &mut expected);
    let is_still = oracle.flit_hops() == sent && expected.len() < case.packets.len();
    let circle = engine.waiting_cycle();
    assert_eq!(circle.is_some(), is_still);
    for (packet, next) in circle
        .iter()
        .flat_map(|c| c.iter().zip(c.iter().cycle().skip(1)))
    {
        assert_eq!(packet.wants, next.holds);
        assert!(oracle.room(packet.holds, packet.holds_lane).held > 0);
    }
    is_still
}

/// Where buffers hold less than what is under way, circles of groups deadlock whatever packets choose, and the engine
/// says so though every packet waits for several links.
#[test]
fn groups_that_close_a_circle_deadlock() {
    for seed in 0..40 {
        let mut draws = Draws::new(seed);
        let case = Loop::draw(&mut draws);
        let buffer = FLITS * draws.between_u32(1, 2);
        let output = *draws.choose(&[0, FLITS, 2 * FLITS]);
        let model = cut_through_model(1, buffer, output, 5);
        assert!(
            deadlocks(&case, &model),
            "seed {seed}: {}",
            case.fabric.switch_count()
        );
        // All packets have room.
        let most = u32::try_from(case.packets.len()).unwrap() * FLITS;
        let roomy = cut_through_model(1, most, most, 5);
        assert!(!deadlocks(&case, &roomy), "seed {seed}");
    }
}
