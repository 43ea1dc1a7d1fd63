//! What there is without a part: repaired, or routed anew.

use crate::error::ExploreError;
use crate::kept::Kept;
use crate::repaired::{Changed, repaired};
use crate::routed::Routed;
use crate::state::{Part, State};
use std::sync::Arc;

/// What there is without a part.
pub(crate) struct Mended {
    pub(crate) after: Arc<Routed>,
    /// How much changed by the repair, or why all is routed anew.
    pub(crate) how: Result<Changed, String>,
}

/// Mends what a state asks for without a part more: repaired, or else routed anew.
///
/// # Errors
/// Why it cannot be routed anew either.
pub(crate) fn mended(
    kept: &Kept,
    state: &State,
    before: &Routed,
    part: Part,
) -> Result<Mended, ExploreError> {
    let failed = state.failed.and(part);
    let left = kept.left(&failed)?;
    match repaired(&before.left.fabric, before.network.routing(), &left) {
        Ok((repaired, changed)) => Ok(Mended {
            after: Arc::new(repaired),
            how: Ok(changed),
        }),
        Err(why) => {
            let state = State {
                failed,
                ..state.clone()
            };
            Ok(Mended {
                after: kept.routed(&state)?,
                how: Err(why.to_string()),
            })
        }
    }
}
