//! What channels carry and hosts take in, and what ways cost by that.

use crate::paths::PathSpace;

/// The exponent of a load in what it costs to wait for a channel or a host.
const WAITING: i32 = 4;

/// How much of a link's price its load decides where ways are chosen for their stops: enough to tell
/// equals apart.
const EVENNESS: f64 = 0.25;

/// Loads whose prices are held once they have been asked for.
const PRICED_LOADS: usize = 1 << 16;

/// A channel of a way, and whether the way stops before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) edge: u32,
    pub(super) is_after_stop: bool,
}

/// What hosts send one another.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// Per endpoint and endpoint.
    pub(super) pairs: Vec<u64>,
    /// Per host: what it sends or what it is sent, whichever is more.
    pub(super) hosts: Vec<u64>,
}

/// What is paid for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tariff {
    /// This power of what a channel carries, in parts of a load.
    Balance { exponent: i32, unit: u64 },
    /// Links, channels held while others are waited for, and stops, each so much; the load of a channel,
    /// in parts of the largest, tells how long it is waited for.
    Stops { cost: f64, unit: u64 },
}

/// What channels carry and hosts take in, and what ways cost by that.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    /// Per edge.
    pub(super) loads: Vec<u64>,
    /// Per edge: what it costs to take it.
    pub(super) edges: Vec<f64>,
    /// Per edge: what it costs to wait for it, for each channel held meanwhile.
    pub(super) waits: Vec<f64>,
    /// Per switch: what a stop costs there; infinite without a host.
    pub(super) stops: Vec<f64>,
    /// Per switch: the routes that stop there.
    stopping: Vec<u64>,
    /// Per switch: its hosts, and what one of them takes in besides stops, on average.
    hosts: Vec<(u64, f64)>,
    /// What a route adds, on average.
    mean: f64,
    tariff: Tariff,
    /// Per load: what it costs to take a channel, and to wait for it; no number as long as nobody asked.
    priced: Vec<(f64, f64)>,
}

impl Ledger {
    pub(super) fn new(space: &PathSpace, hosts: Vec<(u64, f64)>, mean: f64) -> Self {
        let (edges, switches) = (space.edge_count(), space.switch_count());
        let mut ledger = Self {
            loads: vec![0; edges],
            edges: vec![0.0; edges],
            waits: vec![0.0; edges],
            stops: vec![0.0; switches],
            stopping: vec![0; switches],
            hosts,
            mean,
            tariff: Tariff::Balance {
                exponent: 1,
                unit: 1,
            },
            priced: Vec::new(),
        };
        ledger.charge(ledger.tariff);
        ledger
    }

    pub(super) fn largest(&self) -> u64 {
        self.loads.iter().copied().max().unwrap_or(0)
    }

    pub(super) fn clear(&mut self) {
        self.loads.fill(0);
        self.stopping.fill(0);
        self.charge(self.tariff);
    }

    /// Has everything cost by another tariff.
    pub(super) fn charge(&mut self, tariff: Tariff) {
        self.tariff = tariff;
        self.priced.clear();
        self.priced.resize(PRICED_LOADS, (f64::NAN, f64::NAN));
        for edge in 0..self.loads.len() {
            self.price_edge(edge);
        }
        for switch in 0..self.hosts.len() {
            self.price_stop(switch);
        }
    }

    /// Changes what a way's channels carry and its hosts take in.
    pub(super) fn change(&mut self, space: &PathSpace, way: &[Hop], change: impl Fn(u64) -> u64) {
        for hop in way {
            let edge = hop.edge as usize;
            self.loads[edge] = change(self.loads[edge]);
            self.price_edge(edge);
            if hop.is_after_stop {
                let switch = space.tail(hop.edge) as usize;
                self.stopping[switch] = change(self.stopping[switch]);
                self.price_stop(switch);
            }
        }
    }

    fn price_edge(&mut self, edge: usize) {
        let load = self.loads[edge];
        let place = usize::try_from(load).ok();
        let known = place.and_then(|place| self.priced.get(place)).copied();
        let known = known.filter(|known| !known.0.is_nan());
        let (price, wait) = known.unwrap_or_else(|| self.price_of(load));
        if let Some(known) = place.and_then(|place| self.priced.get_mut(place)) {
            *known = (price, wait);
        }
        self.edges[edge] = price;
        self.waits[edge] = wait;
    }

    fn price_of(&self, load: u64) -> (f64, f64) {
        let load = load as f64 + self.mean;
        match self.tariff {
            Tariff::Balance { exponent, unit } => ((load / unit as f64).powi(exponent), 0.0),
            Tariff::Stops { unit, .. } => {
                let wait = (load / unit as f64).powi(WAITING);
                (1.0 + EVENNESS * wait, wait)
            }
        }
    }

    fn price_stop(&mut self, switch: usize) {
        let (hosts, own) = self.hosts[switch];
        self.stops[switch] = match self.tariff {
            _ if hosts == 0 => f64::INFINITY,
            Tariff::Balance { .. } => 0.0,
            Tariff::Stops { cost, unit } => {
                let load = own + self.stopping[switch] as f64 / hosts as f64;
                cost + (load / unit as f64).powi(WAITING)
            }
        };
    }
}
