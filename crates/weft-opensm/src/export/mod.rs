//! What a running `OpenSM` takes to route as we say, and what others check it by.
//!
//! ```text
//!                        ┌─► lfts ───────────► the tables, by LID and GUID
//! Routes ─► to_tables ─┐ ├─► policy ─────────► service level of each pair of ports
//!                      ├─┤ or plugin ────────► the same, and the lanes of each switch
//! Fabric ─► Subnet ────┘ ├─► conf, guid2lid ─► options, LIDs
//!                        └─► offline ────────► .lst, .fdbs, path-SL, SL2VL: what ibdmchk reads
//! ```
//!
//! The stock `file` engine loads the tables; where every service level travels on the lane of its
//! number, the levels come from a `QoS` policy, so that no code of ours runs inside `OpenSM`. Where
//! switches choose lanes by the ports a packet comes and goes by, a plugin of ours tells them.

mod error;
mod exits;
mod exported_subnet;
mod guid_groups;
mod ibdmchk_files;
mod lanes_by_level;
mod lft_file;
mod loaded_tables;
mod opensm_conf;
mod plugin_lanes;
mod port_lids;
mod printed_tables;
mod qos_policy;
mod ranked_channels;
mod readme;
mod tables_layout;
mod ways_to_switches;

pub use error::OpensmError;
pub use loaded_tables::LoadedTables;
pub use ways_to_switches::entries_of_management;

pub(crate) use exported_subnet::guids as subnet_guids;
pub(crate) use port_lids::PortLids;
pub(crate) use printed_tables::LEFT_OUT_FROM;

use exported_subnet::Subnet;
use lanes_by_level::LaneRows;
use ways_to_switches::Ordered;
use weft_fabric::{ChannelId, Fabric, HostId, SwitchId};
use weft_routing::{
    ForwardingTables, Lane, LaneKey, LaneTables, Routes, Routing, complete_addresses, to_tables,
};

/// The routing engine that shall load the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpensmEngine {
    /// `OpenSM`'s own `file`: every service level has one lane.
    File,
    /// Our plugin `weft`: switches are told the lanes by the ports a packet comes and goes by.
    Weft,
}

impl OpensmEngine {
    /// Its name in `OpenSM`'s options.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Weft => "weft",
        }
    }
}

/// An order of the lanes of all channels.
#[derive(Clone, Copy, Debug)]
pub struct LaneOrder<'a> {
    /// Lanes of each channel.
    pub lane_count: u8,
    /// Per channel and lane, the lanes of channel 0 first.
    pub ranks: &'a [u32],
}

impl LaneOrder<'_> {
    /// The rank of a lane of a channel; `None` of a lane the order does not know.
    fn rank(&self, channel: ChannelId, lane: Lane) -> Option<u32> {
        let lanes = usize::from(self.lane_count);
        let place = channel.index() * lanes + lane.index();
        self.ranks
            .get(place)
            .filter(|_| lane.index() < lanes)
            .copied()
    }
}

/// What is known of the routes, and where the files will lie.
#[derive(Clone, Debug)]
pub struct OpensmOptions<'a> {
    /// The folder as `OpenSM` will find it, an absolute path.
    pub folder: &'a str,
    /// How the fabric is called in the commands of the README: its file.
    pub fabric_file: &'a str,
    /// Most LIDs of a port: 2 to this power.
    pub lmc: u8,
    /// The engine that shall load the tables: `None` for `OpenSM`'s own wherever it can.
    pub engine: Option<OpensmEngine>,
    /// An order of the channels that every route ascends, from a proof of the routes: the switches'
    /// own LIDs are given ways that ascend it too. Without, these ways are short and nothing else.
    pub order: Option<LaneOrder<'a>>,
    /// What is known of the routes, a sentence for the README.
    pub verdict: &'a str,
    /// Whether what is known holds for sources that send to any LID of a host, too.
    pub holds_for_any_lid: bool,
    /// Whether the files are those alone that `OpenSM` loads, without what people and `ibdmchk` read.
    pub is_for_opensm_alone: bool,
}

/// The files, and what is in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpensmFiles {
    /// Name and content of each; where they are for `OpenSM` alone, without that of the tables.
    pub files: Vec<(&'static str, String)>,
    /// The tables.
    pub tables: LoadedTables,
    /// Each port has 2 to this power LIDs.
    pub lmc: u8,
    /// Ports that get a LID which the fabric does not say; all others keep theirs.
    pub new_lids: usize,
    /// The engine that loads the tables.
    pub engine: OpensmEngine,
    /// Lanes in use.
    pub lane_count: u8,
    /// Service levels in use.
    pub level_count: u8,
    /// Match rules of the `QoS` policy.
    pub policy_rules: usize,
    /// Whether each source has a certain LID of a destination to send to for the routes to be those that
    /// were planned.
    pub needs_chosen_lids: bool,
    /// Hosts that no subnet manager should run on: some switches without hosts are not led to them, as what these sent
    /// could wait in a circle.
    pub unfit_for_managers: Vec<HostId>,
    /// Pairs of switches, and of a switch without hosts and an address of hosts, whose ways for management ascend
    /// no proved order.
    pub unordered_switch_pairs: usize,
}

/// Names of the files.
const LFTS: &str = "weft.lfts";
const CONF: &str = "opensm.conf";
const LANES: &str = "weft.lfts.lanes";
const POLICY: &str = "qos-policy.conf";
const GUID2LID: &str = "guid2lid";
const LST: &str = "subnet.lst";
const FDBS: &str = "routes.fdbs";
const MCFDBS: &str = "empty.mcfdbs";
const PATH_SL: &str = "path-sl.txt";
const SL2VL: &str = "sl2vl.dump";
const PATHS: &str = "paths.csv";
const README: &str = "README.md";

