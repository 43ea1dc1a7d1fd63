//! What links of several rates have room for.

use weft_fabric::{ChannelId, Fabric, HostId, LinkRate};

/// The rates of links beside that of the fastest. Where one is not known all are taken as alike, as everywhere that what hosts
/// can send is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkRoom {
    /// Per link, as a share of the fastest; empty where all have the same rate.
    shares: Vec<f64>,
}

impl LinkRoom {
    /// Takes the rates of a fabric's links.
    pub(crate) fn of(fabric: &Fabric) -> Self {
        let rates = fabric.link_ids().map(|link| {
            let rate = fabric.link(link).cable.rate;
            rate.map(LinkRate::data_gbit_per_s)
        });
        let rates: Option<Vec<f64>> = rates.collect();
        let rates = rates.unwrap_or_default();
        let fastest = rates.iter().copied().fold(0.0, f64::max);
        let shares: Vec<f64> = rates.into_iter().map(|rate| rate / fastest).collect();
        let differ = shares.iter().any(|&share| share < 1.0);
        Self {
            shares: if differ { shares } else { Vec::new() },
        }
    }

    /// Whether all links have the same rate, as far as is known.
    pub(crate) fn is_alike(&self) -> bool {
        self.shares.is_empty()
    }

    /// What a channel carries at most, as a share of what the fastest does.
    pub(crate) fn of_channel(&self, channel: ChannelId) -> f64 {
        let share = self.shares.get(channel.link().index());
        share.copied().unwrap_or(1.0)
    }

    /// What a host sends at most to another, as a share of what the fastest link carries: both links take it.
    pub(crate) fn of_pair(&self, fabric: &Fabric, [source, destination]: [HostId; 2]) -> f64 {
        let injection = self.of_channel(fabric.injection_channel(source));
        injection.min(self.of_channel(fabric.ejection_channel(destination)))
    }
}
