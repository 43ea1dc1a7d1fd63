//! Cut-through hardware: presets in cycles and flits, packets, one clear error per mistake.

use std::num::NonZeroU32;
use weft_fabric::{
    Cable, Endpoint, Fabric, FabricBuilder, Host, HostId, Node, PortNumber, Switch, SwitchId,
};
use weft_model::hardware::{CutThroughHardware, CutThroughSetup, Hardware, PRESETS};
use weft_model::workload::program::{Acknowledged, MessagingParameters};
use weft_model::{
    AddressChoice, ChannelTiming, ChannelTimings, CutThroughModel, FlowControl, PacketFormat,
    Selection,
};
use weft_testing::refusals;

fn hardware(preset: &str, changes: &[(&str, &str)]) -> CutThroughHardware {
    let hardware = changes.iter().try_fold(
        Hardware::preset(preset).unwrap(),
        |hardware, (name, value)| hardware.with(name, value),
    );
    match hardware.unwrap() {
        Hardware::CutThrough(hardware) => hardware,
        Hardware::Wormhole(_) => unreachable!("{preset} is cut-through hardware"),
    }
}

#[test]
fn infiniband_1x_has_the_constants_of_the_paper() {
    let expected = CutThroughSetup {
        model: CutThroughModel {
            lanes: 15,
            control_lanes_from: 0,
            input_buffer_flits: 1024,
            output_buffer_flits: NonZeroU32::new(1024),
            crossbar_cycles_per_flit: 1,
            lookup_delay_cycles: 25,
            routing_delay_cycles: 0,
            flow_control: FlowControl::Credits,
            selection: Selection::Emptiest,
            addresses: AddressChoice::First,
            choice_delay_cycles: 0,
            packets: PacketFormat {
                flit_bytes: 1,
                overhead_flits: 0,
                least_flits: 1,
                most_payload_bytes: 1024,
            },
        },
        channels: ChannelTimings::Alike(ChannelTiming {
            cycles_per_flit: 1,
            flight_cycles: 25,
        }),
        cycle_ns: 4.0,
    };
    assert_eq!(
        hardware("infiniband_1x", &[]).cut_through().unwrap(),
        expected
    );
}

#[test]
fn headers_are_what_tells_the_second_infiniband_1x_from_the_first() {
    let plain = hardware("infiniband_1x", &[]).cut_through().unwrap();
    let mut headed = hardware("infiniband_1x_headers", &[])
        .cut_through()
        .unwrap();
    assert_eq!(headed.model.packets.overhead_flits, 8 + 12 + 4 + 2);
    headed.model.packets.overhead_flits = 0;
    assert_eq!(headed, plain);
}

#[test]
fn packets_of_messages_are_as_large_as_hardware_and_buffers_allow() {
    let largest = |preset, changes: &[_]| {
        Hardware::CutThrough(hardware(preset, changes))
            .messaging()
            .packet_bytes
    };
    assert_eq!(largest("infiniband_1x", &[]), 1024);
    // 1,024 bytes of buffer, less the headers; 256 flits of 4 bytes, less 7 of headers.
    assert_eq!(largest("infiniband_1x_headers", &[]), 1024 - 26);
    let words = [("flit_bytes", "4")];
    assert_eq!(largest("infiniband_1x_headers", &words), (256 - 7) * 4);
    let outputs = [("output_buffer_bytes", "512")];
    assert_eq!(largest("infiniband_1x_headers", &outputs), 512 - 26);
    assert_eq!(largest("infiniband_edr", &[]), 4096);
    let small = [("input_buffer_bytes", "2048")];
    assert_eq!(largest("infiniband_edr", &small), 2048 - 26);
    assert_eq!(largest("rhinet2", &[]), 1792);
    // Buffers that hold no payload at all are refused as what they are, by the packets of the MTU.
    let none = [("input_buffer_bytes", "20")];
    assert_eq!(largest("infiniband_edr", &none), 4096);
}

