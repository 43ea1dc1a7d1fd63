//! Hardware: the Myrinet preset in cycles, files, and one clear error per mistake.

use std::num::NonZeroU32;
use weft_fabric::{Fabric, HostId};
use weft_model::hardware::{Hardware, HardwareError, PRESETS, WormholeHardware};
use weft_model::{
    Arbitration, ChannelTiming, ChannelTimings, NicModel, Overflow, WormholeError, WormholeModel,
};
use weft_registry::{Kind, RegistryError, Value};
use weft_testing::by_hand::{self, alike};
use weft_testing::table;

fn myrinet() -> Hardware {
    Hardware::preset("myrinet").unwrap()
}

trait Wormhole {
    /// The model of hardware that must be wormhole hardware.
    fn wormhole(&self) -> Result<WormholeModel, HardwareError>;

    /// The same on a fabric.
    fn wormhole_on(&self, fabric: &Fabric) -> Result<(WormholeModel, f64), HardwareError>;
}

impl Wormhole for Hardware {
    fn wormhole(&self) -> Result<WormholeModel, HardwareError> {
        match self {
            Self::Wormhole(hardware) => hardware.wormhole(),
            Self::CutThrough(_) => unreachable!("{} is wormhole hardware", self.preset_name()),
        }
    }

    fn wormhole_on(&self, fabric: &Fabric) -> Result<(WormholeModel, f64), HardwareError> {
        match self {
            Self::Wormhole(hardware) => hardware.wormhole_on(fabric),
            Self::CutThrough(_) => unreachable!("{} is wormhole hardware", self.preset_name()),
        }
    }
}

/// Constants of Myrinet in flits and cycles, as the papers state them.
const MYRINET: WormholeModel = {
    let mut model = by_hand::MYRINET;
    model.retransmit_after_cycles = 16_000;
    model
};

#[test]
fn the_myrinet_preset_has_the_constants_of_the_papers() {
    assert_eq!(myrinet().wormhole().unwrap(), MYRINET);
    let rate = myrinet().link_rate_bytes_per_ns();
    assert!(
        (rate - 0.16).abs() < 1e-12,
        "160 MB/s are 0.16 bytes per ns, found {rate}"
    );
}

#[test]
fn every_parameter_is_read_and_written_under_its_own_name() {
    for preset in PRESETS {
        let hardware = Hardware::preset(preset.name).unwrap();
        assert_eq!(hardware.preset_name(), preset.name);
        let parameters = hardware.parameters();
        for (place, parameter) in parameters.iter().enumerate() {
            let spec = parameter.spec;
            let name = format!("{} of {}", spec.name, preset.name);
            assert!(!parameter.is_changed(), "{name}");
            assert!(
                spec.default
                    .is_some_and(|default| spec.kind.accepts(default)),
                "{name}"
            );
            assert!(
                !spec.summary.is_empty() && !spec.source.is_empty(),
                "{name}"
            );
            let other = match (parameter.value, spec.kind) {
                (Value::Number(number), _) if spec.name == "bit_error_rate" => {
                    Value::Number(number + 1e-5)
                }
                (Value::Number(number), _) => Value::Number(number + 1.5),
                (Value::Whole(16), _) if spec.name == "lanes" => Value::Whole(3),
                (Value::Whole(count), _) => Value::Whole(count + 1),
                (Value::Word(word), Kind::Choice(words)) => {
                    let other = words.iter().rfind(|&&other| other != word);
                    Value::Word(other.unwrap())
                }
                (Value::Word(_), _) => unreachable!("{name} is a choice"),
            };
            let changed = hardware
                .clone()
                .with(spec.name, &other.to_string())
                .unwrap();
            for (there, found) in changed.parameters().iter().enumerate() {
                let expected = if there == place {
                    other
                } else {
                    parameters[there].value
                };
                assert_eq!(found.value, expected, "{} after {name}", found.spec.name);
            }
            let read = Hardware::from_toml(&changed.to_toml(), "written").unwrap();
            assert_eq!(read, changed, "{name}");
        }
    }
}

