//! What a running `OpenSM` takes to route as we say, and what others check it by.
//!
//! ```text
//!                        ┌─► lfts ───────────► the tables, by LID and GUID
//! Routes ─► to_tables ─┐ ├─► policy ─────────► service level of each pair of ports
//!                      ├─┼─► conf, guid2lid ─► options, LIDs
//! Fabric ─► Subnet ────┘ └─► offline ────────► .lst, .fdbs, path-SL, SL2VL: what ibdmchk reads
//! ```
//!
//! The stock `file` engine loads the tables; the service levels come from a `QoS` policy, so that no
//! code of ours runs inside `OpenSM`. Every service level travels on the lane of its number.

mod conf;
mod error;
mod guid_groups;
mod lfts;
mod management;
mod offline;
mod policy;
mod readme;
mod subnet;

pub use error::OpensmError;

use crate::renaming::to_tables;
use crate::routes::Routing;
use subnet::Subnet;
use weft_fabric::Fabric;

/// What is known of the routes, and where the files will lie.
#[derive(Clone, Debug)]
pub struct OpensmOptions<'a> {
    /// The folder as `OpenSM` will find it, an absolute path.
    pub folder: &'a str,
    /// How the fabric is called in the commands of the README: its file.
    pub fabric_file: &'a str,
    /// Most LIDs of a port: 2 to this power.
    pub lmc: u8,
    /// An order of the channels that every route ascends on lane 0, from a proof of the routes, one
    /// rank per channel: the switches' own LIDs are given ways that ascend it too. Without, these
    /// ways are short and nothing else.
    pub ranks: Option<&'a [u32]>,
    /// What is known of the routes, a sentence for the README.
    pub verdict: &'a str,
    /// Whether what is known holds for sources that send to any LID of a host, too.
    pub holds_for_any_lid: bool,
}

/// The files, and what is in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpensmFiles {
    /// Name and content of each.
    pub files: Vec<(&'static str, String)>,
    /// Each port has 2 to this power LIDs.
    pub lmc: u8,
    /// Whether the LIDs are those of the fabric.
    pub keeps_lids: bool,
    /// Lanes in use, of service levels from 0.
    pub lane_count: u8,
    /// Match rules of the `QoS` policy.
    pub policy_rules: usize,
    /// Whether sources must send to one certain LID of a destination for the routes to be those that
    /// were exported.
    pub needs_chosen_lids: bool,
    /// Pairs of switches whose own LIDs are led to by short ways that ascend no proved order.
    pub unordered_switch_pairs: usize,
}

/// Names of the files.
const LFTS: &str = "weft.lfts";
const CONF: &str = "opensm.conf";
const POLICY: &str = "qos-policy.conf";
const GUID2LID: &str = "guid2lid";
const LST: &str = "subnet.lst";
const FDBS: &str = "routes.fdbs";
const MCFDBS: &str = "empty.mcfdbs";
const PATH_SL: &str = "path-sl.txt";
const SL2VL: &str = "sl2vl.dump";
const PATHS: &str = "paths.csv";
const README: &str = "README.md";

/// This makes the files for a routing of a fabric.
///
/// The routes are put into forwarding tables first, if they are not in such, with as many LIDs for a
/// port as they need.
///
/// # Errors
/// [`OpensmError`] when the fabric lacks identifiers or `OpenSM`'s tables cannot hold the routes; the
/// text says what could.
///
/// # Complexity
/// Text in proportion to switches times LIDs; with several lanes also to pairs of hosts.
pub fn export(
    fabric: &Fabric,
    routing: &Routing,
    options: &OpensmOptions<'_>,
) -> Result<OpensmFiles, OpensmError> {
    let tables = to_tables(fabric, &routing.routes, options.lmc)?;
    if tables.turns() > 1 {
        return Err(OpensmError::Turns {
            turns: tables.turns(),
        });
    }
    if tables.lane_tables().is_some() {
        return Err(OpensmError::LaneTables);
    }
    let subnet = Subnet::new(fabric, &tables)?;
    let lane_count = subnet.level_count();
    if lane_count > MOST_LANES {
        return Err(OpensmError::TooManyLanes { found: lane_count });
    }
    let management = management::ways(fabric, options.ranks);
    let mut files = vec![
        (LFTS, lfts::lfts(&subnet, &management)),
        (GUID2LID, conf::guid2lid(&subnet)),
    ];
    let mut policy_rules = 0;
    if lane_count > 1 {
        let policy = policy::Policy::of(&subnet);
        policy_rules = policy.rules.len();
        files.push((POLICY, policy.text()));
        files.push((PATH_SL, offline::path_sl(&subnet)));
        files.push((
            SL2VL,
            offline::sl2vl(&subnet, conf::lanes_of_ports(lane_count)),
        ));
    }
    files.push((CONF, conf::conf(&subnet, options.folder, lane_count)));
    files.push((LST, offline::lst(&subnet)?));
    files.push((FDBS, offline::fdbs(&subnet, &management)));
    files.push((MCFDBS, String::new()));
    let needs_chosen_lids = !tables.sends_to_first_addresses() && !tables.sends_to_any_address();
    if needs_chosen_lids {
        files.push((PATHS, offline::paths(&subnet)));
    }
    let mut made = OpensmFiles {
        files,
        lmc: subnet.lmc,
        keeps_lids: subnet.keeps_lids,
        lane_count,
        policy_rules,
        needs_chosen_lids,
        unordered_switch_pairs: management.unordered_pairs,
    };
    let readme = readme::readme(&subnet, routing, options, &made);
    made.files.push((README, readme));
    Ok(made)
}

/// Data lanes there can be: the one above carries management alone.
const MOST_LANES: u8 = 15;
