//! Cables that are missing between groups whose spines are joined, as those of a dragonfly+.

use super::MissingEnd;
use super::missing::{Among, Search};
use super::spines::{Counts, Groups, Spines};
use crate::{PortNumber, SwitchId};
use std::collections::BTreeMap;

impl Search<'_, '_> {
    /// Takes the cables that two groups have fewer than others between them, as far as it is known which spines lack
    /// them; of the others those spines are told that may.
    ///
    /// Most spines have as many cables to each other group, or as many to all, or else nothing tells them apart.
    pub(super) fn between_groups(&mut self) {
        let mut spines = Spines::of(self);
        self.crossed_between_groups(&mut spines);
        for (&group, all) in &spines.of_group {
            for &spine in all {
                let ports = self.pattern.dark(spine);
                let led =
                    ports.filter_map(|port| Some(((spine, port), spines.leads_to(group, port)?)));
                self.to_groups.extend(led);
            }
        }
        let widest = spines.of_group.values().map(Vec::len).max().unwrap_or(0);
        let of_spines = || spines.usual_of_spine().map(|usual| usual * widest);
        let Some(of_pair) = spines.usual_of_pair().or_else(of_spines) else {
            return;
        };
        let missing = |spines: &Spines, pair: Groups| {
            let found = spines.between.get(&pair).copied().unwrap_or(0);
            of_pair.saturating_sub(found)
        };
        let to_each = spines.usual_of_spine().filter(|&usual| {
            let lack = |spine: SwitchId, there| usual.checked_sub(spines.cables(spine, there));
            spines.pairs().into_iter().all(|pair| {
                let ends = [pair, [pair[1], pair[0]]];
                ends.into_iter().all(|[here, there]| {
                    let lacks = spines.of_group[&here].iter();
                    let lacks = lacks.map(|&spine| lack(spine, there));
                    lacks.sum::<Option<usize>>() == Some(missing(&spines, pair))
                })
            })
        });
        let to_all = spines.usual_of_all().filter(|&usual| {
            spines.of_group.iter().all(|(&group, all)| {
                let lacks = all
                    .iter()
                    .map(|&spine| usual.checked_sub(spines.all(spine)));
                let pairs = spines.pairs().into_iter();
                let of_group = pairs.filter(|pair| pair.contains(&group));
                let of_group: usize = of_group.map(|pair| missing(&spines, pair)).sum();
                lacks.sum::<Option<usize>>() == Some(of_group)
            })
        });
        if let Some(usual) = to_each {
            for pair in spines.pairs() {
                let lacks = [pair, [pair[1], pair[0]]].map(|[here, there]| {
                    let lack = |spine: SwitchId| usual.saturating_sub(spines.cables(spine, there));
                    self.lacking(&spines, here, lack)
                });
                self.join_spines(&mut spines, pair, lacks);
            }
        } else if let Some(usual) = to_all {
            while self.join_pairs(&mut spines, of_pair, usual) {}
        }
        for pair in spines.pairs() {
            let count = missing(&spines, pair);
            // Without a whole spine its cables are missing, too, but belong nowhere.
            let are_whole = pair.map(|group| spines.of_group[&group].len() == widest);
            if count == 0 || are_whole != [true; 2] {
                continue;
            }
            let of_end = |[here, there]: Groups| {
                let lack = |spine: SwitchId| match (to_each, to_all) {
                    (Some(usual), _) => usual.saturating_sub(spines.cables(spine, there)),
                    (_, Some(usual)) => usual.saturating_sub(spines.all(spine)),
                    _ => 1,
                };
                self.lacking(&spines, here, lack)
            };
            let ends = fitting(&spines, [of_end(pair), of_end([pair[1], pair[0]])]);
            let ends = ends.map(|end| {
                let spines = end.into_keys();
                let of_end = |switch| MissingEnd {
                    switch,
                    ports: self.free_ports(switch),
                };
                spines.map(of_end).collect::<Vec<_>>()
            });
            if ends.iter().all(|end| !end.is_empty()) {
                self.among.push(Among {
                    count,
                    is_least: false,
                    ends,
                });
            }
        }
    }

    /// The spines of a group with room that lack cables, and how many.
    fn lacking(
        &self,
        spines: &Spines,
        group: usize,
        lack: impl Fn(SwitchId) -> usize,
    ) -> Counts<SwitchId> {
        let all = spines.of_group[&group].iter();
        let all = all.map(|&spine| (spine, lack(spine)));
        all.filter(|&(spine, lack)| lack > 0 && self.has_room(spine))
            .collect()
    }

    /// Takes the cables between the groups that have fewer than `of_pair` between them, where the spines that have fewer
    /// than `of_spine` to all groups are as few, and lack none to others; and tells whether there were any.
    fn join_pairs(&mut self, spines: &mut Spines, of_pair: usize, of_spine: usize) -> bool {
        let mut known = Vec::new();
        let mut wanted: Counts<SwitchId> = BTreeMap::new();
        let lack = |spines: &Spines, spine| of_spine.saturating_sub(spines.all(spine));
        for pair in spines.pairs() {
            let found = spines.between.get(&pair).copied().unwrap_or(0);
            let most = of_pair.saturating_sub(found);
            let of_group =
                |group| self.lacking(spines, group, |spine| lack(spines, spine).min(most));
            let lacks = fitting(spines, pair.map(of_group));
            let is_as_many = |lacks: &Counts<SwitchId>| lacks.values().sum::<usize>() == most;
            if most > 0 && lacks.iter().all(is_as_many) {
                for (&spine, lack) in lacks.iter().flatten() {
                    *wanted.entry(spine).or_default() += lack;
                }
                known.push((pair, lacks));
            }
        }
        known.retain(|(_, lacks)| {
            let mut ends = lacks.iter().flatten();
            ends.all(|(spine, _)| wanted[spine] <= lack(spines, *spine))
        });
        let before = self.found.len();
        for (pair, lacks) in known {
            self.join_spines(spines, pair, lacks);
        }
        self.found.len() > before
    }