#[test]
fn times_become_the_nearest_cycle_and_flight_is_rounded_up() {
    let cycles = |name: &str, value: &str| myrinet().with(name, value).unwrap().wormhole().unwrap();
    for (routing_delay_ns, expected) in [
        ("0", 0),
        ("3.1", 0),
        ("3.125", 1),
        ("149", 24),
        ("153", 24),
        ("154", 25),
    ] {
        let found = cycles("routing_delay_ns", routing_delay_ns).routing_delay_cycles;
        assert_eq!(found, expected, "routing delay of {routing_delay_ns} ns");
    }
    // 1.25 m at 5 ns/m is one cycle to the last bit.
    let metre = myrinet().with("propagation_ns_per_metre", "5").unwrap();
    for (cable_metres, expected) in [("0.01", 1), ("1.25", 1), ("1.26", 2), ("8.75", 7)] {
        let found = metre
            .clone()
            .with("cable_metres", cable_metres)
            .unwrap()
            .wormhole()
            .unwrap();
        assert_eq!(found.channels, alike(expected), "{cable_metres} m");
    }
    // Recognition and DMA are rounded together: 3 ns + 3 ns is one cycle.
    let both = myrinet().with("in_transit_recognition_ns", "3").unwrap();
    let both = both
        .with("in_transit_dma_ns", "3")
        .unwrap()
        .wormhole()
        .unwrap();
    let expected = NicModel::Delays {
        in_transit_cycles: 1,
    };
    assert_eq!(both.nic, expected);
}

/// 7.5 ns a byte are 7,680 ns for 1,024 bytes: 1,228.8 cycles of 6.25 ns.
#[test]
fn firmware_counts_transfers_by_1024_bytes() {
    let firmware = myrinet().with("nic", "firmware").unwrap();
    let NicModel::Firmware(firmware) = firmware.wormhole().unwrap().nic else {
        panic!("a NIC with firmware");
    };
    assert_eq!(firmware.transfer_cycles_per_kib, 1229);
    // 62.5 ns and 18.75 ns are rounded together.
    assert_eq!(firmware.dispatch_cycles, 13);
}

#[test]
fn what_becomes_of_packets_that_find_no_room_wait_too_long_or_are_damaged() {
    let changes = [
        ("overflow", "drop"),
        ("retransmit_after_ns", "625"),
        ("timeout_ns", "2.5e7"),
        ("bit_error_rate", "1e-9"),
    ];
    let lossy = changes
        .iter()
        .try_fold(myrinet(), |hardware, (name, value)| {
            hardware.with(name, value)
        });
    let expected = WormholeModel {
        overflow: Overflow::Drop,
        retransmit_after_cycles: 100,
        timeout_cycles: NonZeroU32::new(4_000_000),
        bit_error_rate: 1e-9,
        ..MYRINET
    };
    assert_eq!(lossy.unwrap().wormhole().unwrap(), expected);
    // A timeout is never rounded to none.
    let short = myrinet().with("timeout_ns", "0.1").unwrap();
    let cycles = short.wormhole().unwrap().timeout_cycles;
    assert_eq!(cycles, NonZeroU32::new(1));
}

#[test]
fn damage_follows_the_probability_and_depends_on_the_attempt() {
    // 100 flits over channels, 800 bits: 1 − (1 − 1e-3)^800 = 0.5508.
    let model = WormholeModel {
        bit_error_rate: 1e-3,
        ..MYRINET
    };
    let damaged = |seed, injection_cycle| {
        let attempts = 0..10_000_u64;
        attempts
            .filter(|&sequence| {
                model.is_damaged(seed, (HostId::new(3), sequence, injection_cycle), 100)
            })
            .collect::<Vec<_>>()
    };
    let first = damaged(1, 0);
    // Five standard deviations of 49.7.
    assert!((5_259..=5_757).contains(&first.len()), "{}", first.len());
    assert_eq!(first, damaged(1, 0));
    assert_ne!(first, damaged(1, 1));
    assert_ne!(first, damaged(2, 0));
    assert!(!MYRINET.is_damaged(1, (HostId::new(3), 0, 0), u64::MAX));
}

#[test]
fn a_file_starts_from_a_preset_and_changes_fields() {
    let text =
        "preset = \"myrinet\"\n\nrouting_delay_ns = 0x64 # hexadecimal\nbuffer_bytes = 1_000\n";
    let read = Hardware::from_toml(text, "lab.toml")
        .unwrap()
        .wormhole()
        .unwrap();
    let expected = WormholeModel {
        routing_delay_cycles: 16,
        buffer_flits: 1000,
        ..MYRINET
    };
    assert_eq!(read, expected);
    assert_eq!(Hardware::from_toml("", "empty.toml").unwrap(), myrinet());
}

#[track_caller]
fn refused(text: &str) -> String {
    Hardware::from_toml(text, "lab.toml")
        .unwrap_err()
        .to_string()
}

