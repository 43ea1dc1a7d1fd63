//! Packets of control on lanes of their own.

use super::{MODEL, TIMINGS, tables};
use weft_fabric::HostId;
use weft_model::CutThroughModel;
use weft_model::workload::{Packet, PacketList, Workload};
use weft_oracle::{CutThroughOracle, OracleError};
use weft_testing::by_hand::{fabric, times};

use weft_routing::Lane;

/// Host 0 sends ten flits of data to host 1, and five of control.
fn sent() -> Workload {
    let packet = |payload_bytes, is_control| {
        let packet = Packet {
            generation_cycle: 0,
            destination: HostId::new(1),
            payload_bytes,
            is_control,
            is_urgent: false,
            queue_pair: 0,
        };
        (HostId::new(0), packet)
    };
    let packets = [packet(10, false), packet(10, false), packet(5, true)];
    Workload::Listed(PacketList::new(2, &packets).unwrap())
}

#[test]
fn control_takes_its_turn_beside_the_data_of_its_pair() {
    let fabric = fabric(&[0, 1], &[[0, 1]]);
    let routes = tables(&fabric, |_, _| 0).into();
    let run = |control_lanes_from| {
        let model = CutThroughModel {
            control_lanes_from,
            ..MODEL
        };
        let workload = sent();
        let mut oracle =
            CutThroughOracle::new(&fabric, &routes, &model, &TIMINGS, &workload).unwrap();
        let mut delivered = Vec::new();
        oracle.advance(1_000, &mut delivered);
        let used = |lane| {
            let lanes = fabric.channel_ids();
            lanes
                .map(|channel| oracle.lane_use(channel, Lane::new(lane)).busy_cycles)
                .sum::<u64>()
        };
        delivered.sort();
        let injections: Vec<u64> = times(&delivered).iter().map(|t| t.2).collect();
        (injections, used(0), used(1))
    };
    // Three channels. Without lanes of its own it waits for both packets of data, with one for the first.
    assert_eq!(run(0), (vec![0, 10, 20], 75, 0));
    assert_eq!(run(1), (vec![0, 15, 10], 60, 15));
}

#[test]
fn routes_may_not_use_lanes_of_control() {
    let fabric = fabric(&[0, 1], &[[0, 1]]);
    let routes = tables(&fabric, |from, _| u8::from(from == 1)).into();
    let model = CutThroughModel {
        control_lanes_from: 1,
        ..MODEL
    };
    let workload = sent();
    let refused = CutThroughOracle::new(&fabric, &routes, &model, &TIMINGS, &workload);
    let expected = OracleError::Lanes { found: 2, lanes: 1 };
    assert_eq!(refused.unwrap_err(), expected);
}
