//! Tables by LID that leave no choice, as `OpenSM` dumps them.

pub(crate) mod fdb_file;
pub(crate) mod lft_dump;
mod table_entries;

use weft_fabric::formats::ReadNote;
use weft_routing::AnyRouting;

/// Routes as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRoutes {
    /// The routes; of tables that came from elsewhere, the algorithm is the format's name.
    pub routing: AnyRouting,
    /// What was passed over, in the order of the file.
    pub notes: Vec<ReadNote>,
}
