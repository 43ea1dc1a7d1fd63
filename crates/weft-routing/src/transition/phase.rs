//! A phase as it is planned: what packets may wait for, and what is written in which round.

use super::addresses::Address;
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::{Mixture, Senders, Turn};
use super::side::HERE;
use super::{Phase, Renewal, Step, TransitionError, Write};
use crate::cycles::{AcyclicDependencies, Dependencies};
use crate::form::Lane;
use weft_fabric::{Fabric, SwitchId};

/// What packets may wait for, cycles and all.
pub(super) struct Wanted {
    graph: Dependencies,
}

/// A phase that is planned.
pub(super) struct OpenPhase<'j> {
    joint: &'j Joint,
    /// What packets may wait for by what stands when it begins, each as often as there are addresses to which
    /// packets do, and by what is held for the phase.
    graph: AcyclicDependencies,
    /// What is held for the phase.
    held: Vec<Turn>,
    most_switches: u32,
    /// Addresses whose new levels hosts may be told from the beginning.
    pub(super) answered: Vec<u32>,
    /// Switches whose lane tables are written, once hosts are told.
    pub(super) relaned: Vec<SwitchId>,
    /// Entries by the round they are written in.
    pub(super) rounds: Vec<Vec<Write>>,
    /// Those that hosts of a switch are told from the beginning, and let go of old ones for by the end.
    pub(super) moved: Vec<Renewal>,
    /// Those that hosts are told at the end.
    pub(super) told: Vec<u32>,
    /// Those whose old levels nobody uses at the end.
    pub(super) renewed: Vec<u32>,
    /// Those that are cleared, by number.
    pub(super) cleared: Vec<usize>,
}

impl Wanted {
    pub(super) fn new(joint: &Joint) -> Self {
        Self {
            graph: Dependencies::new(joint.vertex_count()),
        }
    }

    /// Adds what packets may meet.
    pub(super) fn add(&mut self, mixture: &Mixture<'_>) {
        for turn in mixture.turns() {
            self.graph.add(turn[0], turn[1]);
        }
    }

    /// Counts the channels of the longest chain of which each waits for the next; `None` where that closes a
    /// cycle.
    pub(super) fn longest_chain(&self) -> Option<usize> {
        let ranks = self.graph.ranks()?;
        let mut ranked: Vec<u32> = (0..).take(ranks.len()).collect();
        ranked.sort_unstable_by_key(|&vertex| ranks[vertex as usize]);
        let mut chain = vec![1; ranks.len()];
        for held in ranked {
            for &(wanted, _) in self.graph.wanted(held) {
                chain[wanted as usize] = chain[wanted as usize].max(chain[held as usize] + 1);
            }
        }
        chain.into_iter().max()
    }

    /// All of it, with an order that it ascends; `None` where it closes a cycle.
    pub(super) fn into_graph(self) -> Option<AcyclicDependencies> {
        AcyclicDependencies::of(self.graph)
    }
}

impl<'j> OpenPhase<'j> {
    /// A phase in which packets may wait for so much, and meet so many switches.
    pub(super) fn new(joint: &'j Joint, graph: AcyclicDependencies, most_switches: u32) -> Self {
        Self {
            joint,
            graph,
            held: Vec::new(),
            most_switches,
            answered: Vec::new(),
            relaned: Vec::new(),
            rounds: Vec::new(),
            moved: Vec::new(),
            told: Vec::new(),
            renewed: Vec::new(),
            cleared: Vec::new(),
        }
    }

    /// Lets happen what may, unless it would close a cycle, and tells which.
    #[must_use]
    pub(super) fn hold(&mut self, mixture: &Mixture<'_>) -> bool {
        let before = self.held.len();
        for turn in mixture.turns() {
            if !self.graph.add(turn[0], turn[1]) {
                self.let_go(before);
                return false;
            }
            self.held.push(turn);
        }
        self.most_switches = self.most_switches.max(mixture.most_switches());
        true
    }

