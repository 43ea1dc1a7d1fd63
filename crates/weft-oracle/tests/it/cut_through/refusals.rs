//! What cannot be simulated is refused, with the reason.

use super::{MODEL, TIMINGS, tables};
use std::num::NonZeroU32;
use weft_model::{ChannelTimings, CutThroughError, CutThroughModel, FlowControl};
use weft_oracle::{CutThroughOracle, OracleError};
use weft_testing::by_hand::{fabric, workload};

#[test]
fn packets_lanes_and_timings_that_do_not_fit_are_refused() {
    let fabric = fabric(&[0, 0], &[]);
    let routes = tables(&fabric, |_, _| 2).into();
    let refused = |model: &CutThroughModel, timings: &ChannelTimings, bytes| {
        let workload = workload(&fabric, &[(0, 1, 0, bytes)]);
        CutThroughOracle::new(&fabric, &routes, model, timings, &workload).unwrap_err()
    };
    let lanes = OracleError::Lanes { found: 3, lanes: 2 };
    assert_eq!(refused(&MODEL, &TIMINGS, 1), lanes);
    let too_large = |buffer| {
        OracleError::Model(CutThroughError::PacketTooLarge {
            payload_bytes: 101,
            flits: 101,
            buffer,
            held: 100,
        })
    };
    let wide_input = CutThroughModel {
        input_buffer_flits: 101,
        ..MODEL
    };
    let wide_output = CutThroughModel {
        output_buffer_flits: NonZeroU32::new(101),
        ..MODEL
    };
    assert_eq!(refused(&wide_input, &TIMINGS, 101), too_large("output"));
    assert_eq!(refused(&wide_output, &TIMINGS, 101), too_large("input"));
    let payload = OracleError::Model(CutThroughError::PayloadTooLarge {
        found: 5000,
        maximum: 4096,
    });
    assert_eq!(refused(&MODEL, &TIMINGS, 5000), payload);
    let other = ChannelTimings::ByLink(Vec::new());
    assert_eq!(refused(&MODEL, &other, 1), OracleError::Timings);
    let stop = CutThroughModel {
        flow_control: FlowControl::StopAndGo {
            stop_above_flits: 87,
            go_below_flits: 80,
            control_delay_cycles: 0,
        },
        ..MODEL
    };
    let small = OracleError::Model(CutThroughError::BufferTooSmall {
        found: 100,
        minimum: 101,
        flight: 7,
        cycles_per_flit: 1,
    });
    assert_eq!(refused(&stop, &TIMINGS, 1), small);
}
