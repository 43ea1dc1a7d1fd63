//! Tables by destination alone: those that prefer ways down are free of deadlock, the
//! shortcut of `OpenSM`'s `updn` is not, and the proof tells them apart.

use super::proved::proved;
use weft_fabric::metrics::distances_from;
use weft_fabric::{Fabric, SwitchId};
use weft_proof::{DependencyCycle, Verdict, verify};
use weft_routing::Orientation;
use weft_testing::{irregular_of, route_spec};

/// The switch nearest to all others.
fn central(fabric: &Fabric) -> SwitchId {
    let sum = |switch: &SwitchId| -> u32 { distances_from(fabric, *switch).iter().sum() };
    fabric.switch_ids().min_by_key(sum).unwrap()
}

/// On 1,000 networks of degree 4. The shortcut remembers of a switch the direction of one port and passes on the
/// least count of all ports. Computed independently, of 20 networks each: cycles by the shortcut
/// on 1 of 16 switches, 6 of 32, 13 of 64; by `OpenSM` itself, of 10 each, on 0, 4, 6.
#[test]
fn tables_that_prefer_ways_down_never_deadlock_where_the_shortcut_does() {
    for (switches, networks, expected) in [(16, 334, 2..15), (32, 333, 20..45), (64, 333, 30..70)] {
        let mut cyclic = 0;
        for seed in 0..networks {
            let fabric = irregular_of(switches, seed);
            let orientation = ["breadth_first", "depth_first"][usize::from(seed % 2 == 1)];
            let spec = format!("down_preferred:orientation={orientation},per=switch,seed={seed}");
            proved(&fabric, &spec);

            let orientation = Orientation::from_root(&fabric, central(&fabric));
            let shortcut = route_spec(&fabric, "updn:root=min_average").unwrap();
            match verify(&fabric, &shortcut.routes).unwrap().verdict {
                Verdict::Deadlock(cycle) => {
                    cyclic += 1;
                    assert!(turns_up(&fabric, &orientation, &cycle));
                }
                Verdict::DeadlockFree(_) => {}
                other => panic!("{switches}, {seed}: {}", other.word()),
            }
        }
        let percent = 100 * cyclic / networks;
        assert!(
            expected.contains(&percent),
            "{switches} switches: {percent} %"
        );
    }
}

/// Whether some dependency of a cycle turns from down to up, as one must.
fn turns_up(fabric: &Fabric, orientation: &Orientation, cycle: &DependencyCycle) -> bool {
    let is_up = |channel| {
        let [from, to] = fabric.switches_of(channel);
        orientation.is_up(from, to)
    };
    let mut dependencies = cycle.dependencies.iter();
    dependencies.any(|dependency| !is_up(dependency.held) && is_up(dependency.wanted))
}
