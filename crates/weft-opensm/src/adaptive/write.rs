//! Tables of groups as ibdiagnet dumps them.

use super::group_rows::NO_PORT;
use super::lane_switching::LEVELS_START;
use crate::export::{OpensmError, PortLids, subnet_guids};
use std::fmt::Write;
use weft_fabric::formats::{FormatName, write};
use weft_fabric::{Fabric, LidRange, PortNumber, SwitchId, narrow};
use weft_routing::{
    ForwardingTables, GroupEntry, GroupTables, Lane, LaneKey, LaneRow, LaneTables, LidState,
    PortGroup, SwitchGroups,
};

/// The files, and the LIDs in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupTableFiles {
    /// Name and content of each: `.far`, `.fdbs`, the wiring as `.lst` and `.ibnetdiscover`, and as far as the tables
    /// need them `.plft`, `.vl2vl` and `.slvl`.
    pub files: Vec<(&'static str, String)>,
    /// The fabric with the LIDs of the files.
    pub fabric: Fabric,
    /// Whether the LIDs are those that the fabric had.
    pub keeps_lids: bool,
}

/// Writes tables of groups as ibdiagnet dumps them, with the wiring beside them.
///
/// What [`read_group_tables`](super::read_group_tables) reads of the files are the same tables. Entries of switches' own LIDs are left out, as these tables have none.
///
/// # Errors
/// [`OpensmError`] when the fabric lacks GUIDs, or there are not as many LIDs.
pub fn write_group_tables(
    fabric: &Fabric,
    tables: &GroupTables,
) -> Result<GroupTableFiles, OpensmError> {
    let (guids, _) = subnet_guids(fabric)?;
    let (fabric, keeps_lids) = with_lids(fabric, tables)?;
    let mut lids: Vec<(u16, usize)> = Vec::with_capacity(tables.address_count());
    for host in fabric.host_ids() {
        let of_host = fabric.host(host).lids.into_iter().flat_map(LidRange::lids);
        lids.extend(of_host.zip(tables.addresses(host)));
    }
    lids.sort_unstable();
    let subnet = Subnet {
        fabric: &fabric,
        tables,
        guids: &guids,
        lids: &lids,
    };
    let mut files = vec![("ibdiagnet2.far", subnet.groups())];
    files.push(("ibdiagnet2.fdbs", subnet.static_ports()));
    let switches = || fabric.switch_ids().map(|id| tables.switch(id));
    if !switches().all(SwitchGroups::has_one_table) {
        files.push(("ibdiagnet2.plft", subnet.private_tables()));
    }
    if let Some(lanes) = tables.lane_tables() {
        files.push(("ibdiagnet2.slvl", subnet.lane_maps(lanes)));
    }
    if fabric.switch_ids().any(|id| subnet.levels_by_lane(id) != 0) {
        files.push(("ibdiagnet2.vl2vl", subnet.lane_switching()));
    }
    files.push(("ibdiagnet2.lst", write(&fabric, FormatName::SubnetList)?));
    let discovery = write(&fabric, FormatName::Ibnetdiscover)?;
    files.push(("ibdiagnet2.ibnetdiscover", discovery));
    Ok(GroupTableFiles {
        files,
        fabric,
        keeps_lids,
    })
}

/// Forwarding tables as tables of groups in which no switch chooses; `None` where pairs have service levels of their
/// own, which these do not hold.
pub fn static_group_tables(fabric: &Fabric, tables: &ForwardingTables) -> Option<GroupTables> {
    if tables.lanes_per_turn() > 1 || tables.turns() > 1 {
        return None;
    }
    let granularity = tables.granularity();
    let of_host = |host| tables.addresses(granularity.endpoint(fabric, host));
    let counts = fabric.host_ids().map(|host| {
        let count = of_host(host).len().max(1);
        narrow(count, "a destination has 255 addresses at most")
    });
    let counts: Vec<u8> = counts.collect();
    let mut made = GroupTables::new(fabric, &counts);
    for host in fabric.host_ids() {
        for (from, to) in of_host(host).zip(made.addresses(host)) {
            for switch in fabric.switch_ids() {
                let port = if fabric.host_switch(host) == switch {
                    Some(fabric.host_port(host))
                } else {
                    tables.next_port(switch, from)
                };
                let static_port = port.unwrap_or(PortNumber::new(0));
                let entry = GroupEntry {
                    static_port,
                    ..GroupEntry::NONE
                };
                made.set_entry(switch, 0, to, entry);
            }
        }
    }
    if let Some(lanes) = tables.lane_tables() {
        made.set_lane_tables(lanes.clone());
    }
    Some(made)
}

