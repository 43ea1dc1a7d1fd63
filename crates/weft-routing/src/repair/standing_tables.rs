//! Tables of a fabric whose loads, lanes and order of channels are kept, so that the repair after a failure
//! looks at what that failure touches alone.

use super::failed_parts::Left;
use super::plan::{NO_EXIT, Plan};
use super::{FailedParts, RepairError};
use crate::form::{ForwardingTables, Lane, PairGranularity};
use crate::joining::HeldLanes;
use crate::paths::NO_EDGE;
use std::sync::Arc;
use weft_fabric::Fabric;

/// Forwarding tables with what has to be known of them to repair them at once, whatever fails.
///
/// # Memory
/// A byte per switch and destination, another per switch with hosts and destination for service levels, and
/// some 20 for each turn of a lane that packets make.
#[derive(Clone, Debug)]
pub struct StandingTables {
    pub(super) plan: Arc<Plan>,
    /// Per destination and switch: the place of its edge among those of the switch.
    pub(super) exits: Vec<u8>,
    /// Per destination and source: the service level.
    pub(super) lanes: Vec<Lane>,
    /// Per edge: pairs of compute ends.
    pub(super) loads: Vec<u64>,
    pub(super) held: HeldLanes,
    /// What is left.
    pub(super) left: Arc<Left>,
}

impl StandingTables {
    /// Prepares tables for repair.
    ///
    /// # Errors
    /// [`RepairError::Form`], and [`RepairError::Deadlock`] where they can deadlock.
    ///
    /// # Complexity
    /// Time in proportion to switches and destinations, and the lanes that packets come to a switch on.
    pub fn new(fabric: Arc<Fabric>, tables: &ForwardingTables) -> Result<Self, RepairError> {
        if tables.most_addresses() > 1 || tables.turns() > 1 {
            return Err(RepairError::Form);
        }
        let plan = Plan::new(fabric, tables).ok_or(RepairError::Form)?;
        let switches = plan.space.switch_count();
        let mut exits = vec![NO_EXIT; plan.to.len() * switches];
        let mut lanes = Vec::with_capacity(plan.to.len() * plan.sources.len());
        for (destination, exits) in exits.chunks_mut(switches).enumerate() {
            if let Some(address) = tables.addresses(destination).next() {
                for at in plan.fabric.switch_ids() {
                    let port = tables.next_port(at, address);
                    let edge = port.and_then(|port| plan.space.edge_by_port(at.number(), port));
                    exits[at.index()] = plan.exit(at.number(), edge.unwrap_or(NO_EDGE));
                }
                exits[plan.to[destination] as usize] = NO_EXIT;
            }
            let sources = plan.sources.iter();
            lanes.extend(sources.map(|&source| tables.lane(source, destination)));
        }
        let mut left = Left::all(&plan.fabric, &plan.space);
        let mut held = |counts| plan.held((&exits, &lanes), &mut left, counts);
        // Tables made for hosts alone may have management wait in a circle, which no repair can help.
        let beside = (!plan.rules.are_by_port()).then(|| held(true)).flatten();
        let (loads, held) = (beside.or_else(|| held(false))).ok_or(RepairError::Deadlock)?;
        Ok(Self {
            held,
            plan: Arc::new(plan),
            exits,
            lanes,
            loads,
            left: Arc::new(left),
        })
    }

    /// The fabric that the tables are of.
    pub fn fabric(&self) -> &Arc<Fabric> {
        &self.plan.fabric
    }

    /// What destinations are.
    pub fn granularity(&self) -> PairGranularity {
        self.plan.granularity
    }

    /// What is left after more parts failed.
    pub(super) fn left_after(&self, failed: &FailedParts) -> Left {
        let plan = &self.plan;
        self.left.without(&plan.fabric, &plan.space, failed)
    }

    /// Tells whether no packets of switches without hosts wait in a circle either, with those of hosts, now and after each
    /// repair and on the way there: those on service level 0, whose lane they take. So it is unless switches choose lanes
    /// by ports, but for tables which let them wait so already, and those on several lanes that could not be repaired so.
    pub fn counts_management(&self) -> bool {
        self.left.counts_management
    }

    /// The same without what switches send, where that counts and takes room on one of several lanes. On one lane it
    /// takes none that hosts' packets on the same ways do not take.
    pub(super) fn without_management(&self) -> Option<Self> {
        if !self.counts_management() || self.plan.rules.is_one_lane() {
            return None;
        }
        let mut left = Left::clone(&self.left);
        let (loads, held) = (self.plan).held((&self.exits, &self.lanes), &mut left, false)?;
        Some(Self {
            held,
            plan: Arc::clone(&self.plan),
            exits: self.exits.clone(),
            lanes: self.lanes.clone(),
            loads,
            left: Arc::new(left),
        })
    }

    /// Counts what switches send once more, as of tables that nothing is known of, once these are kept: of those, too,
    /// that have lost their hosts. Where it closes a cycle, it [does not count](Self::counts_management).
    ///
    /// Time in proportion to switches and destinations where it did not count before, and where on several lanes a switch
    /// that stands has lost its hosts.
    pub(super) fn count_management_anew(&mut self) {
        let rules = &self.plan.rules;
        let left = Arc::make_mut(&mut self.left);
        let did_count = left.counts_management;
        let more_are_bare = left.note_bare() && !rules.is_one_lane();
        if rules.are_by_port() || did_count && !more_are_bare {
            return;
        }
        let mut held = |counts| self.plan.held((&self.exits, &self.lanes), left, counts);
        let beside = held(true);
        if beside.is_none() && !did_count {
            left.counts_management = false;
            return;
        }
        if let Some((_, held)) = beside.or_else(|| held(false)) {
            self.held = held;
        }
    }

    /// What is tried beside what switches send, and where it finds no way beside that, [without](Self::without_management):
    /// the tables are those then.
    pub(super) fn with_management_if_it_can<T>(
        &mut self,
        attempt: impl Fn(&mut Self) -> Result<T, RepairError>,
    ) -> Result<T, RepairError> {
        let no_way = match attempt(self) {
            Err(no_way @ RepairError::NoWay { .. }) => no_way,
            found => return found,
        };
        let mut alone = self.without_management().ok_or(no_way)?;
        let found = attempt(&mut alone)?;
        *self = alone;
        Ok(found)
    }

    /// The edges that switches go on by to a destination.
    pub(super) fn edges(&self, destination: usize, next: &mut Vec<u32>) {
        self.plan.edges(&self.exits, destination, next);
    }

    /// The edge that one goes on by.
    pub(super) fn edge(&self, destination: usize, at: u32) -> u32 {
        self.plan.entries(&self.exits, destination).edge(at)
    }

    pub(super) fn set_edge(&mut self, destination: usize, at: u32, edge: u32) {
        let place = destination * self.plan.space.switch_count() + at as usize;
        self.exits[place] = self.plan.exit(at, edge);
    }

    /// The place of the lanes of a destination, and their number.
    pub(super) fn lane_row(&self, destination: usize) -> std::ops::Range<usize> {
        let sources = self.plan.sources.len();
        destination * sources..(destination + 1) * sources
    }
}
