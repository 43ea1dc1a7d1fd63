//! LIDs for all ports: those that they have, and others where these do not serve.

use super::OpensmError;
use weft_fabric::{Fabric, LidRange};

/// The LIDs of all ports.
pub(crate) struct PortLids {
    /// Per switch.
    pub(crate) switches: Vec<LidRange>,
    /// Per host.
    pub(crate) hosts: Vec<LidRange>,
    /// Ports that have a LID which they had not.
    pub(crate) new: usize,
}

impl PortLids {
    /// Lets ports keep their LIDs, hosts before switches, as connections are to hosts; those that have none, or one that
    /// another keeps, get the lowest that are free, switches before hosts. A change of the fabric thus moves no LID but where
    /// there is no room beside those that are kept: then all are new.
    ///
    /// `own` has the LIDs that hosts have and that serve; others get 2^`lmc` each.
    ///
    /// # Errors
    /// [`OpensmError::TooManyLids`].
    pub(crate) fn of(
        fabric: &Fabric,
        own: &[Option<LidRange>],
        lmc: u8,
    ) -> Result<Self, OpensmError> {
        let switches = fabric.switch_ids().map(|id| fabric.switch(id).lids);
        let of_switches: Vec<_> = switches
            .map(|lids| LidRange::new(lids?.base(), 0))
            .collect();
        let none = [of_switches.len(), own.len()].map(|count| vec![None; count]);
        Self::beside([&of_switches, own], lmc)
            .or_else(|| Self::beside([&none[0], &none[1]], lmc))
            .ok_or_else(|| too_many(fabric, lmc))
    }

    /// Those beside what ports have; `None` where there is no room.
    fn beside([switches, hosts]: [&[Option<LidRange>]; 2], lmc: u8) -> Option<Self> {
        let mut taken = Taken::default();
        let mut keep = |own: &[Option<LidRange>]| -> Vec<Option<LidRange>> {
            let kept = own.iter().map(|own| own.filter(|&own| taken.take(own)));
            kept.collect()
        };
        let [hosts, switches] = [keep(hosts), keep(switches)];
        let kept = switches.iter().chain(&hosts).flatten().count();
        let mut complete = |ranges: Vec<Option<LidRange>>, mask_bits| -> Option<Vec<LidRange>> {
            let mut free = Taken::ranges(mask_bits);
            let all = ranges
                .into_iter()
                .map(|kept| kept.or_else(|| free.find(|&range| taken.take(range))));
            all.collect()
        };
        let [switches, hosts] = [complete(switches, 0)?, complete(hosts, lmc)?];
        Some(Self {
            new: switches.len() + hosts.len() - kept,
            switches,
            hosts,
        })
    }
}

fn too_many(fabric: &Fabric, lmc: u8) -> OpensmError {
    let lids_per_host = 1_usize << lmc;
    let first_host = (fabric.switch_count() + 1).next_multiple_of(lids_per_host);
    OpensmError::TooManyLids {
        lids_per_host,
        needed: first_host + fabric.host_count() * lids_per_host - 1,
        most: LidRange::MAX,
    }
}

/// LIDs that some port has.
struct Taken(Vec<bool>);

impl Default for Taken {
    fn default() -> Self {
        Self(vec![false; usize::from(LidRange::MAX) + 1])
    }
}

impl Taken {
    /// Takes LIDs if all of them are free, and tells whether they were.
    fn take(&mut self, range: LidRange) -> bool {
        let (first, last) = range.lids().into_inner();
        let of_range = &mut self.0[first.into()..=last.into()];
        let is_free = !of_range.contains(&true);
        if is_free {
            of_range.fill(true);
        }
        is_free
    }

    /// All ranges of as many LIDs.
    fn ranges(mask_bits: u8) -> impl Iterator<Item = LidRange> {
        let bases = (0..=LidRange::MAX).step_by(1 << mask_bits);
        bases.filter_map(move |base| LidRange::new(base, mask_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::generate::ring;

    fn beside(switches: &[u16], hosts: &[u16], lmc: u8) -> (Vec<u16>, Vec<u16>, usize) {
        // 0 is no LID.
        let own = |lids: &[u16], bits| -> Vec<_> {
            let own = lids.iter().map(|&lid| LidRange::new(lid, bits));
            own.collect()
        };
        let all = PortLids::beside([&own(switches, 0), &own(hosts, lmc)], lmc).unwrap();
        let bases = |ranges: Vec<LidRange>| ranges.into_iter().map(LidRange::base).collect();
        (bases(all.switches), bases(all.hosts), all.new)
    }

    #[test]
    fn a_port_without_a_lid_moves_no_other() {
        assert_eq!(
            beside(&[9, 4, 0], &[2, 0, 1, 7], 0),
            (vec![9, 4, 3], vec![2, 5, 1, 7], 2)
        );
        assert_eq!(
            beside(&[0, 0], &[0, 0, 0], 0),
            (vec![1, 2], vec![3, 4, 5], 5)
        );
        // Hosts begin with an even one.
        assert_eq!(beside(&[0, 0], &[0, 0], 1), (vec![1, 2], vec![4, 6], 4));
    }

    #[test]
    fn of_two_that_share_a_lid_a_switch_gets_another() {
        assert_eq!(beside(&[5, 8], &[4, 2], 1), (vec![1, 8], vec![4, 2], 1));
        assert_eq!(beside(&[3, 3], &[3, 6], 0), (vec![1, 2], vec![3, 6], 2));
        // An odd one is no first of two, and 7 is free for no pair.
        assert_eq!(beside(&[7], &[5, 2], 1), (vec![7], vec![4, 2], 1));
    }

    #[test]
    fn there_is_no_room_where_what_is_kept_leaves_none() {
        // Every block of four has a switch in it.
        let switches: Vec<_> = (1..0xc000)
            .step_by(4)
            .map(|lid| LidRange::new(lid, 0))
            .collect();
        assert!(PortLids::beside([&switches, &[None]], 2).is_none());
        assert!(PortLids::beside([&[None], &[None]], 2).is_some());
    }

    #[test]
    fn what_is_needed_is_counted_from_the_first_that_hosts_can_have() {
        // Switches at 1 to 5, hosts from 6 to 15.
        let error = too_many(&ring(5, 1).unwrap(), 1).to_string();
        assert!(error.contains("up to 15,"), "{error}");
    }
}
