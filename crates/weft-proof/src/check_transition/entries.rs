//! The entries for one address as a phase goes on.

use std::collections::BTreeMap;
use weft_fabric::{PortNumber, SwitchId};
use weft_routing::{Phase, Step, Write};

/// An entry and when it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) port: Option<PortNumber>,
    /// The step that writes it; 0 where it was there.
    pub(super) from: u32,
    /// The step that writes another.
    pub(super) until: u32,
    /// Whether the phase writes it.
    pub(super) is_written: bool,
}

pub(super) struct Timeline {
    switches: Vec<Vec<Standing>>,
    /// The step from which on hosts are told new levels, and that after which nobody uses old ones.
    pub(super) levels: [Option<u32>; 2],
    /// The same of the hosts of a switch: the step in which they are told, and by the end of which they use no old ones.
    pub(super) levels_each: BTreeMap<SwitchId, u32>,
    /// The same for the level of spanning trees.
    pub(super) for_trees: BTreeMap<SwitchId, u32>,
    /// Steps by which anything of it may begin: one, where nothing of the address changes.
    pub(super) step_count: usize,
}

/// The writes of a phase by address, each with its step.
pub(super) struct PhaseWrites(Vec<Vec<(u32, Write)>>);

impl PhaseWrites {
    pub(super) fn of(phase: &Phase, addresses: usize) -> Self {
        let mut all = vec![Vec::new(); addresses];
        for (number, step) in (0..).zip(&phase.steps) {
            let Step::Write(writes) = step else { continue };
            for &write in writes {
                all[write.address as usize].push((number, write));
            }
        }
        Self(all)
    }
}

impl Timeline {
    pub(super) fn new(
        ports: &[Option<PortNumber>],
        (phase, writes): (&Phase, &PhaseWrites),
        address: usize,
    ) -> Self {
        let there = |&port: &Option<PortNumber>| {
            vec![Standing {
                port,
                from: 0,
                until: u32::MAX,
                is_written: false,
            }]
        };
        let mut timeline = Self {
            switches: ports.iter().map(there).collect(),
            levels: [None; 2],
            levels_each: BTreeMap::new(),
            for_trees: BTreeMap::new(),
            step_count: 1,
        };
        let is_this = |other: u32| other as usize == address;
        for (number, step) in (0..).zip(&phase.steps) {
            match step {
                Step::Answer(of) if of.iter().copied().any(is_this) => {
                    timeline.levels[0].get_or_insert(number);
                }
                Step::Renew(of) if of.iter().copied().any(is_this) => {
                    timeline.levels[1].get_or_insert(number);
                }
                Step::RenewEach(of) | Step::RenewForTrees(of) => {
                    let each = match step {
                        Step::RenewEach(_) => &mut timeline.levels_each,
                        _ => &mut timeline.for_trees,
                    };
                    for one in of.iter().filter(|one| is_this(one.address)) {
                        each.entry(one.switch).or_insert(number);
                    }
                }
                Step::Write(_) | Step::WriteLanes(_) | Step::Answer(_) | Step::Renew(_) => {}
            }
        }
        let writes = &writes.0[address];
        for &(step, write) in writes {
            timeline.write(write.switch, write.port, step);
        }
        let writes_lanes = phase
            .steps
            .iter()
            .any(|step| matches!(step, Step::WriteLanes(_)));
        let each = [&timeline.levels_each, &timeline.for_trees];
        let levels_change =
            timeline.levels != [None; 2] || each.iter().any(|each| !each.is_empty());
        if !writes.is_empty() || levels_change || writes_lanes {
            timeline.step_count = phase.steps.len() + 1;
        }
        timeline
    }

    fn write(&mut self, at: SwitchId, port: Option<PortNumber>, step: u32) {
        let entries = &mut self.switches[at.index()];
        if let Some(before) = entries.last_mut() {
            before.until = step;
        }
        entries.push(Standing {
            port,
            from: step,
            until: u32::MAX,
            is_written: true,
        });
    }

    /// The entries that somebody may meet at a switch who is not there before a step.
    pub(super) fn from(&self, at: SwitchId, step: u32) -> impl Iterator<Item = Standing> + '_ {
        let all = self.switches[at.index()].iter().copied();
        all.filter(move |entry| entry.until >= step)
    }

    /// The entries at the end.
    pub(super) fn last(&self) -> Vec<Option<PortNumber>> {
        let last = |entries: &Vec<Standing>| entries.last().and_then(|entry| entry.port);
        self.switches.iter().map(last).collect()
    }
}
