//! What an engine is made of, checked to fit together.

use super::error::EngineError;
use super::flow::Mixed;
use super::routes::{ListedRoutes, Ways};
use std::borrow::Borrow;
use weft_fabric::Fabric;
use weft_model::workload::Workload;
use weft_model::{Change, Changes, WormholeModel};
use weft_routing::{MappedRoutes, SourceRoutes};

/// What cores are made of, for the whole fabric or for its parts.
pub(super) struct Whole<'f, 'a> {
    pub(super) fabric: &'f Fabric,
    pub(super) routes: Ways<'a>,
    /// Routes that hosts may be given.
    pub(super) others: &'a [MappedRoutes],
    pub(super) changes: &'f Changes,
    pub(super) model: &'f WormholeModel,
    pub(super) workload: &'a Workload,
}

/// Nothing happens.
static STILL: Changes = Changes::none();

impl<'f, 'a> Whole<'f, 'a> {
    /// What fits together.
    pub(super) fn checked<R: Borrow<SourceRoutes>>(
        fabric: &'f Fabric,
        routes: &'a ListedRoutes<R>,
        model: &'f WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        model.check_on(fabric)?;
        Ok(Self {
            fabric,
            routes: routes.on(fabric)?,
            others: &[],
            changes: &STILL,
            model,
            workload,
        })
    }

    /// What fits together, where things happen.
    pub(super) fn changing<R: Borrow<SourceRoutes>>(
        fabric: &'f Fabric,
        routes: &'a ListedRoutes<R>,
        others: &'a [MappedRoutes],
        changes: &'f Changes,
        model: &'f WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        if let Some(unknown) = changes.unknown_part(fabric, others.len() + 1) {
            return Err(unknown.into());
        }
        let mut all = changes.by_cycle().iter();
        if let Some(&(cycle, _)) = all.find(|(_, change)| {
            matches!(change, Change::SwitchTables(..) | Change::SwitchEntry(..))
        }) {
            return Err(EngineError::SwitchTables { cycle });
        }
        let whole = Self::checked(fabric, routes, model, workload)?;
        Ok(Self {
            others,
            changes,
            ..whole
        })
    }

    /// Whether packets may be discarded, for which each channel has a sink.
    pub(super) fn has_sinks(&self) -> bool {
        self.model.timeout_cycles.is_some() || !self.changes.by_cycle().is_empty()
    }

    /// Whether packets may stop in transit: where hosts may be given other routes, that is not asked.
    pub(super) fn has_stops(&self) -> bool {
        self.routes.stops.are_any() || !self.others.is_empty()
    }

    /// Channels, with sinks if there are any.
    pub(super) fn part_count(&self) -> usize {
        self.fabric.channel_count() << u32::from(self.has_sinks())
    }

    /// The timing of channels that are not all alike.
    pub(super) fn mixed(&self) -> Mixed {
        Mixed::new(
            &self.model.channels,
            self.fabric.channel_count(),
            self.part_count(),
        )
    }
}
