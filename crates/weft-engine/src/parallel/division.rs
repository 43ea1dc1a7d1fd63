//! A fabric in parts, each with some of the switches and their hosts.

use super::bisection::{Graph, bisect};
use weft_fabric::{ChannelId, Fabric, Node, SwitchId};

/// Which part of a fabric each switch is in, with its hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// By switch.
    parts: Vec<usize>,
    part_count: usize,
}

impl Division {
    /// A division given switch by switch: the number of the part of each.
    pub fn new(parts: Vec<usize>) -> Self {
        let part_count = parts.iter().max().map_or(0, |&last| last + 1);
        Self { parts, part_count }
    }

    /// A division into parts that have equal shares of the work, with few packets from one to another.
    ///
    /// It depends on the arguments alone. Work is given by switch, and what crosses from switch to switch by
    /// channel. There are `part_count` parts, or as many as there are switches.
    pub fn balanced(
        fabric: &Fabric,
        work: &[u64],
        crossing: impl Fn(ChannelId) -> u64,
        part_count: usize,
    ) -> Self {
        let edges = fabric.switch_channels().map(|channel| {
            let ends = fabric.switches_of(channel).map(SwitchId::index);
            // Each change of an idle channel is told as well, so that none is free of cost.
            (ends, crossing(channel) + 1)
        });
        let graph = Graph::new(work.iter().map(|&work| work + 1).collect(), edges);
        let mut parts = vec![0; fabric.switch_count()];
        let part_count = part_count.clamp(1, parts.len().max(1));
        divide(
            &graph,
            part_count,
            0,
            &mut parts,
            &(0..work.len()).collect::<Vec<_>>(),
        );
        Self::new(parts)
    }

    /// How many parts there are.
    pub fn part_count(&self) -> usize {
        self.part_count
    }

    /// The part that a switch is in.
    pub fn part_of(&self, switch: SwitchId) -> usize {
        self.parts[switch.index()]
    }

    /// The parts at the beginning and the end of a channel.
    pub(crate) fn ends(&self, fabric: &Fabric, channel: ChannelId) -> [usize; 2] {
        let ends = [fabric.source(channel), fabric.target(channel)];
        ends.map(|end| {
            self.part_of(match end.node {
                Node::Switch(switch) => switch,
                Node::Host(host) => fabric.host_switch(host),
            })
        })
    }

    /// The channels from a part to another.
    pub fn cut_channels<'a>(&'a self, fabric: &'a Fabric) -> impl Iterator<Item = ChannelId> + 'a {
        fabric.switch_channels().filter(|&channel| {
            let [source, target] = fabric
                .switches_of(channel)
                .map(|switch| self.part_of(switch));
            source != target
        })
    }
}

/// Divides a graph into `count` parts from number `first` on. `names` are its vertices among all.
fn divide(graph: &Graph, count: usize, first: usize, parts: &mut [usize], names: &[usize]) {
    if count < 2 {
        for &name in names {
            parts[name] = first;
        }
        return;
    }
    let left_count = count / 2;
    let sides = bisect(graph, left_count, count);
    for (is_right, first, count) in [
        (false, first, left_count),
        (true, first + left_count, count - left_count),
    ] {
        let here: Vec<usize> = (0..names.len()).filter(|&v| sides[v] == is_right).collect();
        let names: Vec<usize> = here.iter().map(|&vertex| names[vertex]).collect();
        divide(&graph.part(&here), count, first, parts, &names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::generate;

    fn shares(division: &Division, work: &[u64]) -> Vec<u64> {
        let mut shares = vec![0; division.part_count()];
        for (&part, work) in division.parts.iter().zip(work) {
            shares[part] += work;
        }
        shares
    }

    #[test]
    fn a_torus_is_cut_across() {
        let fabric = generate::torus(32, 16, 1).unwrap();
        let work = vec![100; 512];
        for (count, most_cut) in [(2, 64 + 8), (4, 128 + 24), (8, 256 + 40)] {
            let division = Division::balanced(&fabric, &work, |_| 10, count);
            assert_eq!(division.part_count(), count);
            let shares = shares(&division, &work);
            let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
            assert!(most * 100 <= least * 106, "{count}: {shares:?}");
            let cut = division.cut_channels(&fabric).count();
            assert!(cut <= most_cut, "{count} parts: {cut} channels are cut");
        }
    }

    #[test]
    fn uneven_work_is_shared_evenly_and_no_part_is_empty() {
        let fabric = generate::torus(9, 7, 1).unwrap();
        let work: Vec<u64> = (0..63).map(|switch| switch * switch).collect();
        for count in [2, 3, 5, 63, 100] {
            let division = Division::balanced(&fabric, &work, |_| 1, count);
            assert_eq!(division.part_count(), count.min(63));
            let mut seen = vec![0; division.part_count()];
            division.parts.iter().for_each(|&part| seen[part] += 1);
            assert!(!seen.contains(&0), "{count}: {seen:?}");
            if count <= 5 {
                let shares = shares(&division, &work);
                let even = work.iter().sum::<u64>() / count as u64;
                assert!(
                    shares.iter().all(|&share| share * 100 < even * 110),
                    "{shares:?}"
                );
            }
        }
    }
}
