//! Pairs of cables between groups that restore what most groups and switches have if they exchange an end.

use super::group_cable::Cable;
use super::pattern::Socket;
use super::tally::Tally;
use super::{OtherCable, Suspicion};
use crate::LinkId;
use std::collections::{BTreeMap, BTreeSet};

/// Where more cables than this are out of the ordinary there is no order to restore.
const MOST_WRONG: usize = 256;

/// Two cables, by their places, what they become, and what is gained.
#[derive(Clone, Copy)]
struct Exchange {
    cables: [usize; 2],
    /// The ends of the two as they are, each in the order in which `belong` takes them.
    ends: [[Socket; 2]; 2],
    belong: [[Socket; 2]; 2],
    gain: usize,
}

impl Exchange {
    /// Counts the cables where they belong.
    fn lay(&self, tally: &mut Tally<'_>) {
        for ends in self.ends {
            tally.take(ends);
        }
        for ends in self.belong {
            tally.add(ends);
        }
    }

    /// Counts them as they are again.
    fn lift(&self, tally: &mut Tally<'_>) {
        for ends in self.belong {
            tally.take(ends);
        }
        for ends in self.ends {
            tally.add(ends);
        }
    }
}

/// Finds pairs of cables that belong in each other's ports, as long as these explain all cables that are too many; the
/// tally counts them where they belong then. Cables of `told` are left alone.
pub(super) fn exchanges(
    tally: &mut Tally<'_>,
    cables: &[Cable],
    told: &BTreeSet<LinkId>,
) -> Vec<Suspicion> {
    let free = cables.iter().filter(|cable| !told.contains(&cable.link));
    let mut wrong: Vec<Cable> = free
        .filter(|cable| tally.may_be_wrong(cable.ends))
        .copied()
        .collect();
    let mut found = Vec::new();
    while wrong.len() <= MOST_WRONG {
        let Some((exchange, others)) = determined(&best(tally, &wrong), &wrong, tally) else {
            break;
        };
        exchange.lay(tally);
        found.push(Suspicion::SwappedCables {
            links: exchange.cables.map(|at| wrong[at].link),
            others,
            belong: exchange.belong,
        });
        let used = exchange.cables.map(|at| wrong[at].link);
        wrong.retain(|cable| !used.contains(&cable.link));
        wrong.retain(|cable| tally.may_be_wrong(cable.ends));
    }
    if wrong.iter().any(|cable| tally.is_too_many(cable.ends)) {
        found.clear();
    }
    found
}

/// The exchanges that gain most.
fn best(tally: &Tally<'_>, wrong: &[Cable]) -> Vec<Exchange> {
    let mut best: Vec<Exchange> = Vec::new();
    for (first, one) in wrong.iter().enumerate() {
        for (second, other) in wrong.iter().enumerate().skip(first + 1) {
            let [here, right] = one.ends;
            let [near, far] = other.ends;
            for [left, there] in [[near, far], [far, near]] {
                let ends = [[here, right], [left, there]];
                let belong = [[here, there], [left, right]];
                let Some(gain) = tally.gain(ends, belong) else {
                    continue;
                };
                let most = best.first().map_or(0, |best| best.gain);
                if gain > most {
                    best.clear();
                }
                if gain >= most {
                    best.push(Exchange {
                        cables: [first, second],
                        ends,
                        belong,
                        gain,
                    });
                }
            }
        }
    }
    best
}

/// The first exchange that no other is as likely as, but for such of cables between the same groups; with the cables of
/// these.
fn determined(
    best: &[Exchange],
    wrong: &[Cable],
    tally: &mut Tally<'_>,
) -> Option<(Exchange, [Vec<OtherCable>; 2])> {
    best.iter().find_map(|exchange| {
        // What gains no more once this one is made was meant instead of it.
        exchange.lay(tally);
        let is_rival = |other: &&Exchange| {
            other.cables == exchange.cables && other.ends != exchange.ends
                || tally.gain(other.ends, other.belong) != Some(other.gain)
        };
        let rivals: Vec<&Exchange> = best.iter().filter(is_rival).collect();
        exchange.lift(tally);
        let own = |role: usize| BTreeMap::from([(exchange.cables[role], exchange.ends[role])]);
        let mut others = [own(0), own(1)];
        for rival in rivals {
            let [first, second] = as_in(rival, exchange, tally)?;
            for (others, (at, ends)) in others.iter_mut().zip([first, second]) {
                // Where the other ends of two may be exchanged as well, either sets them right.
                others.entry(at).or_insert(ends);
            }
        }
        let others = [0, 1].map(|role| {
            let own = exchange.cables[role];
            let others = others[role].iter().filter(|&(&at, _)| at != own);
            let others = others.map(|(&at, &ends)| (wrong[at].link, ends));
            others.collect::<Vec<OtherCable>>()
        });
        Some((*exchange, others))
    })
}

/// The cables of an exchange, with their ends, in the order of another of cables between the same groups; `None` where they
/// are between other groups.
fn as_in(
    exchange: &Exchange,
    like: &Exchange,
    tally: &Tally<'_>,
) -> Option<[(usize, [Socket; 2]); 2]> {
    let [one, other] = exchange.cables;
    let [[here, right], [left, there]] = exchange.ends;
    // Either cable may come first, and of both the one end or the other.
    let orders = [
        [(one, [here, right]), (other, [left, there])],
        [(one, [right, here]), (other, [there, left])],
        [(other, [left, there]), (one, [here, right])],
        [(other, [there, left]), (one, [right, here])],
    ];
    let groups = |ends: [Socket; 2]| ends.map(|end| tally.group(end.0));
    // Another cable of the same switch may lead to any group.
    let is_like = |ends: [Socket; 2], like: [Socket; 2]| {
        let mut ends_of = ends.iter().zip(like);
        groups(ends) == groups(like) || ends_of.any(|(end, like)| end.0 == like.0)
    };
    let fitting = orders.into_iter().filter(|order| {
        let mut roles = order.iter().zip(like.ends);
        roles.all(|(&(_, ends), like)| is_like(ends, like))
    });
    // Cables that both have keep their place, and ends of the same switches theirs.
    fitting.max_by_key(|order| {
        let same = order
            .iter()
            .zip(like.cables)
            .filter(|((at, _), own)| at == own);
        let ends = order.iter().zip(like.ends);
        let switches = ends.map(|((_, ends), own)| {
            let same = ends.iter().zip(own).filter(|(end, own)| end.0 == own.0);
            same.count()
        });
        (same.count(), switches.sum::<usize>())
    })
}
