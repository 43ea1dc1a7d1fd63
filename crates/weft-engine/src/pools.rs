//! The occupancy of in-transit pools in time: average and maximum of each host's, interval by
//! interval.

use crate::conditions::Conditions;
use crate::probe::Simulator;
use weft_fabric::HostId;
use weft_model::PoolUse;

/// Values after which a series ends, so that it fits any memory.
const MOST_VALUES: usize = 1 << 24;

/// The occupancy of all in-transit pools, interval by interval of the window.
#[derive(Clone, Debug)]
pub(crate) struct PoolSeries {
    /// Length of an interval in ns.
    pub(crate) interval_ns: f64,
    /// Bytes held on average, all hosts of the first interval, then of the next, ….
    pub(crate) mean_bytes: Vec<f32>,
    /// Most bytes held, in the same order.
    pub(crate) max_bytes: Vec<u32>,
}

/// Follows the pools of a simulator, whose counts it starts anew after every interval.
#[derive(Clone, Debug)]
pub(crate) struct PoolSampler {
    interval_cycles: u64,
    flit_bytes: u32,
    /// Cycle the present interval ends in.
    pub(crate) next_cycle: u64,
    /// Per host: what was counted in the intervals that are over.
    totals: Vec<PoolUse>,
    series: PoolSeries,
}

impl PoolSampler {
    /// Begins with `now`; the simulator's counts have just been started anew.
    pub(crate) fn new(conditions: &Conditions, interval_cycles: u64, now: u64) -> Self {
        Self {
            interval_cycles,
            flit_bytes: conditions.flit_bytes,
            next_cycle: now + interval_cycles,
            totals: vec![PoolUse::default(); conditions.host_count],
            series: PoolSeries {
                interval_ns: interval_cycles as f64 * conditions.cycle_ns,
                mean_bytes: Vec::new(),
                max_bytes: Vec::new(),
            },
        }
    }

    /// Closes the present interval.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "seven digits are enough for an average"
    )]
    pub(crate) fn close(&mut self, simulator: &mut impl Simulator) {
        let is_full = self.series.max_bytes.len() + self.totals.len() > MOST_VALUES;
        for (host, total) in self.totals.iter_mut().enumerate() {
            let used = simulator.pool_use(HostId::from_index(host));
            add(total, used);
            if !is_full {
                let mean = used.occupancy_flit_cycles as f64 / self.interval_cycles as f64;
                let flit_bytes = self.flit_bytes;
                self.series.mean_bytes.push(mean as f32 * flit_bytes as f32);
                self.series.max_bytes.push(used.max_flits * flit_bytes);
            }
        }
        simulator.reset_pools();
        self.next_cycle += self.interval_cycles;
    }

    /// What a host's pool was used since the beginning, `since_close` included.
    pub(crate) fn total(&self, host: usize, since_close: PoolUse) -> PoolUse {
        let mut total = self.totals.get(host).copied().unwrap_or_default();
        add(&mut total, since_close);
        total
    }

    /// The intervals that are over.
    pub(crate) fn series(&self) -> &PoolSeries {
        &self.series
    }
}

fn add(total: &mut PoolUse, more: PoolUse) {
    total.occupancy_flit_cycles += more.occupancy_flit_cycles;
    total.max_flits = total.max_flits.max(more.max_flits);
    total.packets += more.packets;
    total.overflows += more.overflows;
}
