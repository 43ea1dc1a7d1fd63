//! Routes from one source that are held on one lane and do not stop, followed step by step in as little
//! time as a step can take: large networks have thousands of millions.

use crate::dependency_graph::DependencyGraph;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId, narrow};
use weft_routing::{Lane, RoutesFrom};

/// No link there.
const NOWHERE: u32 = u32::MAX;

/// The links of all switches, and which packets want after which.
///
/// Ports that lead to a switch anywhere are numbered anew, so that links of a switch lie side by side, and
/// the mark of the route that met it last beside them.
#[derive(Clone, Debug)]
pub(crate) struct PlainSteps {
    /// Per port: its number among those that lead to switches; the count of all where it leads to none.
    columns: [u8; 256],
    /// Per column: the port.
    ports: Vec<PortNumber>,
    /// Columns and one for the mark.
    stride: usize,
    /// Per switch and column: where those of the switch at the other end begin.
    lines: Vec<u32>,
    /// The same: the channel that is the link.
    channels: Vec<ChannelId>,
    /// Per switch and column, and once for hosts: the columns of the next switch that packets want,
    /// so many words of a bit each.
    wanted: Vec<u64>,
    words: usize,
    /// Routes followed since marks were taken away.
    mark: u32,
}

/// A link, as the place of its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Track(usize);

impl PlainSteps {
    pub(crate) fn new(fabric: &Fabric) -> Self {
        let mut leads = [false; 256];
        let channels = |switch| fabric.outgoing(switch).iter();
        let links = || {
            let all = fabric.switch_ids().flat_map(channels);
            all.filter_map(|&channel| {
                let (source, target) = (fabric.source(channel), fabric.target(channel));
                let [from, to] = [source.node.switch()?, target.node.switch()?];
                Some((channel, from, source.port, to))
            })
        };
        for (_, _, port, _) in links() {
            leads[port.index()] = true;
        }
        let ports: Vec<PortNumber> = (0..=u8::MAX)
            .map(PortNumber::new)
            .filter(|port| leads[port.index()])
            .collect();
        let count = ports.len();
        let mut columns = [narrow(count, "a switch has at most 255 ports"); 256];
        for (column, port) in (0..).zip(&ports) {
            columns[port.index()] = column;
        }
        let stride = count + 1;
        let mut lines = vec![NOWHERE; fabric.switch_count() * stride];
        let mut channels = vec![ChannelId::new(u32::MAX); lines.len()];
        for (channel, from, port, to) in links() {
            let place = from.index() * stride + usize::from(columns[port.index()]);
            lines[place] = narrow(to.index() * stride, "a fabric has fewer than 2^31 channels");
            channels[place] = channel;
        }
        for line in lines.chunks_exact_mut(stride) {
            line[count] = 0;
        }
        let words = count.div_ceil(64).max(1);
        Self {
            ports,
            columns,
            stride,
            channels,
            wanted: vec![0; (lines.len() + 1) * words],
            lines,
            words,
            mark: 0,
        }
    }

    /// Follows the route to an endpoint from one switch to another; `None` where it does anything else than
    /// to lead there by links, or meets a switch twice. The last link that it takes.
    #[inline]
    pub(crate) fn follow(
        &mut self,
        routes: RoutesFrom<'_>,
        destination: usize,
        [from, to]: [SwitchId; 2],
    ) -> Option<Track> {
        let mark_column = self.stride - 1;
        if self.mark == u32::MAX {
            self.lines
                .chunks_exact_mut(self.stride)
                .for_each(|line| line[mark_column] = 0);
            self.mark = 0;
        }
        self.mark += 1;
        let Self {
            columns,
            stride,
            lines,
            wanted,
            words,
            mark,
            ..
        } = self;
        let mut at = from.index() * *stride;
        // Hosts come before the first link.
        let mut held = lines.len();
        let leads_on = routes.try_each_port(destination, |port| {
            let column = usize::from(columns[port.index()]);
            let place = at + column;
            let next = lines[place];
            // A switch without that link; or the mark's column, a port to a host or to nothing.
            if next == NOWHERE || column == mark_column || lines[at + mark_column] == *mark {
                return false;
            }
            lines[at + mark_column] = *mark;
            let word = &mut wanted[held * *words + column / 64];
            let bit = 1 << (column % 64);
            // Mostly known, and then nothing is written.
            if *word & bit == 0 {
                *word |= bit;
            }
            held = place;
            at = next as usize;
            true
        });
        let arrives = leads_on
            && at == to.index() * *stride
            && held < lines.len()
            && lines[at + mark_column] != *mark;
        arrives.then_some(Track(held))
    }

    /// Takes the ports by which routes left their first switch since that was asked last.
    pub(crate) fn take_first_ports(&mut self) -> Vec<PortNumber> {
        let first = self.lines.len() * self.words;
        let words = &mut self.wanted[first..];
        let is_set = |column: usize| words[column / 64] >> (column % 64) & 1 == 1;
        let ports = self.ports.iter().enumerate();
        let taken = ports.filter(|&(column, _)| is_set(column));
        let taken = taken.map(|(_, &port)| port).collect();
        words.fill(0);
        taken
    }

    /// The channel that the last link of a route is.
    #[inline]
    pub(crate) fn channel(&self, Track(place): Track) -> ChannelId {
        self.channels[place]
    }

    /// Adds the dependencies between links that routes created.
    pub(crate) fn add_to(&self, graph: &mut DependencyGraph<'_>) {
        let links = self.wanted.chunks_exact(self.words).zip(&self.channels);
        for (words, &channel) in links {
            for (column, &port) in self.ports.iter().enumerate() {
                if words[column / 64] >> (column % 64) & 1 == 1 {
                    graph.add((channel, Lane::ZERO), port, Lane::ZERO);
                }
            }
        }
    }
}