#[test]
fn a_mistake_in_a_file_is_named_with_its_line_and_column() {
    let cases = table(
        r#"
        preset = "myrinet"\nrouting_dealy_ns = 150\n
            lab.toml:2:1: found parameter “routing_dealy_ns” for hardware myrinet, expected one of
            its 37; did you mean “routing_delay_ns”?
        xyzzy = 1\n
            lab.toml:1:1: found parameter “xyzzy” for hardware myrinet, expected one of its 37
        cycle_ns = 5\nlanes = 4\n
            lab.toml:2:1: found “lanes”, which myrinet does not have; expected other hardware, of
            infiniband_1x, infiniband_1x_headers, rhinet2, infiniband_fdr, infiniband_edr,
            infiniband_hdr, infiniband_ndr
        # ä\npreset = "myrinett"\n
            lab.toml:2:10: found hardware preset “myrinett”, expected one of myrinet, infiniband_1x,
            infiniband_1x_headers, rhinet2, infiniband_fdr, infiniband_edr, infiniband_hdr, infiniband_ndr; did you mean
            “myrinet”?
        preset = 7\n
            lab.toml:1:10: found “7” for parameter preset of a hardware file, expected the name of a
            preset, such as "myrinet"
        buffer_bytes = 80.5\n
            lab.toml:1:16: found “80.5” for parameter buffer_bytes of hardware myrinet, expected a
            whole number from 1 to 1073741824 bytes
        cycle_ns = 6.25\n  cable_metres = -10\n
            lab.toml:2:18: found “-10” for parameter cable_metres of hardware myrinet, expected a
            number from 0.001 to 100000 m
        routing_delay_ns = nan\n
            lab.toml:1:20: found “nan” for parameter routing_delay_ns of hardware myrinet, expected
            a number from 0 to 1000000000 ns
        overflow = "spill"\n
            lab.toml:1:12: found “spill” for parameter overflow of hardware myrinet, expected one of
            host_memory, drop
        arbitration = "waiting"\n
            lab.toml:1:15: found “waiting” for parameter arbitration of hardware myrinet, expected
            one of POLICIES; did you mean “waiting_time”?
        crc_bytes = "1"\n
            lab.toml:1:13: found “"1"” for parameter crc_bytes of hardware myrinet, expected a whole
            number from 0 to 65536 bytes
        go_below_bytes = [40]\n
            lab.toml:1:18: found “a value of type array” for parameter go_below_bytes of hardware
            myrinet, expected a whole number from 1 to 1073741824 bytes
    "#,
    );
    for [text, expected] in cases {
        assert_eq!(refused(&text), with_what_is_listed(&expected));
    }
    for broken in [
        "buffer_bytes = \n",
        "buffer_bytes = 1\nbuffer_bytes = 2\n",
        "\u{0}",
    ] {
        let message = refused(broken);
        assert!(message.starts_with("lab.toml:"), "{message}");
        assert!(message.contains("expected lines such as"), "{message}");
    }
}

/// A message with the policies there are, and the number of parameters.
fn with_what_is_listed(expected: &str) -> String {
    let count = myrinet().parameters().len();
    expected
        .replace("POLICIES", &Arbitration::NAMES.join(", "))
        .replace("COUNT", &count.to_string())
}

#[test]
fn a_mistake_in_a_single_value_is_named_with_its_field() {
    let refused = |name: &str, value: &str| myrinet().with(name, value).unwrap_err().to_string();
    for [name, value, expected] in table(
        r"
        stop_above => 1
            found parameter “stop_above” for hardware myrinet, expected one of its COUNT; did you mean
            “stop_above_bytes”?
        local_equal_at_packets => 0
            found “0” for parameter local_equal_at_packets of hardware myrinet, expected a whole
            number from 1 to 1073741824 packets
        arbitration => roundrobin
            found “roundrobin” for parameter arbitration of hardware myrinet, expected one of
            POLICIES; did you mean “round_robin”?
        timeout_ns => -1
            found “-1” for parameter timeout_ns of hardware myrinet, expected a number from 0 to
            1000000000 ns
        bit_error_rate => 1
            found “1” for parameter bit_error_rate of hardware myrinet, expected a number from 0 to
            0.1 per bit
        cycle_ns => fast
            found “fast” for parameter cycle_ns of hardware myrinet, expected a number from 0.01 to
            1000000 ns
    ",
    ) {
        assert_eq!(refused(&name, &value), with_what_is_listed(&expected));
    }
}

