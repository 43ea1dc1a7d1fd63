//! Random fabrics of all kinds, for the tests of the file formats.

use proptest::prelude::*;
use weft_fabric::{
    Cable, CableLength, Fabric, FabricBuilder, Host, HostId, LaneSpeed, Lanes, Layout, LidRange,
    LinkRate, Node, PlainRate, PortKind, PortNumber, ServiceReason, Switch, SwitchId,
};

/// Ports of every switch: more than the links can take.
const PORTS: u8 = 40;

/// The same fabric with every third host a service end, for formats that tell them.
pub(crate) fn with_service_ends(fabric: &Fabric) -> Fabric {
    let reasons = ServiceReason::ALL.map(Some).into_iter().cycle();
    let reasons = fabric.host_ids().zip(reasons);
    let every_third =
        |(host, reason): (HostId, Option<ServiceReason>)| reason.filter(|_| host.index() % 3 == 0);
    let reasons = reasons.map(every_third).collect();
    fabric.clone().with_service(reasons)
}

/// Any fabric of one to six switches and up to eight hosts, in any number of parts, with parallel
/// cables and cables back to the same switch; names are texts of this pattern made unique.
pub(crate) fn any_fabric(name: &'static str) -> impl Strategy<Value = Fabric> {
    let counts = (1_usize..7, 0_usize..9, 0_usize..15);
    counts.prop_flat_map(move |(switches, hosts, links)| {
        (
            proptest::collection::vec(name, 1 + switches + hosts),
            any::<bool>(),
            identifiers(switches + hosts),
            proptest::collection::vec((0..switches, 1..=PortNumber::MAX), hosts),
            proptest::collection::vec((0..switches, 0..switches), links),
            proptest::collection::vec(any_cable(), hosts + links),
        )
            .prop_map(
                move |(names, is_line, identifiers, host_ends, links, cables)| {
                    let mut builder = FabricBuilder::new(names[0].clone());
                    if is_line {
                        let extents = vec![u32::try_from(switches).unwrap()];
                        builder.set_layout(Layout::Grid { extents });
                    }
                    let names = (0..).zip(&names[1..]);
                    let mut nodes = names
                        .map(|(i, name): (u32, _)| format!("{name}{i}"))
                        .zip(identifiers);
                    for (name, known) in nodes.by_ref().take(switches) {
                        let switch = Switch {
                            name,
                            port_count: PORTS,
                            guid: known.guid,
                            system_guid: known.system_guid,
                            lids: known.lids,
                        };
                        builder.add_switch(switch).unwrap();
                    }
                    let mut used = vec![0_u8; switches];
                    let mut end = |switch: usize| {
                        used[switch] += 1;
                        Node::Switch(SwitchId::from_index(switch)).at(used[switch])
                    };
                    let mut cables = cables.into_iter();
                    for ((name, known), (switch, port)) in nodes.zip(host_ends) {
                        let host = Host {
                            name,
                            guid: known.guid,
                            adapter_guid: known.adapter_guid,
                            lids: known.lids,
                            service: None,
                        };
                        let host = Node::Host(builder.add_host(host).unwrap()).at(port);
                        let ends = if port % 2 == 0 {
                            [end(switch), host]
                        } else {
                            [host, end(switch)]
                        };
                        let cable = cables.next().unwrap_or_default();
                        builder.add_link(ends[0], ends[1], cable).unwrap();
                    }
                    for (a, b) in links {
                        let cable = cables.next().unwrap_or_default();
                        builder.add_link(end(a), end(b), cable).unwrap();
                    }
                    builder.build().unwrap()
                },
            )
    })
}

/// What may be known of a node besides its name.
#[derive(Clone, Debug)]
struct Identifiers {
    guid: Option<u64>,
    system_guid: Option<u64>,
    adapter_guid: Option<u64>,
    lids: Option<LidRange>,
}

/// Identifiers of nodes: no two GUIDs are equal, no two ranges of LIDs overlap.
fn identifiers(count: usize) -> impl Strategy<Value = Vec<Identifiers>> {
    let one = (
        any::<Option<u32>>(),
        proptest::option::of(0..3_u64),
        any::<Option<u32>>(),
        any::<Option<u16>>(),
        0_u8..8,
    );
    proptest::collection::vec(one, count).prop_map(|drawn| {
        let guid = |high: Option<u32>, low: u64| high.map(|high| u64::from(high) << 16 | low);
        (0_u16..)
            .zip(drawn)
            .map(|(i, (high, system, adapter, lid, mask_bits))| Identifiers {
                guid: guid(high, 0x1000 + u64::from(i)),
                system_guid: system.map(|system| 0x3000 + system),
                adapter_guid: guid(adapter, 0x2000 + u64::from(i)),
                lids: lid.and_then(|lid| {
                    let block = 1 + i + 16 * (lid % 16);
                    LidRange::new(block << 7, mask_bits)
                }),
            })
            .collect()
    })
}

fn any_cable() -> impl Strategy<Value = Cable> {
    let length = (1..=100_000_000_u32)
        .prop_map(|millimetres| CableLength::from_metres(f64::from(millimetres) / 1_000.0));
    let length = prop_oneof![Just(None), length];
    let kinds = proptest::sample::select(PortKind::ALL.to_vec());
    (any_rate(), length, proptest::option::of(kinds)).prop_map(|(rate, length, port_kind)| Cable {
        rate,
        length,
        port_kind,
        ..Cable::UNKNOWN
    })
}

fn any_rate() -> impl Strategy<Value = Option<LinkRate>> {
    let widths = proptest::sample::select(vec![1_u8, 2, 4, 8, 12]);
    let speeds = proptest::sample::select(vec![
        LaneSpeed::Sdr,
        LaneSpeed::Ddr,
        LaneSpeed::Qdr,
        LaneSpeed::Fdr10,
        LaneSpeed::Fdr,
        LaneSpeed::Edr,
        LaneSpeed::Hdr,
        LaneSpeed::Ndr,
        LaneSpeed::Xdr,
    ]);
    let lanes = (widths, speeds).prop_map(|(width, speed)| Lanes { width, speed }.into());
    let plain = (1_u64..1_000_000_000_000)
        .prop_map(|kbit_per_s| LinkRate::Plain(PlainRate::from_kbit_per_s(kbit_per_s).unwrap()));
    proptest::option::of(prop_oneof![lanes, plain])
}