#[test]
fn rhinet2_counts_flits_of_eight_bytes() {
    let setup = hardware("rhinet2", &[]).cut_through().unwrap();
    // 8 bytes at 6 Gbit/s are 10.67 ns; 300 ns are 28 cycles, 950 ns 89.
    let expected = CutThroughModel {
        lanes: 16,
        control_lanes_from: 8,
        input_buffer_flits: 512,
        output_buffer_flits: None,
        crossbar_cycles_per_flit: 1,
        lookup_delay_cycles: 28,
        routing_delay_cycles: 0,
        flow_control: FlowControl::StopAndGo {
            stop_above_flits: 400,
            go_below_flits: 300,
            control_delay_cycles: 89,
        },
        selection: Selection::Emptiest,
        addresses: AddressChoice::First,
        choice_delay_cycles: 0,
        packets: PacketFormat {
            flit_bytes: 8,
            overhead_flits: 5,
            least_flits: 17,
            most_payload_bytes: 1792,
        },
    };
    assert_eq!(setup.model, expected);
    assert!((setup.cycle_ns - 32.0 / 3.0).abs() < 1e-12);
    assert_eq!(setup.model.data_lanes(), 8);
    // RHINET's packets: 17 flits at least, 229 at most, and one of 552 bytes in all.
    for (payload_bytes, flits) in [(0, 17), (96, 17), (97, 18), (512, 69), (1792, 229)] {
        assert_eq!(
            setup.model.check_packet(payload_bytes),
            Ok(flits),
            "{payload_bytes} bytes"
        );
    }
    // Headers and the least packet are whole flits, up to the next.
    let odd = [("overhead_bytes", "41"), ("least_packet_bytes", "57")];
    let odd = hardware("rhinet2", &odd)
        .cut_through()
        .unwrap()
        .model
        .packets;
    assert_eq!((odd.overhead_flits, odd.least_flits), (6, 8));
    // The other rule, and the nominal rate.
    let single = [
        ("stop_above_bytes", "0"),
        ("go_below_bytes", "8"),
        ("link_gbit_per_s", "8"),
    ];
    let setup = hardware("rhinet2", &single).cut_through().unwrap();
    assert!((setup.cycle_ns - 8.0).abs() < 1e-12);
    let FlowControl::StopAndGo {
        stop_above_flits,
        go_below_flits,
        ..
    } = setup.model.flow_control
    else {
        unreachable!("RHiNET-2 has stop & go")
    };
    assert_eq!((stop_above_flits, go_below_flits), (0, 1));
}

#[test]
fn the_presets_of_today_hold_their_largest_packets() {
    for (preset, byte_ns) in [
        ("infiniband_fdr", 8.0 / 54.54),
        ("infiniband_edr", 0.08),
        ("infiniband_hdr", 0.04),
        ("infiniband_ndr", 0.02),
    ] {
        let setup = hardware(preset, &[]).cut_through().unwrap();
        assert!((setup.cycle_ns - byte_ns).abs() < 1e-12, "{preset}");
        assert_eq!(setup.model.check_packet(4096), Ok(4096 + 26), "{preset}");
        assert!(setup.model.check_packet(4097).is_err(), "{preset}");
    }
}

