//! Ways from everywhere to the addresses that some sources alone were planned to send to.
//!
//! Destination renaming gives an address the entries of those who send to it. Clients do not all ask which
//! that is: some take the first, some all. So every address gets ways from everywhere, in such a way that
//! the dependencies of all ways together close no cycle on any lane.

mod ways_to_addresses;

use crate::form::ForwardingTables;
use crate::paths::{PathSpace, TurnRule};
use ways_to_addresses::Ways;
use weft_fabric::Fabric;

/// Gives every address of every destination entries by which it is reached from everywhere.
///
/// Entries there are stay, and so do the addresses that sources were planned to send to. The others lead
/// by ways that the lanes of all sources hold beside what they hold already. Where no entries do for all
/// sources, those of a destination that its ways do not suit change their service level, to one that holds
/// all their ways to it: another in use or, of at most 16, a new one with a lane of its own. So routes stay
/// as they were planned, and on one lane nearly always their lanes too.
///
/// Tables of one address for each destination, those whose sources send to any, and those where packets of a
/// pair take several levels in turn are returned as they are; so are those that lead everywhere already.
/// Where planned routes can deadlock or lead nowhere, or lanes run out, the result is not free
/// of deadlock either: it has to be proved, with [`send_to_any_address`].
///
/// [`send_to_any_address`]: ForwardingTables::send_to_any_address
///
/// # Complexity
/// Time in proportion to the steps of the ways from each switch to each address, times the levels that are
/// tried, and to the search of orders that dependencies ascend.
pub fn complete_addresses(fabric: &Fabric, tables: ForwardingTables) -> ForwardingTables {
    if tables.most_addresses() < 2 || tables.sends_to_any_address() || tables.turns() > 1 {
        return tables;
    }
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let count = tables.endpoint_count();
    let mut ways = Ways::new(fabric, &space, tables);
    if (0..count).all(|destination| ways.lead_everywhere(destination)) {
        return ways.into_tables();
    }
    for destination in 0..count {
        ways.complete(destination);
    }
    ways.into_tables()
}
