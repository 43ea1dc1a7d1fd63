//! Tables repaired for what is left.

use crate::left::Left;
use crate::routed::Routed;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_routing::{AnyRouting, RepairError, Routes, repair};

/// How much a repair changed.
pub(crate) struct Changed {
    pub(crate) entries: usize,
    /// Entries of the tables that are left.
    pub(crate) of: usize,
}

/// Tables of a fabric repaired, as little as can be, for what failures leave of it.
///
/// # Errors
/// Why they cannot be; [`RepairError::Form`] of what is no plain tables.
pub(crate) fn repaired(
    before: &Fabric,
    routing: &AnyRouting,
    left: &Arc<Left>,
) -> Result<(Routed, Changed), RepairError> {
    let AnyRouting::Fixed(routing) = routing else {
        return Err(RepairError::Form);
    };
    let Routes::Tables(tables) = &routing.routes else {
        return Err(RepairError::Form);
    };
    let repair = repair(before, tables, &left.fabric)?;
    let changed = Changed {
        entries: repair.changed_entries,
        of: left.fabric.switch_count() * tables.granularity().endpoint_count(&left.fabric),
    };
    let mended = routing.with_routes(repair.tables);
    Ok((Routed::of(Arc::clone(left), mended.into()), changed))
}