#[test]
fn parameters_that_contradict_one_another_are_refused() {
    let model = |changes: &[(&str, &str)]| {
        let change = |hardware: Hardware, &(name, value): &(&str, &str)| hardware.with(name, value);
        changes
            .iter()
            .try_fold(myrinet(), change)
            .unwrap()
            .wormhole()
            .map_err(|e| e.to_string())
    };
    // Worst occupancy of Myrinet: stop above 56, two flights of 8 cycles.
    assert!(model(&[("buffer_bytes", "72")]).is_ok());
    let message = model(&[("buffer_bytes", "71")]).unwrap_err();
    assert!(
        message.starts_with("buffer_bytes, stop_above_bytes and cable_metres: "),
        "{message}"
    );
    assert!(message.ends_with("needs at least 72"), "{message}");
    let message = model(&[("go_below_bytes", "57")]).unwrap_err();
    assert!(
        message.starts_with("go_below_bytes and stop_above_bytes: "),
        "{message}"
    );
    let message = model(&[("type_bytes", "0"), ("crc_bytes", "0")]).unwrap_err();
    assert!(
        message.starts_with("type_bytes and crc_bytes: "),
        "{message}"
    );
    let message = model(&[("cycle_ns", "0.01"), ("retransmit_after_ns", "1e9")]);
    assert!(
        message.is_err(),
        "a cable of thousands of cycles needs a larger buffer"
    );
    let slow = [
        ("cycle_ns", "0.01"),
        ("buffer_bytes", "20000"),
        ("overflow", "drop"),
    ];
    let message = model(&[&slow[..], &[("retransmit_after_ns", "1e9")]].concat()).unwrap_err();
    assert!(message.starts_with("cycle_ns and a time: "), "{message}");
}

#[test]
fn a_field_set_out_of_range_is_refused_with_its_name() {
    let Hardware::Wormhole(myrinet) = myrinet() else {
        unreachable!("Myrinet is wormhole hardware")
    };
    let broken = WormholeHardware {
        cycle_ns: f64::NAN,
        ..myrinet
    };
    let error = broken.wormhole().unwrap_err();
    assert!(
        matches!(
            &error,
            HardwareError::Parameter { source, .. }
                if matches!(**source, RegistryError::InvalidValue { parameter: "cycle_ns", .. })
        ),
        "{error}"
    );
}

#[test]
fn the_model_refuses_numbers_beyond_all_hardware() {
    let model = WormholeModel {
        pool_flits: u32::MAX,
        ..MYRINET
    };
    assert!(matches!(model.check(), Err(WormholeError::TooLarge { .. })));
    let model = WormholeModel {
        channels: alike(0),
        ..MYRINET
    };
    let expected = WormholeError::NoTime {
        what: "along",
        found: 0,
    };
    assert_eq!(model.check(), Err(expected));
    assert_eq!(MYRINET.check(), Ok(()));
}

#[test]
fn a_packet_has_a_flit_per_switch_and_stop_and_its_body() {
    // Four switches traversed with one stop on the way, 512 bytes: 4 + 1 + 2 + 512 + 1.
    assert_eq!(MYRINET.packet_flits(4, 1, 512), 520);
}

#[test]
fn a_link_that_needs_a_larger_buffer_is_named() {
    let fabric = |json: &str| {
        let text = format!(
            r#"{{"format": "weft-fabric", "version": 1, "switches": [{{"name": "a", "ports": 2}},
            {{"name": "b", "ports": 2}}], "hosts": [], "links": [{json}]}}"#
        );
        weft_fabric::formats::read(text.as_bytes(), "file")
            .unwrap()
            .fabric
    };
    let links = |more: &str| {
        fabric(&format!(
            r#"{{"ends": [["a", 1], ["b", 1]]}}, {{"ends": [["a", 2], ["b", 2]], {more}}}"#
        ))
    };
    let (model, cycle_ns) = myrinet().wormhole_on(&links(r#""metres": 10"#)).unwrap();
    assert_eq!(model, MYRINET);
    assert!((cycle_ns - 6.25).abs() < 1e-12);
    // 30 m are 147.6 ns, 24 cycles: 56 + 1 + 47 flits.
    let error = myrinet()
        .wormhole_on(&links(r#""metres": 30"#))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "buffer_bytes, stop_above_bytes and cable_metres: the buffer holds 80 flits; stop above 56 \
         with 24 cycles each way on link a[2] – b[2] needs at least 104"
    );
    // At half the rate a round trip of 49 cycles brings 24 flits: 81.
    let slow = links(r#""metres": 30, "rate": "0.64 Gbit/s""#);
    let error = myrinet().wormhole_on(&slow).unwrap_err().to_string();
    assert!(
        error.ends_with("on link a[2] – b[2] needs at least 81"),
        "{error}"
    );
    let larger = myrinet().with("buffer_bytes", "81").unwrap();
    let (model, _) = larger.wormhole_on(&slow).unwrap();
    assert_eq!(
        model.channels,
        ChannelTimings::ByLink(vec![
            ChannelTiming {
                cycles_per_flit: 1,
                flight_cycles: 8
            },
            ChannelTiming {
                cycles_per_flit: 2,
                flight_cycles: 24
            },
        ])
    );
    // LAN ports: 2 · 50 ns more, 16 cycles.
    let lan = myrinet().with("lan_port_delay_ns", "50").unwrap();
    let error = lan
        .wormhole_on(&links(r#""port_kind": "lan""#))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("with 24 cycles each way on link a[2] – b[2]"),
        "{error}"
    );
}