    /// Takes the cables between two groups where it is known which two spines lack one: by a cable that is left of the
    /// trunk, by the ports, or as no other spine at an end lacks any.
    fn join_spines(&mut self, spines: &mut Spines, pair: Groups, mut lacks: [Counts<SwitchId>; 2]) {
        loop {
            let found = self
                .rest_of_trunk(spines, &lacks)
                .or_else(|| self.by_ports_of_groups(spines, pair, &lacks))
                .or_else(|| the_only(&lacks));
            let Some(ends) = found else { return };
            let there = |end: usize| pair[1 - end];
            let ports = [0, 1].map(|end| {
                let port = self.port_towards(spines, ends[end], there(end));
                if let Some(port) = port {
                    return vec![port];
                }
                self.free_ports(ends[end])
            });
            for (lacks, spine) in lacks.iter_mut().zip(ends) {
                if let Some(lack) = lacks.get_mut(&spine) {
                    *lack -= 1;
                }
                lacks.retain(|_, lack| *lack > 0);
            }
            if ports.iter().all(|ports| !ports.is_empty()) {
                self.take(ends, ports);
                spines.count(ends, pair);
                spines.count([ends[1], ends[0]], [pair[1], pair[0]]);
            }
        }
    }

    /// Two spines of which a trunk has some of its cables left, the first where there is one choice.
    fn rest_of_trunk(
        &self,
        spines: &Spines,
        lacks: &[Counts<SwitchId>; 2],
    ) -> Option<[SwitchId; 2]> {
        let usual = spines.usual_trunk?;
        let is_rest = |one: SwitchId, other: SwitchId| {
            let links = self.pattern.near.links(one, other);
            links > 0 && links + self.found_between(one, other) < usual
        };
        let of = |one: SwitchId, others: &Counts<SwitchId>| {
            let mut rests = others.keys().filter(|&&other| is_rest(one, other));
            let first = rests.next().copied();
            first.filter(|_| rests.next().is_none())
        };
        lacks[0].keys().find_map(|&one| {
            let other = of(one, &lacks[1])?;
            (of(other, &lacks[0]) == Some(one)).then_some([one, other])
        })
    }

    /// Two spines whose ports without a cable are those which cables between their groups join elsewhere.
    fn by_ports_of_groups(
        &self,
        spines: &Spines,
        pair: Groups,
        lacks: &[Counts<SwitchId>; 2],
    ) -> Option<[SwitchId; 2]> {
        let joined = spines.ports.get(&pair)?;
        let sockets = |end: usize| {
            let towards = pair[1 - end];
            let of_spine = move |&spine: &SwitchId| {
                let port = self.port_towards(spines, spine, towards)?;
                Some((spine, port))
            };
            lacks[end].keys().filter_map(of_spine)
        };
        sockets(0).find_map(|(one, port)| {
            let mut fars = joined.iter().filter(|ports| ports[0] == port);
            let far = fars.next().map(|ports| ports[1])?;
            if fars.any(|ports| ports[1] != far) {
                return None;
            }
            let mut fit = sockets(1).filter(|&(_, port)| port == far);
            let other = fit.next().map(|(other, _)| other)?;
            let mut rivals = sockets(0).filter(|&(_, other)| other == port);
            let is_only = fit.next().is_none() && rivals.nth(1).is_none();
            is_only.then_some([one, other])
        })
    }

    /// The first free port of a spine in which others of its group have a cable to another group.
    fn port_towards(&self, spines: &Spines, spine: SwitchId, group: usize) -> Option<PortNumber> {
        let own = spines.group_of[spine.index()]?;
        let mut ports = self.pattern.dark(spine);
        ports.find(|&port| self.is_free((spine, port)) && spines.leads_to(own, port) == Some(group))
    }
}

/// Of the spines at both ends those that may be joined to one at the other.
fn fitting(spines: &Spines, mut ends: [Counts<SwitchId>; 2]) -> [Counts<SwitchId>; 2] {
    let [ones, others] = ends.clone();
    ends[0].retain(|&one, _| others.keys().any(|&other| spines.fit(one, other)));
    ends[1].retain(|&other, _| ones.keys().any(|&one| spines.fit(one, other)));
    ends
}

/// Two spines that alone lack cables between their groups, or one that all of the other group lack them to.
fn the_only(lacks: &[Counts<SwitchId>; 2]) -> Option<[SwitchId; 2]> {
    let sums = lacks.each_ref().map(|lacks| lacks.values().sum::<usize>());
    let is_known = sums[0] == sums[1] && lacks.iter().any(|lacks| lacks.len() == 1);
    let first = |lacks: &Counts<SwitchId>| lacks.keys().next().copied();
    is_known.then_some([first(&lacks[0])?, first(&lacks[1])?])
}
