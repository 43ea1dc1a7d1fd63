//! Cables between switches that form groups.

use super::pattern::Socket;
use crate::LinkId;

/// A cable between two switches of groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cable {
    pub(super) link: LinkId,
    pub(super) ends: [Socket; 2],
}