/// Three hosts at a switch, on links of the rates given.
fn star(rates: [Option<&str>; 3]) -> Fabric {
    let mut builder = FabricBuilder::new("star");
    let switch = builder.add_switch(Switch::new("sw0", 8)).unwrap();
    for (port, rate) in (1..).zip(rates) {
        let host = builder.add_host(Host::new(format!("host{port}"))).unwrap();
        let ends = [
            (Node::Host(host), PortNumber::new(1)),
            (Node::Switch(switch), PortNumber::new(port)),
        ];
        let [first, second] = ends.map(|(node, port)| Endpoint { node, port });
        let rate = rate.map(|text| text.parse().unwrap());
        let cable = Cable {
            rate,
            ..Cable::UNKNOWN
        };
        builder.add_link(first, second, cable).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn links_have_the_rates_of_the_fabric_where_the_hardware_asks_it() {
    let fabric = star([Some("4xHDR"), Some("2xHDR"), None]);
    assert_eq!(fabric.host_switch(HostId::new(0)), SwitchId::new(0));
    let flits = |preset: &str| {
        let setup = hardware(preset, &[]).cut_through_on(&fabric).unwrap();
        let channels = fabric.host_ids().map(|host| fabric.injection_channel(host));
        let cycles = channels.map(|channel| setup.channels.of(channel).cycles_per_flit);
        (
            setup.cycle_ns,
            setup.model.crossbar_cycles_per_flit,
            cycles.collect::<Vec<_>>(),
        )
    };
    assert_eq!(flits("infiniband_hdr"), (0.04, 1, vec![1, 2, 1]));
    // The third link is as fast as the hardware's.
    assert_eq!(flits("infiniband_ndr"), (0.02, 1, vec![2, 4, 1]));
    assert_eq!(flits("infiniband_1x"), (4.0, 1, vec![1, 1, 1]));
}

#[test]
fn parameters_that_contradict_one_another_are_refused_by_name() {
    let tried = |preset, changes: &[(&str, &str)]| hardware(preset, changes).cut_through();
    refusals! {
        tried("rhinet2", &[("stop_above_bytes", "3400")]) =>
            "input_buffer_bytes, stop_above_bytes, control_delay_ns and cable_metres: input \
             buffers hold 512 flits; at the end of a channel with 3 cycles of flight and 1 for a \
             flit they need at least 520 to stop it in time";
        tried("rhinet2", &[("go_below_bytes", "3216")]) =>
            "go_below_bytes and stop_above_bytes: go below 402 and stop above 400 flits; expected \
             1 ≤ go ≤ stop + 1";
        tried("rhinet2", &[("input_buffer_bytes", "7")]) =>
            "input_buffer_bytes and flit_bytes: input buffers hold nothing; expected at least 1 \
             flit";
        tried("rhinet2", &[("lanes", "8")]) =>
            "lanes and control_lanes_from: lanes for control begin at lane 8, but channels have 8 \
             lanes; expected fewer";
    }
    let set = |name, value| Hardware::preset("infiniband_1x").unwrap().with(name, value);
    refusals! {
        set("lanes", "17") =>
            "found “17” for parameter lanes of hardware infiniband_1x, expected a whole number \
             from 1 to 16 lanes";
        set("overflow", "drop") =>
            "found “overflow”, which infiniband_1x does not have; expected other hardware, of \
             myrinet";
    }
    let setup = hardware("infiniband_1x", &[("mtu_bytes", "4096")])
        .cut_through()
        .unwrap();
    refusals! {
        setup.model.check_packet(2048) =>
            "a packet of 2048 bytes has 2048 flits, more than the 1024 an input buffer holds; \
             cut-through needs room for it whole: take smaller packets or larger buffers";
        setup.model.check_packet(5000) =>
            "a packet carries 5000 bytes; the hardware allows at most 4096";
    }
}

/// Host constants are set by name: none may be misspelt or out of range.
#[test]
fn presets_tell_what_their_hosts_are_like() {
    for preset in PRESETS {
        let hardware = Hardware::preset(preset.name).unwrap();
        let found = hardware.messaging();
        for constant in hardware.host_constants() {
            let mut copy = found;
            assert_eq!(copy.set(constant.name, constant.value), Ok(()));
            assert_eq!(copy, found, "{} of {}", constant.name, preset.name);
        }
    }
    let found = Hardware::preset("rhinet2").unwrap().messaging();
    assert_eq!(found.acknowledged, Acknowledged::Waited);
    assert_eq!((found.packet_bytes, found.pio_bytes), (1792, 96));
    let found = Hardware::preset("myrinet").unwrap().messaging();
    assert_eq!(found, MessagingParameters::default());
}