/// The fabric with LIDs for all addresses: those that it has, where they serve, else others; and whether they are its
/// own.
fn with_lids(fabric: &Fabric, tables: &GroupTables) -> Result<(Fabric, bool), OpensmError> {
    let own = fabric.host_ids().map(|id| {
        let lids = fabric.host(id).lids;
        lids.filter(|lids| lids.lids().len() >= tables.addresses(id).len())
    });
    let own: Vec<_> = own.collect();
    let addresses = fabric.host_ids().map(|id| tables.addresses(id).len());
    let most = addresses.max().unwrap_or(1).max(1).next_power_of_two();
    let lmc = narrow(most.trailing_zeros(), "a number has 64 digits at most");
    let lids = PortLids::of(fabric, &own, lmc)?;
    let [switches, hosts] = [lids.switches, lids.hosts].map(|of| of.into_iter().map(Some));
    let fabric = fabric
        .clone()
        .with_lids(switches.collect(), hosts.collect());
    Ok((fabric, lids.new == 0))
}

struct Subnet<'a> {
    fabric: &'a Fabric,
    tables: &'a GroupTables,
    /// Per switch.
    guids: &'a [u64],
    /// LIDs with their addresses, ascending.
    lids: &'a [(u16, usize)],
}

const HEAD: &str = "# Written as ibdiagnet does, by Weft\nFile version: 1\n";

