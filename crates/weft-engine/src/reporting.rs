//! Deliveries and losses that an engine knows ahead, kept back until their cycles are over.

use crate::probe::Probe;
use weft_model::{LossRecord, PacketRecord};

/// How many are collected before they are looked through: few enough to stay in the cache.
const COLLECTED: usize = 1 << 10;

/// What is to be told to whoever measures.
#[derive(Debug)]
pub(crate) struct Reports {
    deliveries: Vec<PacketRecord>,
    losses: Vec<LossRecord>,
    /// How many of both are collected before they are looked through.
    look_at: usize,
    /// Deliveries told so far.
    pub(crate) delivered: u64,
    /// Losses told so far.
    pub(crate) lost: u64,
}

impl Reports {
    /// Nothing to tell.
    pub(crate) fn new() -> Self {
        Self {
            deliveries: Vec::new(),
            losses: Vec::new(),
            look_at: COLLECTED,
            delivered: 0,
            lost: 0,
        }
    }

    /// Takes a packet that is, or will be, delivered.
    #[inline]
    pub(crate) fn deliver(&mut self, record: PacketRecord) {
        self.deliveries.push(record);
    }

    /// Takes a packet that is, or will be, lost.
    pub(crate) fn lose(&mut self, record: LossRecord) {
        self.losses.push(record);
    }

    /// Whether so many are collected that they are to be told.
    #[inline]
    pub(crate) fn are_many(&self) -> bool {
        self.deliveries.len() + self.losses.len() >= self.look_at
    }

    /// Tells what happened before `cycle`. What must still be kept back is looked through again when there is
    /// twice as much.
    pub(crate) fn tell(&mut self, cycle: u64, probe: &mut impl Probe) {
        let is_over = |record: &mut PacketRecord| record.delivery_cycle < cycle;
        for record in self.deliveries.extract_if(.., is_over) {
            self.delivered += 1;
            probe.delivered(&record);
        }
        for record in self.losses.extract_if(.., |record| record.cycle < cycle) {
            self.lost += 1;
            probe.lost(&record);
        }
        self.look_at = COLLECTED + 2 * (self.deliveries.len() + self.losses.len());
    }
}
