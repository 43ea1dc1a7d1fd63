//! To which group the ports of switches lead, by the place of a switch in its group and the number of its port.

use super::group_cable::Cable;
use super::pattern::Socket;
use super::spines::Counts;
use crate::Fabric;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A rule is believed while so many tenths of the ports that several groups have follow it.
const FOLLOWING_TENTHS: usize = 9;

/// How the group that a port leads to is told from its own.
///
/// # Source
/// Hastings et al., "Comparing global link arrangements for dragonfly networks", CLUSTER 2015: the absolute and the
/// relative arrangement.
#[derive(Clone, Copy, Debug)]
enum Arrangement {
    /// By its number among the others.
    Absolute,
    /// By how far it is ahead.
    Relative,
}

/// Where ports lead, of groups and switches in the order of their names.
#[derive(Debug, Default)]
pub(super) struct PortRule {
    /// By switch and port: the group that it should lead to.
    expected: BTreeMap<Socket, usize>,
}

impl PortRule {
    /// Finds the arrangement that nearly all cables follow, if there is one.
    ///
    /// Shapes: `group_of`, per switch.
    pub(super) fn of(fabric: &Fabric, group_of: &[Option<usize>], cables: &[Cable]) -> Self {
        let places = Places::of(fabric, group_of);
        let rules = [Arrangement::Absolute, Arrangement::Relative];
        let mut rules = rules
            .into_iter()
            .filter_map(|rule| places.follow(rule, cables));
        rules.next().unwrap_or_default()
    }

    /// The group that a port should lead to, where a rule tells.
    pub(super) fn expected(&self, socket: Socket) -> Option<usize> {
        self.expected.get(&socket).copied()
    }
}

/// The places of groups, and of switches in their groups.
struct Places {
    /// Groups in the order of their names.
    groups: Vec<usize>,
    /// Per switch: its group's place and its own.
    of_switch: Vec<Option<[usize; 2]>>,
}

impl Places {
    fn of(fabric: &Fabric, group_of: &[Option<usize>]) -> Self {
        let mut members: BTreeMap<usize, Vec<(Vec<Part>, usize)>> = BTreeMap::new();
        for switch in fabric.switch_ids() {
            if let Some(group) = group_of[switch.index()] {
                let name = parts(&fabric.switch(switch).name);
                members
                    .entry(group)
                    .or_default()
                    .push((name, switch.index()));
            }
        }
        for switches in members.values_mut() {
            switches.sort();
        }
        let mut groups: Vec<usize> = members.keys().copied().collect();
        groups.sort_by(|one, other| members[one].cmp(&members[other]));
        let mut of_switch = vec![None; group_of.len()];
        for (place, group) in groups.iter().enumerate() {
            for (own, (_, switch)) in members[group].iter().enumerate() {
                of_switch[*switch] = Some([place, own]);
            }
        }
        Self { groups, of_switch }
    }

    /// What most cables of the same place and port have, if nearly all have it.
    fn follow(&self, rule: Arrangement, cables: &[Cable]) -> Option<PortRule> {
        let ends = cables.iter().flat_map(|cable| {
            let [one, other] = cable.ends;
            [[one, other], [other, one]]
        });
        let ends: Vec<(Socket, [usize; 2], usize)> = ends
            .filter_map(|[here, there]| {
                let own = self.of_switch[here.0.index()]?;
                let [far, _] = self.of_switch[there.0.index()]?;
                Some((here, own, far))
            })
            .collect();
        let count = self.groups.len();
        let told = |group: usize, far: usize| match rule {
            Arrangement::Absolute => far - usize::from(far > group),
            Arrangement::Relative => (far + count - group) % count,
        };
        let mut led: BTreeMap<(usize, u8), Counts<usize>> = BTreeMap::new();
        let between = ends.iter().filter(|(_, [group, _], far)| group != far);
        for &((_, port), [group, place], far) in between {
            let of_port = led.entry((place, port.number())).or_default();
            *of_port.entry(told(group, far)).or_default() += 1;
        }
        let mut following = 0;
        let mut all = 0;
        for of_port in led.values() {
            let led: usize = of_port.values().sum();
            if led > 1 {
                following += of_port.values().max().copied().unwrap_or(0);
                all += led;
            }
        }
        if all == 0 || 10 * following < FOLLOWING_TENTHS * all {
            return None;
        }
        let expected = ends.into_iter().filter_map(|(here, [group, place], _)| {
            let of_port = led.get(&(place, here.1.number()))?;
            let (&usual, &agreeing) = of_port
                .iter()
                .max_by_key(|&(&usual, &agreeing)| (agreeing, Reverse(usual)))?;
            let far = match rule {
                Arrangement::Absolute => usual + usize::from(usual >= group),
                Arrangement::Relative => (group + usual) % count,
            };
            (agreeing > 1).then_some((here, *self.groups.get(far)?))
        });
        Some(PortRule {
            expected: expected.collect(),
        })
    }
}

/// A part of a name: what is no number, or a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(String),
}

/// A name in parts, so that those with numbers stand in the order of the numbers.
fn parts(name: &str) -> Vec<Part> {
    let chars: Vec<char> = name.chars().collect();
    let runs = chars.chunk_by(|one, other| one.is_ascii_digit() == other.is_ascii_digit());
    runs.map(|run| {
        let run: String = run.iter().collect();
        run.parse().map_or(Part::Text(run), Part::Number)
    })
    .collect()
}
