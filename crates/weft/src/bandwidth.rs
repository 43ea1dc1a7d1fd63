//! Bandwidth between hosts: data over the time until they are acknowledged.

use crate::Replaying;
use crate::{Error, Network, OfferedTraffic, ReplayProgress};
use std::ops::ControlFlow;
use weft_engine::run::ReplayEnd;
use weft_fabric::Fabric;
use weft_model::workload::program::{Acknowledged, MessagingParameters, transfers};

/// Longer than any message: none is announced, as a write to remote memory is not.
const ALL_EAGER: u64 = 1_000_000_000_000_000;

/// Messages that hosts write to the memory of others.
#[derive(Clone, Copy, Debug)]
pub struct Transfers<'a> {
    /// Per host: the number of the host it writes to; none for one that sends nothing.
    pub destinations: &'a [Option<u32>],
    /// Messages that each host sends.
    pub messages: u32,
    /// Length of a message.
    pub message_bytes: u64,
    /// The messaging layer, which must have packets acknowledged. Sends are over when they are,
    /// and none is announced, whatever it says of that.
    pub messaging: MessagingParameters,
}

/// What hosts get through to their destinations, all of them sending at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Bandwidth {
    /// Per host: its data over the time until the last of them was acknowledged, in bytes per ns;
    /// NaN of a host that sends nothing.
    pub host_bytes_per_ns: Vec<f64>,
    /// Switches a packet traversed, acknowledgements included.
    pub mean_switches: f64,
}

/// The one destination that a pattern gives each host.
///
/// # Errors
/// [`Error::Traffic`] when the pattern is not defined on the fabric, [`Error::NoPermutation`] when
/// a host has several destinations.
pub fn one_destination_each(
    fabric: &Fabric,
    traffic: &OfferedTraffic,
) -> Result<Vec<Option<u32>>, Error> {
    let laid = traffic.destinations(fabric)?;
    let only = |host| {
        let drawn = laid.probabilities(host);
        match drawn.as_slice() {
            [] => Ok(None),
            [(destination, _)] => Ok(Some(destination.number())),
            several => Err(Error::NoPermutation {
                pattern: traffic.pattern.clone(),
                host: fabric.host(host).name.clone(),
                destinations: several.len(),
            }),
        }
    };
    fabric.host_ids().map(only).collect()
}

impl Network<'_> {
    /// Lets hosts write messages to the memory of others, all from the same moment on, and measures
    /// data over time. With ack-wait (`acknowledged = 1` of the messaging layer) a message follows
    /// when the one before is acknowledged, with no-ack-wait (2) when its host has begun to send it.
    ///
    /// # Errors
    /// [`Error::NotAcknowledged`], [`Error::NothingToSend`], [`Error::Destinations`],
    /// [`Error::NoSender`]; [`Error::Unfinished`] when the network deadlocked; else as
    /// [`replay`](Self::replay).
    pub fn bandwidth(
        &self,
        asked: &Transfers<'_>,
        on_progress: &mut dyn FnMut(ReplayProgress) -> ControlFlow<()>,
    ) -> Result<Bandwidth, Error> {
        self.check(asked)?;
        let messaging = MessagingParameters {
            blocking: true,
            eager_bytes: ALL_EAGER,
            ..asked.messaging
        };
        let waits = messaging.acknowledged == Acknowledged::Waited;
        let to = asked.destinations;
        let graph = transfers(to, asked.messages, asked.message_bytes, waits)?;
        let hosts: Vec<_> = self.fabric().host_ids().collect();
        let found = self.replay(
            graph,
            &messaging,
            &hosts,
            &Replaying::default(),
            on_progress,
        )?;
        if found.end != ReplayEnd::Finished {
            return Err(Error::Unfinished {
                algorithm: self.routed.routing().algorithm().to_owned(),
                fabric: self.fabric().name().to_owned(),
                end: found.end_name(),
            });
        }
        let data = asked.message_bytes as f64 * f64::from(asked.messages);
        let sent = asked.destinations.iter().zip(&found.ranks);
        let rate = sent.map(|(to, rank)| to.map_or(f64::NAN, |_| data / rank.finish_ns));
        Ok(Bandwidth {
            host_bytes_per_ns: rate.collect(),
            mean_switches: found.mean_switches,
        })
    }

    fn check(&self, asked: &Transfers<'_>) -> Result<(), Error> {
        let fabric = || self.fabric().name().to_owned();
        if asked.message_bytes == 0 {
            Err(Error::NothingToSend { name: "size_bytes" })
        } else if asked.messages == 0 {
            Err(Error::NothingToSend { name: "messages" })
        } else if asked.messaging.acknowledged == Acknowledged::No {
            Err(Error::NotAcknowledged)
        } else if asked.destinations.len() != self.fabric().host_count() {
            let found = asked.destinations.len();
            let fabric = fabric();
            Err(Error::Destinations { found, fabric })
        } else if asked.destinations.iter().all(Option::is_none) {
            Err(Error::NoSender { fabric: fabric() })
        } else {
            Ok(())
        }
    }
}
