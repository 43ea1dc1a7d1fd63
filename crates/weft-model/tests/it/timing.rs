//! The clock of a fabric and the timings of its channels, worked out by hand.

use weft_fabric::{
    Cable, CableLength, Fabric, FabricBuilder, LinkRate, Node, PlainRate, PortKind, Switch,
};
use weft_model::{
    ChannelTiming, ChannelTimings, ClockError, LinkDefaults, MAX_RATE_ERROR, PortDelays,
};

/// Myrinet of the papers: a byte per 6.25 ns, 10 m of 4.92 ns each.
const MYRINET: LinkDefaults = LinkDefaults {
    flit_bits: 8.0,
    gbit_per_s: 1.28,
    uses_lanes: false,
    metres: 10.0,
    ns_per_metre: 4.92,
    port_ns: PortDelays { san: 0.0, lan: 0.0 },
};

/// Two switches joined by these cables.
fn pair(cables: &[Cable]) -> Fabric {
    let mut builder = FabricBuilder::new("pair");
    let [a, b] =
        ["a", "b"].map(|name| Node::Switch(builder.add_switch(Switch::new(name, 254)).unwrap()));
    for (port, &cable) in (1..).zip(cables) {
        let end = |node: Node| node.at(port);
        builder.add_link(end(a), end(b), cable).unwrap();
    }
    builder.build().unwrap()
}

fn rate(text: &str) -> Cable {
    Cable::from(Some(text.parse::<LinkRate>().unwrap()))
}

fn metres(metres: f64) -> Cable {
    Cable {
        length: CableLength::from_metres(metres),
        ..Cable::UNKNOWN
    }
}

fn timing(cycles_per_flit: u32, flight_cycles: u32) -> ChannelTiming {
    ChannelTiming {
        cycles_per_flit,
        flight_cycles,
    }
}

/// Length of a cycle, and cycles per flit and of flight by link.
fn clock(defaults: LinkDefaults, cables: &[Cable]) -> (f64, Vec<(u32, u32)>) {
    let fabric = pair(cables);
    let clock = defaults.clock_of(&fabric).unwrap();
    assert!(clock.channels.fits(fabric.link_count()));
    let pairs = fabric.link_ids().map(|link| {
        let of = fabric
            .channel_ids()
            .filter(|channel| channel.link() == link);
        let timings: Vec<_> = of.map(|channel| clock.channels.of(channel)).collect();
        assert_eq!(timings[0], timings[1]);
        (timings[0].cycles_per_flit, timings[0].flight_cycles)
    });
    (clock.cycle_ns, pairs.collect())
}

#[test]
fn a_fabric_that_says_nothing_has_the_hardwares_clock() {
    let clock = MYRINET.clock_of(&pair(&[Cable::UNKNOWN; 2])).unwrap();
    assert_eq!(clock, MYRINET.clock());
    assert_eq!(clock.channels, ChannelTimings::Alike(timing(1, 8)));
    assert!((clock.cycle_ns - 6.25).abs() < 1e-12);
}

#[test]
fn the_fastest_link_makes_the_clock() {
    // 0.64 Gbit/s is half of what a link of which nothing is known carries.
    let (cycle_ns, found) = clock(MYRINET, &[rate("0.64 Gbit/s"), Cable::UNKNOWN]);
    assert!((cycle_ns - 6.25).abs() < 1e-12);
    assert_eq!(found, [(2, 8), (1, 8)]);
    // With a link of 2.56 Gbit/s a cycle is 3.125 ns, and 49.2 ns are 15.7 of them.
    let found = clock(
        MYRINET,
        &[rate("2.56 Gbit/s"), Cable::UNKNOWN, rate("0.64 Gbit/s")],
    );
    assert!((found.0 - 3.125).abs() < 1e-12);
    assert_eq!(found.1, [(1, 16), (2, 16), (4, 16)]);
    // A fabric of slow links only is as simple as one of fast ones.
    let slow = MYRINET.clock_of(&pair(&[rate("0.64 Gbit/s"); 2])).unwrap();
    assert_eq!(slow.channels, ChannelTimings::Alike(timing(1, 4)));
    assert!((slow.cycle_ns - 12.5).abs() < 1e-12);
}

