use crate::asked::{ask, ring, row};
use serde_json::{Value, json};

fn state(routing: &str) -> Value {
    json!({"routing": routing, "hardware": "infiniband_hdr", "pattern": "shift:by=1"})
}

/// When the flits of a packet leave over a channel.
fn stretches(hop: &Value) -> Vec<[u64; 2]> {
    let found: Vec<[u64; 2]> = serde_json::from_value(hop["stretches"].clone()).expect("cycles");
    assert!(found.iter().all(|[from, until]| from < until), "{found:?}");
    found
}

#[test]
fn packets_move_from_host_to_host_over_the_cables_between() {
    let asked = json!({"load": 0.3, "cycles": 20_000, "seed": 7});
    let answer = ask(&row(), "run", &state("updown"), asked);
    assert_eq!(
        (&answer["whole"], &answer["cycles"]),
        (&json!(true), &json!(20_000))
    );
    assert_eq!(answer["waiting"], json!(null));
    assert!(answer["unit_ns"].as_f64() > Some(0.0));
    let packets = answer["packets"].as_array().expect("packets");
    assert!(packets.len() > 10, "{}", packets.len());
    let mut of_carla = 0;
    for packet in packets
        .iter()
        .filter(|packet| !packet["delivered"].is_null())
    {
        let hops = packet["hops"].as_array().expect("hops");
        let first = &hops[0];
        assert_eq!(
            (&first["host"], &first["forward"]),
            (&packet["source"], &json!(true))
        );
        let last = &hops[hops.len() - 1];
        assert_eq!(
            (&last["host"], &last["forward"]),
            (&packet["destination"], &json!(false))
        );
        let times = ["generated", "delivered"].map(|name| packet[name].as_u64());
        assert!(times[0] <= Some(stretches(first)[0][0]));
        assert!(Some(stretches(last)[0][0]) < times[1]);
        for hop in hops {
            assert_eq!(stretches(hop).len(), 1, "credits keep whole packets back");
            assert_eq!(hop["lane"], 0);
        }
        if packet["source"] == 2 {
            // From the right to the left, back over both cables.
            let cables: Vec<_> = hops
                .iter()
                .map(|hop| (&hop["cable"], &hop["forward"]))
                .collect();
            assert_eq!(
                cables[1..3],
                [(&json!(1), &json!(false)), (&json!(0), &json!(false))]
            );
            of_carla += 1;
        }
    }
    assert!(of_carla > 0);
    let generated: Vec<_> = packets
        .iter()
        .map(|packet| packet["generated"].as_u64())
        .collect();
    assert!(generated.is_sorted());
}

#[test]
fn packets_that_wait_for_one_another_are_told() {
    // Two switches on in the same sense from every host: min_hop fills the ring.
    let explorer = ring(5);
    let mut state = state("min_hop");
    state["pattern"] = json!("shift:by=2");
    let answer = ask(
        &explorer,
        "run",
        &state,
        json!({"load": 1, "cycles": 200_000}),
    );
    let waiting = answer["waiting"].as_array().expect("a deadlock").clone();
    assert_eq!(waiting.len(), 5, "{waiting:?}");
    for packet in &waiting {
        assert!(packet["cable"].is_u64());
        assert_ne!(packet["source"], packet["destination"]);
    }
}

#[test]
fn too_many_motions_end_a_run() {
    let asked = json!({"load": 1, "cycles": 1_000_000});
    let answer = ask(&ring(8), "run", &state("best:lanes=2"), asked);
    let cycles = answer["cycles"].as_u64().expect("cycles");
    assert_eq!(answer["whole"], json!(cycles == 1_000_000));
    let packets = answer["packets"].as_array().expect("packets");
    let motions: usize = packets
        .iter()
        .filter_map(|one| one["hops"].as_array())
        .map(Vec::len)
        .sum();
    assert!(motions < 210_000, "{motions}");
}

#[test]
fn packets_that_are_stopped_cross_in_stretches_apart() {
    for preset in ["myrinet", "rhinet2"] {
        let state =
            json!({"routing": "updown", "hardware": preset, "pattern": "hotspot:share=100"});
        let asked = json!({"load": 0.9, "cycles": 50_000, "seed": 3});
        let answer = ask(&row(), "run", &state, asked);
        let packets = answer["packets"].as_array().expect("packets");
        let hops = packets
            .iter()
            .filter_map(|packet| packet["hops"].as_array());
        let several: Vec<_> = hops
            .flatten()
            .map(stretches)
            .filter(|found| found.len() > 1)
            .collect();
        assert!(several.len() > 10, "{preset}: {}", several.len());
        for found in several {
            assert!(
                found.windows(2).all(|pair| pair[0][1] < pair[1][0]),
                "{preset}: {found:?}"
            );
        }
    }
}