    /// Tells whether all of some mixtures can happen too, and lets them if so.
    pub(super) fn hold_all<'m>(&mut self, mixtures: impl Iterator<Item = Mixture<'m>>) -> bool {
        let before = (self.held.len(), self.most_switches);
        for mixture in mixtures {
            if !(mixture.goes_on() && self.hold(&mixture)) {
                self.let_go(before.0);
                self.most_switches = before.1;
                return false;
            }
        }
        true
    }

    /// Tells whether something could be held, and lets go of it.
    pub(super) fn would(&mut self, hold: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = (self.held.len(), self.most_switches);
        let may = hold(self);
        self.let_go(before.0);
        self.most_switches = before.1;
        may
    }

    /// Lets go of what was held last, but for so many.
    fn let_go(&mut self, before: usize) {
        for pair in self.held.drain(before..) {
            self.graph.remove_route(&pair);
        }
    }

    /// The same without what packets wait for by something that stood when the phase began.
    pub(super) fn without<'m>(&self, standing: impl Iterator<Item = Mixture<'m>>) -> Self {
        let mut rest = Self::new(self.joint, self.graph.clone(), 0);
        rest.take_away(standing);
        rest
    }

    fn take_away<'m>(&mut self, standing: impl Iterator<Item = Mixture<'m>>) {
        for mixture in standing {
            for turn in mixture.turns() {
                self.graph.remove_route(&turn);
            }
        }
    }

    /// What packets may wait for after the phase, by what stands then in the place of what stood before.
    ///
    /// # Panics
    /// When what stands was not held.
    pub(super) fn ended<'m>(
        &mut self,
        stands: impl Iterator<Item = Mixture<'m>>,
        stood: impl Iterator<Item = Mixture<'m>>,
    ) -> AcyclicDependencies {
        for mixture in stands {
            let before = self.held.len();
            let is_held = self.hold(&mixture);
            assert!(is_held, "what stands after a phase was held in it");
            // It stays.
            self.held.truncate(before);
        }
        self.take_away(stood);
        self.let_go(0);
        std::mem::replace(&mut self.graph, AcyclicDependencies::new(0))
    }

    /// Tells whether there is anything to do.
    pub(super) fn has_something(&self) -> bool {
        !(self.answered.is_empty()
            && self.relaned.is_empty()
            && self.rounds.is_empty()
            && self.moved.is_empty()
            && self.renewed.is_empty())
    }

    /// Writes an entry in a round, from 0 up.
    pub(super) fn write(&mut self, round: usize, write: Write) {
        if self.rounds.len() <= round {
            self.rounds.resize_with(round + 1, Vec::new);
        }
        self.rounds[round].push(write);
    }

    /// Closes the phase: what is done, and the order that packets ascend.
    pub(super) fn close(&mut self, after: &Fabric) -> Phase {
        let lanes = self.joint.lane_count;
        let ranks = self.graph.ranks();
        let mut order = vec![0; after.channel_count() * lanes];
        for (edge, of) in (0..).zip(&self.joint.edges) {
            let Some(channel) = of.channel else { continue };
            for lane in (0..=u8::MAX).take(lanes) {
                let vertex = self.joint.vertex(edge, lane);
                order[channel.index() * lanes + Lane::new(lane).index()] = ranks[vertex as usize];
            }
        }
        Phase {
            steps: self.steps(),
            order: Some(order),
            most_switches: self.most_switches,
        }
    }

    /// What is done, steps without anything to do left out.
    fn steps(&mut self) -> Vec<Step> {
        let mut steps = vec![
            Step::Answer(std::mem::take(&mut self.answered)),
            Step::WriteLanes(std::mem::take(&mut self.relaned)),
        ];
        for mut writes in std::mem::take(&mut self.rounds) {
            writes.sort_unstable();
            steps.push(Step::Write(writes));
        }
        self.moved.sort_unstable();
        steps.extend([
            Step::Answer(std::mem::take(&mut self.told)),
            Step::Renew(std::mem::take(&mut self.renewed)),
            Step::RenewEach(std::mem::take(&mut self.moved)),
        ]);
        steps.retain(|step| match step {
            Step::Write(writes) => !writes.is_empty(),
            Step::WriteLanes(switches) => !switches.is_empty(),
            Step::Answer(addresses) | Step::Renew(addresses) => !addresses.is_empty(),
            Step::RenewEach(renewals) | Step::RenewForTrees(renewals) => !renewals.is_empty(),
        });
        steps
    }
}

/// The write of what new tables say, or what clears the entry.
pub(super) fn write_of(
    joint: &Joint,
    (number, address): (u32, &Address),
    at: u32,
    exit: Option<u32>,
) -> Write {
    let port = exit.and_then(|exit| match exit {
        HERE => address.own_port,
        exit if joint.stands(exit) => Some(joint.edges[exit as usize].port),
        _ => None,
    });
    Write {
        switch: SwitchId::new(at),
        address: number,
        port,
    }
}

/// Makes sure that packets cannot deadlock with the new tables, and that switches have lanes for them.
///
/// # Errors
/// [`TransitionError::Deadlock`], [`TransitionError::NotReached`].
pub(super) fn check_new(joint: &Joint, after: &Fabric) -> Result<(), TransitionError> {
    let mut wanted = Wanted::new(joint);
    for address in &joint.addresses {
        let mixture = |sent, management| {
            let senders = Senders {
                sent: [sent, &[]],
                past: &[],
                management: [&[], management],
                rows: Rows::New,
            };
            Mixture::of_one(joint, &address.new.exits, senders)
        };
        let all = mixture(&address.new.sent, &joint.management[1]);
        let mut each = address.new.sent.chunks(1).filter(|_| !all.has_lanes());
        if let Some([sent]) = each.find(|&sent| !mixture(sent, &[]).has_lanes()) {
            return Err(address.not_reached(after, *sent));
        }
        wanted.add(&all);
    }
    wanted
        .into_graph()
        .map(drop)
        .ok_or(TransitionError::Deadlock)
}