#[test]
fn lengths_and_ports_make_the_flight() {
    let lan = Cable {
        port_kind: Some(PortKind::Lan),
        ..metres(25.0)
    };
    let san = Cable {
        port_kind: Some(PortKind::San),
        ..metres(3.0)
    };
    let defaults = LinkDefaults {
        port_ns: PortDelays {
            san: 5.0,
            lan: 50.0,
        },
        ..MYRINET
    };
    // 25 m take 123 ns and two ports 100 ns: 35.7 cycles. 3 m: 14.76 + 10 ns, 3.96 cycles.
    let found = clock(defaults, &[lan, san, metres(0.001), Cable::UNKNOWN]);
    assert_eq!(found.1, [(1, 36), (1, 4), (1, 1), (1, 8)]);
}

#[test]
fn rates_in_infinibands_words_count_where_the_hardware_is_such() {
    let cables = [rate("4xEDR"), rate("4xHDR"), rate("50 Gbit/s")];
    let infiniband = LinkDefaults {
        uses_lanes: true,
        ..MYRINET
    };
    let (cycle_ns, found) = clock(infiniband, &cables);
    assert!((cycle_ns - 0.04).abs() < 1e-12);
    assert_eq!(
        found.iter().map(|timing| timing.0).collect::<Vec<_>>(),
        [2, 1, 4]
    );
    let (cycle_ns, found) = clock(MYRINET, &cables[..2]);
    assert!((cycle_ns - 6.25).abs() < 1e-12);
    assert_eq!(found, [(1, 8), (1, 8)]);
}

#[test]
fn rates_that_are_no_whole_fractions_get_a_finer_clock() {
    let infiniband = LinkDefaults {
        uses_lanes: true,
        ..MYRINET
    };
    // 100 : 54.56 is 1.8328; with six cycles for the faster link's flit, 10.997.
    let (cycle_ns, found) = clock(infiniband, &[rate("4xFDR"), rate("4xEDR")]);
    assert!((cycle_ns - 0.08 / 6.0).abs() < 1e-12);
    assert_eq!(
        found.iter().map(|timing| timing.0).collect::<Vec<_>>(),
        [11, 6]
    );
    // 1.5 needs two.
    let (_, found) = clock(MYRINET, &[rate("3 Gbit/s"), rate("2 Gbit/s")]);
    assert_eq!(
        found.iter().map(|timing| timing.0).collect::<Vec<_>>(),
        [2, 3]
    );
}

#[test]
fn links_that_no_clock_suits_are_named() {
    let rates: Vec<Cable> = (1000..1040)
        .map(|rate| Cable::from(PlainRate::from_kbit_per_s(rate * 1_000).map(LinkRate::Plain)))
        .collect();
    let error = MYRINET.clock_of(&pair(&rates)).unwrap_err();
    assert!(matches!(error, ClockError::Rates { .. }), "{error}");
    assert!(error.to_string().starts_with("link a["), "{error}");
    let error = MYRINET
        .clock_of(&pair(&[rate("0.000001 Gbit/s"), rate("999999 Gbit/s")]))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "link a[1] – b[1] takes 999999000000 cycles for a flit; expected at most 1073741824"
    );
}

#[test]
fn a_flit_arrives_when_it_is_there_as_a_whole() {
    assert_eq!(timing(1, 8).latency_cycles(), 8);
    assert_eq!(timing(4, 8).latency_cycles(), 11);
}

/// Every rate is counted to within the error promised, or the fabric is refused.
#[test]
fn rates_are_counted_to_within_one_per_cent() {
    let mut state = 1_u64;
    let mut next = |range: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % range
    };
    let mut counted = 0;
    for _ in 0..200 {
        let kbit: Vec<u64> = (0..=next(4)).map(|_| 100_000 + next(4_900_000)).collect();
        let rates = kbit.iter().map(|&kbit| PlainRate::from_kbit_per_s(kbit));
        let cables: Vec<Cable> = rates
            .map(|rate| Cable::from(rate.map(LinkRate::Plain)))
            .collect();
        let fabric = pair(&cables);
        let Ok(clock) = MYRINET.clock_of(&fabric) else {
            continue;
        };
        for (link, &kbit) in fabric.link_ids().zip(&kbit) {
            let channel = fabric
                .channel_ids()
                .find(|channel| channel.link() == link)
                .unwrap();
            let flit_ns = f64::from(clock.channels.of(channel).cycles_per_flit) * clock.cycle_ns;
            let exact_ns = 8e6 / kbit as f64;
            assert!(
                (flit_ns / exact_ns - 1.0).abs() <= MAX_RATE_ERROR * 1.02,
                "{kbit:?}"
            );
        }
        counted += 1;
    }
    assert!(counted >= 100, "{counted}");
}
