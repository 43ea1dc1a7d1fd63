//! Arbitration policies: which of the packets that wait for an output gets it when it is free.
//!
//! The policies are those of García, Mora, Alfaro, Sánchez, Flich, "Evaluation of Alternative
//! Arbitration Policies for Myrinet Switches", §3; what it leaves open, above all ties, is settled
//! here.

use crate::random;
use weft_registry::words;

/// Which waiting packet gets a free output.
///
/// A packet waits for an output while its routing flit is at the front of an input buffer of the
/// switch and the output is not its own yet. *In turn* means: the first input port strictly after
/// the one granted last, cyclically by port number; at the start the pointer stands at the last
/// port. Every policy moves the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arbitration {
    /// In turn. It is the only policy in which a waiting packet knows how many can pass it.
    #[default]
    RoundRobin,
    /// Each waiting packet with the same probability, by the draw that `docs/concepts/engine.md` has the
    /// formula of.
    Random,
    /// The packet whose first flit left its source's NIC first (of the present attempt; a stop in
    /// transit changes nothing). Ties: the lowest port.
    InjectionTime,
    /// The packet whose routing flit arrived at this switch first, the time behind other packets in
    /// its buffer included. Ties: the lowest port.
    WaitingTime,
    /// The packet with the fewest switches still to traverse after this one, those behind stops in
    /// transit included: the routing flits it has left. Ties: in turn.
    DistanceToTravel,
    /// The packet that has traversed the most switches, those before stops in transit included.
    /// Ties: in turn.
    DistanceTravelled,
}

words!(Arbitration {
    RoundRobin = "round_robin",
    Random = "random",
    InjectionTime = "injection_time",
    WaitingTime = "waiting_time",
    DistanceToTravel = "distance_to_travel",
    DistanceTravelled = "distance_travelled",
});

/// Draws are keyed by purpose; this is the one of arbitration.
const ARBITRATION_PURPOSE: u64 = 0x6172_6269_7472_6174;

/// Which of `count` packets, in ascending order of their input ports, a random arbiter
/// grants an output: a number below `count`, if that is not 0.
///
/// It depends on the seed of the run, the number of the output's channel and the number of the
/// grant among those of the output, from 0.
pub fn random_choice(seed: u64, output: u32, grant_number: u64, count: usize) -> usize {
    let draw = random::draw(
        seed,
        ARBITRATION_PURPOSE,
        &[u64::from(output), grant_number],
    );
    // The bias of the multiplication is below 2^-56 for up to 256 ports.
    let scaled = (u128::from(draw) * count as u128) >> 64;
    #[expect(clippy::cast_possible_truncation, reason = "it is below `count`")]
    {
        scaled as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Arbitration, random_choice};
    use weft_registry::{Held, Kind, Value};

    #[test]
    fn a_random_choice_is_even_and_depends_on_each_part_of_its_key() {
        let choices = |seed, output, first: u64| -> Vec<usize> {
            (first..first + 6_000)
                .map(|grant| random_choice(seed, output, grant, 3))
                .collect()
        };
        let all = choices(1, 0, 0);
        for index in 0..3 {
            let count = all.iter().filter(|&&choice| choice == index).count();
            // 2,000 expected, five standard deviations of 36.5 allowed.
            assert!((1_817..=2_183).contains(&count), "{index}: {count}");
        }
        assert_eq!(all, choices(1, 0, 0));
        for other in [choices(2, 0, 0), choices(1, 1, 0), choices(1, 0, 1)] {
            let same = all.iter().zip(&other).filter(|(a, b)| a == b).count();
            assert!((1_817..=2_183).contains(&same), "{same} of 6,000 agree");
        }
        assert_eq!(random_choice(7, 7, 7, 1), 0);
    }

    #[test]
    fn every_policy_is_found_by_its_name() {
        for policy in Arbitration::ALL {
            let mut held = Arbitration::default();
            held.hold(Value::Word(policy.name()));
            assert_eq!(held, policy);
        }
        assert!(!Kind::Choice(&Arbitration::NAMES).accepts("lottery"));
    }
}
