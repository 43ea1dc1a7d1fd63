//! What became of each cable.

use super::matching::Matching;
use super::numbered::{Side, Socket};
use super::{Change, ComparedCable, ComparedEnd, Comparison};
use crate::{Fabric, LinkRate, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// A cable of the first fabric, or a port of it that it has in common with the second: switches and
/// hosts by their numbers there, those it lacks behind them.
type Cable = [Socket; 2];

fn sorted(mut cable: Cable) -> Cable {
    cable.sort_unstable();
    cable
}

/// Lists the cables with their rates, by the numbers that `number` gives to sockets.
fn listed(side: &Side<'_>, number: impl Fn(Socket) -> Socket) -> BTreeMap<Cable, Option<LinkRate>> {
    let fabric: &Fabric = side.fabric;
    let links = fabric.link_ids().map(|id| fabric.link(id));
    links
        .map(|link| {
            let ends = link.ends.map(|end| number(side.socket(end)));
            (sorted(ends), link.cable.rate)
        })
        .collect()
}

struct Names<'s, 'f> {
    planned: &'s Side<'f>,
    found: &'s Side<'f>,
    there: &'s [Option<usize>],
}

impl Names<'_, '_> {
    fn end(&self, (number, port): Socket) -> ComparedEnd {
        let of_found = number.checked_sub(self.planned.count());
        ComparedEnd {
            planned: of_found.is_none().then(|| self.planned.node(number)),
            found: of_found
                .or_else(|| self.there[number])
                .map(|other| self.found.node(other)),
            port,
        }
    }

    fn cable(&self, cable: Cable) -> ComparedCable {
        cable.map(|end| self.end(end))
    }
}

pub(super) fn changes(planned: &Side<'_>, found: &Side<'_>, matching: &Matching) -> Comparison {
    let mut back: BTreeMap<usize, usize> = BTreeMap::new();
    for (node, other) in matching.there.iter().enumerate() {
        if let Some(other) = other {
            back.insert(*other, node);
        }
    }
    // A host's own port is the adapter's affair: a host has one cable.
    let port = |side: &Side<'_>, (node, port): Socket| if side.is_switch(node) { port } else { 1 };
    let ours = listed(planned, |end| (end.0, port(planned, end)));
    let theirs = listed(found, |end| {
        let number = back.get(&end.0).copied();
        (number.unwrap_or(planned.count() + end.0), port(found, end))
    });
    let names = Names {
        planned,
        found,
        there: &matching.there,
    };
    let mut changes = Vec::new();
    let mut lost: BTreeSet<Cable> = ours
        .keys()
        .filter(|c| !theirs.contains_key(*c))
        .copied()
        .collect();
    let mut gained: BTreeSet<Cable> = theirs
        .keys()
        .filter(|c| !ours.contains_key(*c))
        .copied()
        .collect();

    let missing = (0..planned.count()).filter(|&node| matching.there[node].is_none());
    for node in missing {
        changes.push(Change::MissingNode {
            node: planned.node(node),
            cables: taken(&mut lost, node)
                .map(|cable| names.cable(cable))
                .collect(),
        });
    }
    let added = (0..found.count()).filter(|node| !back.contains_key(node));
    for node in added {
        changes.push(Change::AddedNode {
            node: found.node(node),
            cables: taken(&mut gained, planned.count() + node)
                .map(|cable| names.cable(cable))
                .collect(),
        });
    }
    let swaps = swapped(&mut lost, &mut gained);
    let moves = moved(&mut lost, &mut gained);
    let rates = ours.iter().filter_map(|(cable, rate)| {
        let (planned, found) = ((*rate)?, (*theirs.get(cable)?)?);
        (planned != found).then(|| Change::Rate {
            cable: names.cable(*cable),
            planned,
            found,
        })
    });
    changes.extend(lost.iter().map(|&cable| Change::Missing {
        cable: names.cable(cable),
    }));
    changes.extend(swaps.into_iter().map(|[planned, found]| Change::Swapped {
        planned: planned.map(|cable| names.cable(cable)),
        found: found.map(|cable| names.cable(cable)),
    }));
    changes.extend(moves.into_iter().map(|[planned, found]| Change::Moved {
        planned: names.cable(planned),
        found: names.cable(found),
    }));
    changes.extend(gained.iter().map(|&cable| Change::Added {
        cable: names.cable(cable),
    }));
    changes.extend(rates);
    Comparison {
        matched: matching.by,
        uncertain: matching
            .uncertain
            .iter()
            .map(|&node| SwitchId::from_index(node))
            .collect(),
        same_cables: ours
            .keys()
            .filter(|cable| theirs.contains_key(*cable))
            .count(),
        unlisted_parts: 0,
        changes,
    }
}

/// Takes the cables of a node out.
fn taken(cables: &mut BTreeSet<Cable>, node: usize) -> impl Iterator<Item = Cable> + use<> {
    let (own, rest): (Vec<Cable>, Vec<Cable>) = cables
        .iter()
        .partition(|cable| cable.iter().any(|end| end.0 == node));
    *cables = rest.into_iter().collect();
    own.into_iter()
}

/// Takes out the pairs of cables lost whose four ports two cables gained join.
fn swapped(lost: &mut BTreeSet<Cable>, gained: &mut BTreeSet<Cable>) -> Vec<[[Cable; 2]; 2]> {
    let far = |cables: &BTreeSet<Cable>| -> BTreeMap<Socket, Socket> {
        cables.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect()
    };
    let (before, after) = (far(lost), far(gained));
    let mut swaps = Vec::new();
    for &[a, b] in &lost.clone() {
        let (Some(&d), Some(&c)) = (after.get(&a), after.get(&b)) else {
            continue;
        };
        let planned = [[a, b], sorted([c, d])];
        let found = [sorted([a, d]), sorted([b, c])];
        if before.get(&c) == Some(&d)
            && lost.contains(&planned[1])
            && lost.contains(&planned[0])
            && found.iter().all(|cable| gained.contains(cable))
        {
            for cable in planned {
                lost.remove(&cable);
            }
            for cable in found {
                gained.remove(&cable);
            }
            swaps.push([planned, found]);
        }
    }
    swaps
}

/// Takes out cables lost with one gained at one of their ports, unless both their ports have one.
fn moved(lost: &mut BTreeSet<Cable>, gained: &mut BTreeSet<Cable>) -> Vec<[Cable; 2]> {
    let mut moves = Vec::new();
    for cable in lost.clone() {
        let at = |socket: Socket| {
            let mut all = gained.iter().copied();
            all.find(|cable| cable.contains(&socket))
        };
        let (stayed, now) = match cable.map(at) {
            // Where the ends have come apart, to two others, one of these is the cable that moved.
            [Some(now), _] => (cable[0], now),
            [None, Some(now)] => (cable[1], now),
            [None, None] => continue,
        };
        gained.remove(&now);
        lost.remove(&cable);
        let there = now[usize::from(now[0] == stayed)];
        let gone = cable[usize::from(cable[0] == stayed)];
        moves.push([[stayed, gone], [stayed, there]]);
    }
    moves
}