// Writing to a text does not fail.
impl Subnet<'_> {
    fn guid(&self, switch: SwitchId) -> u64 {
        self.guids[switch.index()]
    }

    /// The entries of a table, with their LIDs.
    fn entries(&self, switch: SwitchId, table: u8) -> impl Iterator<Item = (u16, GroupEntry)> + '_ {
        let entries = self.tables.switch(switch).entries(table);
        self.lids
            .iter()
            .map(|&(lid, address)| (lid, entries[address]))
    }

    fn groups(&self) -> String {
        let top = self.lids.last().map_or(0, |&(lid, _)| lid);
        let mut text = HEAD.to_owned();
        for id in self.fabric.switch_ids() {
            let switch = self.tables.switch(id);
            let _ = write!(text, "\nSwitch 0x{:016x}", self.guid(id));
            text.push_str(&state(switch));
            text.push_str("\nGroups Definition:\nGroup  Sub Group  WHBF  Ports\n");
            text.push_str("--------------------------------\n");
            for (number, group) in switch.groups.iter().enumerate() {
                for (place, subgroup) in group.subgroups().iter().enumerate() {
                    let weight = subgroup.weight;
                    let _ = write!(text, "{number:<6} {place:<10} {weight:<5}");
                    for port in &subgroup.ports {
                        let _ = write!(text, " {port},");
                    }
                    text.push('\n');
                }
            }
            text.push_str("\nLFT Definition:\n");
            for table in 0..narrow(switch.table_count(), "a switch has 8 tables at most") {
                let _ = writeln!(text, "PLFT_NUM: {table}, top: 0x{top:04x}");
                text.push_str("LID     Static Port  Lid State  Group\n");
                text.push_str("--------------------------------------\n");
                for (lid, entry) in self.entries(id, table) {
                    let port = match entry.static_port.number() {
                        0 => NO_PORT,
                        port => port,
                    };
                    let state = match entry.state {
                        LidState::Static => "Static",
                        LidState::Hashed => "HBF",
                        LidState::Free => "Free",
                    };
                    let group = entry.group;
                    let _ = writeln!(text, "0x{lid:04x}  {port:<11}  {state:<9}  {group}");
                }
            }
        }
        text
    }

    fn static_ports(&self) -> String {
        let mut text = String::new();
        for id in self.fabric.switch_ids() {
            let _ = writeln!(
                text,
                "osm_ucast_mgr_dump_ucast_routes: Switch 0x{:016x}\nLID    : Port : Hops : Optimal",
                self.guid(id)
            );
            for (lid, entry) in self.entries(id, 0) {
                let _ = match entry.static_port.number() {
                    0 => writeln!(text, "0x{lid:04x} : UNREACHABLE"),
                    port => writeln!(text, "0x{lid:04x} : {port:03}  : 00   : yes"),
                };
            }
            text.push('\n');
        }
        text
    }

    fn private_tables(&self) -> String {
        let mut text = HEAD.to_owned();
        for id in self.fabric.switch_ids() {
            let switch = self.tables.switch(id);
            let _ = writeln!(text, "\nSwitch 0x{:016x}", self.guid(id));
            text.push_str(
                "# port : table of each service level, or lane of the levels that go by it\n",
            );
            for port in 0..=self.fabric.switch(id).port_count {
                let _ = write!(text, "{port:<6} :");
                for key in 0..LaneTables::KEYS {
                    let key = Lane::new(narrow(key, "there are 16 levels"));
                    let _ = write!(text, " {}", switch.table(PortNumber::new(port), key));
                }
                text.push('\n');
            }
        }
        text
    }

    /// The service levels that a switch looks up by their lanes.
    fn levels_by_lane(&self, switch: SwitchId) -> u16 {
        let is_all = |lanes: &LaneTables| lanes.key() == LaneKey::IncomingLane;
        if self.tables.lane_tables().is_some_and(is_all) {
            return u16::MAX;
        }
        self.tables.switch(switch).levels_by_lane
    }

    fn lane_switching(&self) -> String {
        let mut text = HEAD.to_owned();
        for id in self.fabric.switch_ids() {
            let levels = self.levels_by_lane(id);
            let levels = (0..16).filter(|level| levels >> level & 1 == 1);
            let levels: Vec<String> = levels.map(|level: u16| level.to_string()).collect();
            let list = if levels.is_empty() {
                "none".to_owned()
            } else {
                levels.join(", ")
            };
            let guid = self.guid(id);
            let _ = writeln!(text, "\nSwitch 0x{guid:016x}\n{LEVELS_START} {list}");
        }
        text
    }

    fn lane_maps(&self, lanes: &LaneTables) -> String {
        const HEADING: &str = "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15";
        let mut text = String::new();
        for id in self.fabric.host_ids() {
            let host = self.fabric.host(id);
            let guid = host.guid.unwrap_or(0);
            let lid = host.lids.map_or(0, LidRange::base);
            let lanes = told(lanes.host());
            let _ = writeln!(
                text,
                "Channel Adapter 0x{guid:016x}, base LID {lid}\n{HEADING}\n0   1   : {lanes}\n"
            );
        }
        for id in self.fabric.switch_ids() {
            let switch = self.fabric.switch(id);
            let lid = switch.lids.map_or(0, LidRange::base);
            let _ = writeln!(
                text,
                "Switch 0x{:016x}, base LID {lid}\n{HEADING}",
                self.guid(id)
            );
            for output in 0..=switch.port_count {
                for input in 0..=switch.port_count {
                    let row = told(lanes.row(id, [input, output].map(PortNumber::new)));
                    let _ = writeln!(text, "{input:<3} {output:<3} : {row}");
                }
            }
            text.push('\n');
        }
        text
    }
}

/// What a switch is told apart from its tables.
fn state(switch: &SwitchGroups) -> String {
    let levels = switch.adaptive_levels;
    let is_enabled = levels != 0 || switch.hashed_levels.is_some();
    let mut subgroups = switch.groups.iter().flat_map(PortGroup::subgroups);
    let has_weights = subgroups.any(|subgroup| subgroup.weight != 0);
    let most = switch
        .groups
        .iter()
        .map(|group| group.subgroups().len())
        .max();
    let mut text = format!(
        ", ar_en: {}, by_sl_en: 1, enable_by_sl_mask: 0x{levels:04x}",
        u8::from(is_enabled)
    );
    if let Some(levels) = switch.hashed_levels {
        let _ = write!(
            text,
            ", by_sl_hbf_en: 1, enable_by_sl_mask_hbf: 0x{levels:04x}"
        );
    }
    let _ = write!(
        text,
        ", whbf_en: {}, pfrn_enabled: {}, sub_grps_active: {}, group_top: {}",
        u8::from(has_weights),
        u8::from(switch.notifies),
        most.unwrap_or(0),
        switch.groups.len().saturating_sub(1)
    );
    text
}

/// The lanes of a row as files have them.
fn told(row: &LaneRow) -> String {
    let lanes = row.map(|lane| lane.map_or(15, Lane::number).to_string());
    lanes.join("  ")
}
