//! What puts packets on lanes: service levels of pairs, and the lanes of levels at switches.

pub(crate) mod on_lanes;
pub(crate) mod service_level_dump;
pub(crate) mod sl2vl_dump;
