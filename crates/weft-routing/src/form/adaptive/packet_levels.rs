//! Service levels of packets where switches choose among groups of ports: whose they are, and which are alike.

use super::group_tables::{GroupTables, SwitchGroups};
use super::pair_levels::PairLevels;
use crate::form::{LaneKey, LaneRow, LaneTables};
use weft_fabric::HostId;

impl GroupTables {
    /// The service level of packets whose level nobody tells.
    pub fn service_level(&self) -> u8 {
        self.service_level
    }

    /// Sets the service level of packets whose level nobody tells.
    ///
    /// # Panics
    /// When there is no such level.
    pub fn set_service_level(&mut self, level: u8) {
        assert!(
            usize::from(level) < LaneTables::KEYS,
            "there are 16 service levels"
        );
        self.service_level = level;
    }

    /// Tells every source the service level of its packets to an address, as path records do. All tables then are for
    /// these packets alone.
    ///
    /// # Panics
    /// When a level is none, or a host has several addresses or none.
    pub fn set_pair_levels(&mut self, level: impl Fn(HostId, usize) -> u8) {
        let mut hosts = (0..self.host_count()).map(HostId::from_index);
        assert!(
            hosts.all(|host| self.addresses(host).len() == 1),
            "every host has one address"
        );
        let levels = PairLevels::new(self.host_count(), self.address_count(), level);
        let last = levels.in_use().last();
        assert!(
            last.is_none_or(|&last| usize::from(last) < LaneTables::KEYS),
            "there are 16 service levels"
        );
        self.pair_levels = Some(levels);
    }

    /// Tells whether sources are told the service level of each pair.
    pub fn has_pair_levels(&self) -> bool {
        self.pair_levels.is_some()
    }

    /// The service level of a source's packets to an address, where sources are told it.
    ///
    /// # Panics
    /// When there is no such host or address.
    #[inline]
    pub fn pair_level(&self, source: HostId, address: usize) -> Option<u8> {
        let levels = self.pair_levels.as_ref();
        levels.map(|levels| levels.level(source, address))
    }

    /// The same, or the level of all packets whose level nobody tells.
    ///
    /// # Panics
    /// When there is no such host or address.
    #[inline]
    pub fn level_of(&self, source: HostId, address: usize) -> u8 {
        let level = self.pair_level(source, address);
        level.unwrap_or(self.service_level)
    }

    /// Tells whether packets of a source to an address may have a service level: any, where nobody tells that of the pair.
    ///
    /// # Panics
    /// When there is no such host or address.
    #[inline]
    pub fn may_have(&self, source: HostId, address: usize, service_level: u8) -> bool {
        let level = self.pair_level(source, address);
        level.is_none_or(|level| level == service_level)
    }

    /// The service levels that are judged with one: itself, or all there are where every pair has its own.
    pub fn judged_with(&self, service_level: u8) -> Vec<u8> {
        match &self.pair_levels {
            Some(levels) => levels.in_use().to_vec(),
            None => vec![service_level],
        }
    }

    /// The service levels that packets may have, those that all switches treat alike together, the lowest of all
    /// first: levels without a lane at hosts are none. Without lane tables levels that differ in their lane alone are
    /// alike. Where every pair has its level, all there are stand together.
    pub fn levels(&self) -> Vec<Vec<u8>> {
        if let Some(levels) = &self.pair_levels {
            return vec![levels.in_use().to_vec()];
        }
        let mut classes: Vec<Vec<u8>> = Vec::new();
        for level in 0..16 {
            if self.host_lane(level).is_none() {
                continue;
            }
            let like = classes
                .iter_mut()
                .find(|class| self.are_alike([class[0], level]));
            match like {
                Some(class) => class.push(level),
                None => classes.push(vec![level]),
            }
        }
        classes
    }

    /// The tables when packets of these service levels alone may choose, one bit each, and all others take static ports.
    /// Switches that choose for no packets at all, or for none by a hash, go on so.
    #[must_use]
    pub fn choosing_for(&self, levels: u16) -> Self {
        let mut made = self.clone();
        for switch in &mut made.switches {
            let masks = [&mut switch.adaptive_levels].into_iter();
            for mask in masks.chain(&mut switch.hashed_levels) {
                *mask = if *mask == 0 { 0 } else { levels };
            }
        }
        made
    }

    fn are_alike(&self, levels: [u8; 2]) -> bool {
        let lanes = self.lane_tables.as_ref();
        let [one, other] = levels.map(usize::from);
        let by_level = |switch: &SwitchGroups| {
            let is_kept = lanes.is_none_or(|lanes| lanes.key() == LaneKey::ServiceLevel);
            is_kept
                && levels
                    .iter()
                    .any(|level| switch.levels_by_lane >> level & 1 == 0)
        };
        let same_choice = |switch: &SwitchGroups| {
            let hashed = switch.hashed_levels.unwrap_or(switch.adaptive_levels);
            let mut masks = vec![switch.adaptive_levels, hashed];
            masks.extend(lanes.map(|_| switch.levels_by_lane));
            let same = |mask: u16| mask >> one & 1 == mask >> other & 1;
            let mut rows = switch.table_of.iter();
            // Without lane tables the lane is the level.
            let is_looked_up = lanes.is_none() || by_level(switch);
            masks.into_iter().all(same) && (!is_looked_up || rows.all(|row| row[one] == row[other]))
        };
        let same_lanes = |tables: &LaneTables| {
            let same = |row: &LaneRow| row[one] == row[other];
            let by_level = self.switches.iter().any(by_level);
            same(tables.host()) && (!by_level || tables.rows().iter().all(same))
        };
        self.switches.iter().all(same_choice) && lanes.is_none_or(same_lanes)
    }
}
