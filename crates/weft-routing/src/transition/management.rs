//! Whether what switches without hosts answer the subnet manager counts.

use super::TransitionError;
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::{Mixture, Senders};
use super::phase::{Wanted, check_new};
use crate::form::ForwardingTables;
use weft_fabric::Fabric;

/// Two fabrics as one, with what switches without hosts send if that counts: where it waits in no circle, by either
/// tables, with what hosts send, so that no circle has to come of it meanwhile. Of several lanes, which hosts' packets are
/// kept apart by, that is not said. Its new tables are such as a plan may end with.
///
/// # Errors
/// [`TransitionError`].
pub(super) fn joint(
    fabrics: [&Fabric; 2],
    tables: [&ForwardingTables; 2],
) -> Result<Joint, TransitionError> {
    let mut joint = Joint::new(fabrics, tables)?;
    let counts = joint.lane_count == 1
        && !joint.lanes.is_by_port()
        && [Rows::Old, Rows::New]
            .into_iter()
            .all(|rows| waits_in_no_circle(&joint, rows));
    if !counts {
        joint.management = [const { Vec::new() }; 2];
    }
    check_new(&joint, fabrics[1])?;
    Ok(joint)
}

/// Whether no packets wait in a circle by the tables of one side.
fn waits_in_no_circle(joint: &Joint, rows: Rows) -> bool {
    let mut wanted = Wanted::new(joint);
    for address in &joint.addresses {
        let entries = match rows {
            Rows::New => &address.new,
            Rows::Old | Rows::Either => &address.old,
        };
        let senders = Senders {
            sent: [&entries.sent, &[]],
            past: &[],
            management: [&[], &joint.management[usize::from(rows == Rows::New)]],
            rows,
        };
        wanted.add(&Mixture::of_one(joint, &entries.exits, senders));
    }
    wanted.longest_chain().is_some()
}
