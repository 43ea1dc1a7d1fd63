//! The channel dependency graph: an arc wherever a packet may hold one channel and want the next.

use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId, narrow};
use weft_routing::Lane;

/// A lane of a channel, as a number: the lanes of channel 0, those of channel 1, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vertex(u32);

impl Vertex {
    pub(crate) const fn new(number: u32) -> Self {
        Self(number)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The lanes of the channels as vertices, and a bit for each dependency.
///
/// A packet that holds a channel into a switch can only want a channel out of that switch, so every
/// dependency has a place of its own: one per lane and port of the switch the channel leads to.
#[derive(Clone, Debug)]
pub(crate) struct DependencyGraph<'a> {
    wiring: &'a Wiring,
    lanes: usize,
    /// Per channel: the switch it leads to, unless it leads to a host.
    heads: Vec<Option<SwitchId>>,
    /// Per vertex: where its words begin; then the number of all.
    offsets: Vec<usize>,
    /// Per channel, lane, port of the switch it leads to, and lane there: a bit.
    words: Vec<u64>,
}

impl<'a> DependencyGraph<'a> {
    pub(crate) fn new(fabric: &Fabric, wiring: &'a Wiring, lanes: u8) -> Self {
        let lanes = usize::from(lanes);
        let mut graph = Self {
            wiring,
            lanes,
            heads: Vec::with_capacity(fabric.channel_count()),
            offsets: vec![0],
            words: Vec::new(),
        };
        let mut end = 0;
        for channel in fabric.channel_ids() {
            let head = fabric.target(channel).node.switch();
            graph.heads.push(head);
            let words = graph.words_per_vertex(head);
            for _ in 0..lanes {
                end += words;
                graph.offsets.push(end);
            }
        }
        graph.words = vec![0; end];
        graph
    }

    fn words_per_vertex(&self, head: Option<SwitchId>) -> usize {
        let ports = head.map_or(0, |switch| self.wiring.exits(switch).len());
        (ports * self.lanes).div_ceil(64)
    }

    pub(crate) fn channel(&self, vertex: Vertex) -> (ChannelId, Lane) {
        let [channel, lane] = [vertex.index() / self.lanes, vertex.index() % self.lanes];
        #[expect(
            clippy::cast_possible_truncation,
            reason = "there are at most 255 lanes"
        )]
        (ChannelId::from_index(channel), Lane::new(lane as u8))
    }

    /// Adds a dependency: from a lane of a channel to the channel that leaves the switch it
    /// leads to by `port`, on `next_lane`.
    #[inline]
    pub(crate) fn add(&mut self, held: (ChannelId, Lane), port: PortNumber, next_lane: Lane) {
        let first = self.offsets[held.0.index() * self.lanes + held.1.index()];
        let bit = port.index() * self.lanes + next_lane.index();
        self.words[first + bit / 64] |= 1 << (bit % 64);
    }

    /// Notes what packets at a switch want, and returns where: packets that hold any channel into the switch may want
    /// it, which [`add_wanted`](Self::add_wanted) tells.
    pub(crate) fn note_wanted(
        &self,
        switch: SwitchId,
        wants: impl Iterator<Item = (PortNumber, Lane)>,
        words: &mut Vec<u64>,
    ) -> std::ops::Range<usize> {
        let first = words.len();
        words.resize(first + self.words_per_vertex(Some(switch)), 0);
        for (port, lane) in wants {
            let bit = port.index() * self.lanes + lane.index();
            words[first + bit / 64] |= 1 << (bit % 64);
        }
        first..words.len()
    }

    /// Adds dependencies: from a lane of a channel to all that was noted of the switch it leads to.
    #[inline]
    pub(crate) fn add_wanted(&mut self, held: Vertex, noted: &[u64]) {
        let first = self.offsets[held.index()];
        for (word, noted) in self.words[first..].iter_mut().zip(noted) {
            *word |= noted;
        }
    }

    /// Counts the lanes of each channel.
    pub(crate) fn lane_count(&self) -> u8 {
        narrow(self.lanes, "there are at most 255 lanes")
    }

    /// Adds the dependencies of hosts that share routes: of those of a switch, to where a route `starts`,
    /// per port of a switch and lane; to them, from where one `ends`, per channel and lane.
    pub(crate) fn add_hosts(&mut self, fabric: &Fabric, starts: &[bool], ends: &[bool]) {
        let wiring = self.wiring;
        let lanes = (0..=u8::MAX).take(self.lanes).map(Lane::new);
        for switch in fabric.switch_ids() {
            for &channel in fabric.outgoing(switch) {
                let port = fabric.source(channel).port;
                let place = wiring.place(switch, port) * self.lanes;
                for lane in lanes.clone().filter(|lane| starts[place + lane.index()]) {
                    for &host in fabric.hosts_of(switch) {
                        self.add((fabric.injection_channel(host), lane), port, lane);
                    }
                }
            }
        }
        for channel in fabric.channel_ids() {
            let Node::Switch(end) = fabric.target(channel).node else {
                continue;
            };
            let place = channel.index() * self.lanes;
            for lane in lanes.clone().filter(|lane| ends[place + lane.index()]) {
                for &host in fabric.hosts_of(end) {
                    self.add((channel, lane), fabric.host_port(host), lane);
                }
            }
        }
    }

    /// Adds all dependencies of another graph of the same channels.
    pub(crate) fn join(&mut self, other: &Self) {
        for (own, other) in self.words.iter_mut().zip(&other.words) {
            *own |= other;
        }
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.heads.len() * self.lanes
    }

    /// All vertices, ascending by channel, then by lane.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = Vertex> + Clone + use<> {
        let count = ChannelId::from_index(self.vertex_count()).number();
        (0..count).map(Vertex)
    }

    /// The vertices that packets holding `held` may want, by ascending port, then lane.
    pub(crate) fn wanted(&self, held: Vertex) -> impl Iterator<Item = Vertex> + '_ {
        let exits = self.heads[held.index() / self.lanes]
            .map_or(&[][..], |switch| self.wiring.exits(switch));
        let [first, end] = [0, 1].map(|next| self.offsets[held.index() + next]);
        let words = &self.words[first..end];
        words.iter().enumerate().flat_map(move |(place, &word)| {
            Bits(word).map(move |bit| {
                let bit = place * 64 + bit;
                let exit = exits[bit / self.lanes].channel.index();
                let vertex = exit * self.lanes + bit % self.lanes;
                Vertex(ChannelId::from_index(vertex).number())
            })
        })
    }

    pub(crate) fn dependency_count(&self) -> u64 {
        let ones = |word: &u64| u64::from(word.count_ones());
        self.words.iter().map(ones).sum()
    }
}

struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