/// Puts routes into the tables that are exported: with as many LIDs for a port as they need, and ways from
/// everywhere to each of them.
///
/// # Errors
/// [`OpensmError`] when tables cannot hold the routes.
pub fn exported_tables(
    fabric: &Fabric,
    routes: &Routes,
    lmc: u8,
) -> Result<ForwardingTables, OpensmError> {
    Ok(complete_addresses(fabric, to_tables(fabric, routes, lmc)?))
}

/// Tables in which switches without hosts lead to all addresses of hosts, too: they answer the subnet manager there.
///
/// Entries there are stay. The others ascend the order of the channels wherever they can, so that repairs and transitions
/// of these tables know the ways of management and keep them. Beside the tables stand the entries that they have more, by
/// switch and endpoint.
pub fn managed_tables(
    fabric: &Fabric,
    mut tables: ForwardingTables,
    order: Option<LaneOrder<'_>>,
) -> (ForwardingTables, Vec<(SwitchId, usize)>) {
    let led = Ordered::new(fabric, &tables, order).lead_to_hosts(fabric, &mut tables);
    (tables, led.entries)
}

/// Makes the files for a routing of a fabric.
///
/// The routes are put into [tables](exported_tables) first, if they are not in such.
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
    let mut tables = exported_tables(fabric, &routing.routes, options.lmc)?;
    if tables.turns() > 1 {
        return Err(OpensmError::Turns {
            turns: tables.turns(),
        });
    }
    let engine = engine_for(options.engine, &tables)?;
    let ordered = Ordered::new(fabric, &tables, options.order);
    let to_hosts = ordered.lead_to_hosts(fabric, &mut tables);
    let subnet = Subnet::new(fabric, &tables)?;
    let (level_count, lane_count) = (subnet.level_count(), subnet.lane_count());
    if lane_count > MOST_LANES {
        return Err(OpensmError::TooManyLanes { found: lane_count });
    }
    let lane_rows = LaneRows::new(&tables, opensm_conf::lanes_of_ports(lane_count));
    let has_levels = lane_count > 1 || level_count > 1;
    let is_for_all = !options.is_for_opensm_alone;
    let management = ordered.ways(&subnet);
    let loaded = LoadedTables::of(&subnet, &management);
    let lfts = is_for_all.then(|| lft_file::lfts(&subnet, &loaded));
    let lanes = (engine == OpensmEngine::Weft).then(|| {
        let lanes = |lfts: &[u8]| plugin_lanes::lanes(&subnet, &lane_rows, lfts);
        match &lfts {
            Some(lfts) => lanes(lfts.as_bytes()),
            None => lanes(&loaded.text()),
        }
    });
    let mut files: Vec<_> = lfts.map(|lfts| (LFTS, lfts)).into_iter().collect();
    files.push((GUID2LID, opensm_conf::guid2lid(&subnet)));
    files.extend(lanes.map(|lanes| (LANES, lanes)));
    let mut policy_rules = 0;
    match engine {
        OpensmEngine::File if has_levels => {
            let policy = qos_policy::Policy::of(&subnet);
            policy_rules = policy.rules.len();
            files.push((POLICY, policy.text()));
        }
        _ => {}
    }
    if has_levels && is_for_all {
        files.push((PATH_SL, ibdmchk_files::path_sl(&subnet)));
        files.push((SL2VL, ibdmchk_files::sl2vl(&subnet, &lane_rows)));
    }
    let lanes = has_levels.then_some(lane_count);
    files.push((
        CONF,
        opensm_conf::conf(&subnet, options.folder, engine, lanes),
    ));
    if is_for_all {
        files.push((LST, ibdmchk_files::lst(&subnet)?));
        files.push((FDBS, ibdmchk_files::fdbs(&subnet, &management)));
        files.push((MCFDBS, String::new()));
    }
    let needs_chosen_lids = !tables.sends_to_first_addresses() && !tables.sends_to_any_address();
    if is_for_all && (needs_chosen_lids || has_levels) {
        files.push((PATHS, ibdmchk_files::paths(&subnet)));
    }
    let mut made = OpensmFiles {
        files,
        tables: loaded,
        lmc: subnet.lmc,
        new_lids: subnet.new_lids,
        engine,
        lane_count,
        level_count,
        policy_rules,
        needs_chosen_lids,
        unfit_for_managers: to_hosts.lacking_hosts(fabric, &tables),
        unordered_switch_pairs: management.unordered_pairs + to_hosts.unordered_pairs,
    };
    if is_for_all {
        let readme = readme::readme(&subnet, routing, options, &made);
        made.files.push((README, readme));
    }
    Ok(made)
}

/// Data lanes there can be: the one above carries management alone.
const MOST_LANES: u8 = 15;

/// The engine that loads tables.
fn engine_for(
    asked: Option<OpensmEngine>,
    tables: &ForwardingTables,
) -> Result<OpensmEngine, OpensmError> {
    match (tables.lane_tables().map(LaneTables::key), asked) {
        (Some(LaneKey::IncomingLane), _) => Err(OpensmError::IncomingLanes),
        (Some(LaneKey::ServiceLevel), Some(OpensmEngine::File)) => Err(OpensmError::LaneTables),
        (Some(LaneKey::ServiceLevel), None) => Ok(OpensmEngine::Weft),
        (_, Some(asked)) => Ok(asked),
        (None, None) => Ok(OpensmEngine::File),
    }
}
