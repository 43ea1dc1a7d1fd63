//! Computing without the accidents of the machine a trace was recorded on.

use super::Trace;
use super::action::{Action, Actions};
use std::collections::BTreeMap;

/// The actions around an interval of computing, as text.
type Place = (Option<String>, Option<String>);

#[derive(Clone, Copy, Default)]
struct Mean {
    sum_ns: f64,
    count: f64,
}

impl Trace {
    /// The same, but that each interval of computing of a rank takes the mean of all those of the rank
    /// between two such actions, whatever it has room for there: what a process computes there is the same in every iteration, and what
    /// differs is what an interrupt or a cache did while it was recorded, which grows with a scale as if
    /// it were work. The sum of a rank's computing stays.
    #[must_use]
    pub fn evened(&self) -> Self {
        Self {
            ranks: self.ranks.iter().map(evened).collect(),
            files: self.files.clone(),
        }
    }
}

fn evened(actions: &Actions) -> Actions {
    let all: Vec<(u32, Action)> = actions.all().collect();
    let text = |at: Option<usize>| {
        let (_, action) = all.get(at?)?;
        Some(match action {
            // Of the other intervals that have no action between only the place counts.
            Action::Compute { .. } => action.name().to_owned(),
            _ => format!("{:?}", action.without_expectations()),
        })
    };
    let place = |at: usize| -> Place { (text(at.checked_sub(1)), text(at.checked_add(1))) };
    let mut means: BTreeMap<Place, Mean> = BTreeMap::new();
    for (at, (_, action)) in all.iter().enumerate() {
        if let Action::Compute { ns } = *action {
            let mean = means.entry(place(at)).or_default();
            mean.sum_ns += ns;
            mean.count += 1.0;
        }
    }
    let mut made = Actions::default();
    for (at, (line, action)) in all.iter().enumerate() {
        let action = match action {
            Action::Compute { .. } => {
                let mean = means.get(&place(at)).copied().unwrap_or_default();
                Action::Compute {
                    ns: mean.sum_ns / mean.count,
                }
            }
            other => other.clone(),
        };
        made.push(*line, action);
    }
    made.pass(actions.last_line());
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::program::Collective;

    #[test]
    fn what_is_expected_of_others_does_not_tell_actions_apart() {
        let receive = |bytes| Action::Receive {
            from: 1,
            tag: 0,
            room: Some(bytes),
        };
        let exchange = |expected| {
            let (to, from) = (vec![8, 8], vec![8, expected]);
            Action::Collective(Collective::AllToAllV { to, from })
        };
        let made = |first, second| {
            let mut actions = Actions::default();
            let compute = |ns| Action::Compute { ns };
            let iterations = [(8, first, 16), (24, second, 32)];
            for (line, (room, ns, expected)) in (1..).zip(iterations) {
                for action in [receive(room), compute(ns), exchange(expected)] {
                    actions.push(line, action);
                }
            }
            actions
        };
        let found = evened(&made(30.0, 10.0));
        assert!(found.all().eq(made(20.0, 20.0).all()), "{found:?}");
    }

    #[test]
    fn intervals_between_two_such_actions_take_their_mean() {
        let send = |bytes| Action::Send {
            to: 1,
            tag: 0,
            bytes,
        };
        let compute = |ns| Action::Compute { ns };
        let made = |times: [f64; 5]| {
            let mut actions = Actions::default();
            let [first, long, other, short, last] = times.map(compute);
            let order = [
                first,
                send(8),
                long,
                send(9),
                other,
                send(8),
                short,
                send(9),
                last,
            ];
            for (line, action) in (1..).zip(order) {
                actions.push(line, action);
            }
            actions
        };
        // Between 8 and 9 bytes are the second and the fourth.
        let found = evened(&made([5.0, 30.0, 7.0, 10.0, 2.0]));
        let expected = made([5.0, 20.0, 7.0, 20.0, 2.0]);
        assert!(found.all().eq(expected.all()), "{found:?}");
    }
}
