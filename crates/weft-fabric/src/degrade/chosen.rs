//! Parts of a fabric chosen by name or as a share of all.

use super::DegradeError;
use crate::{Fabric, HostId, LinkId, PortNumber, SwitchId, narrow};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use std::str::FromStr;
use weft_registry::Suggestion;

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Link,
    Switch,
    Host,
}

impl Kind {
    pub(super) const fn one(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Switch => "switch",
            Self::Host => "host",
        }
    }

    pub(super) const fn many(self) -> &'static str {
        match self {
            Self::Link => "links",
            Self::Switch => "switches",
            Self::Host => "hosts",
        }
    }

    /// Keeps the streams of random numbers of one seed apart ("failling", "failswit", "failhost").
    const fn purpose(self) -> u64 {
        match self {
            Self::Link => 0x6661_696c_6c69_6e67,
            Self::Switch => 0x6661_696c_7377_6974,
            Self::Host => 0x6661_696c_686f_7374,
        }
    }
}

/// A share of all parts of a kind, exact to a ten-thousandth of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// From 0 to [`Share::ALL`].
    millionths: u64,
}

impl Share {
    const ALL: u64 = 1_000_000;
    /// Digits of a percentage after the point.
    const DIGITS: usize = 4;

    /// How many of `count` parts the share means, to the nearest whole number, a half upwards.
    pub fn of(self, count: usize) -> usize {
        let parts = (count as u64 * self.millionths + Self::ALL / 2) / Self::ALL;
        narrow(
            parts,
            "a share of `count` parts is no more than all of them",
        )
    }
}

impl FromStr for Share {
    type Err = ();

    /// Reads a percentage such as `2%` or `0.25 %`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let number = text.strip_suffix('%').ok_or(())?.trim();
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !is_number(part) || part.len() > Self::DIGITS {
            return Err(());
        }
        let digits = format!("{whole}{part:0<width$}", width = Self::DIGITS);
        let millionths = digits.parse().map_err(|_| ())?;
        if millionths > Self::ALL {
            return Err(());
        }
        Ok(Self { millionths })
    }
}

/// Parts of one kind, by name and as a share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Names; a link is named `switch:port`.
    pub names: Vec<String>,
    /// A share of all parts of the kind, drawn by the seed.
    pub share: Option<Share>,
}

impl Chosen {
    /// Reads texts that are each a share, as `2%`, or a name; `what` calls the parts in messages.
    ///
    /// # Errors
    /// [`DegradeError::NotChosen`] for a percentage that is none, or a second one.
    pub fn parse(what: &'static str, texts: &[String]) -> Result<Self, DegradeError> {
        let mut chosen = Self::default();
        for text in texts {
            if !text.ends_with('%') {
                chosen.names.push(text.clone());
                continue;
            }
            let error = |expected: &str| DegradeError::NotChosen {
                what,
                found: text.clone(),
                expected: expected.to_owned(),
            };
            let share = text.parse().map_err(|()| {
                error("0% to 100%, with four digits after the point at most, as in 0.25%")
            })?;
            if chosen.share.replace(share).is_some() {
                return Err(error("one share at most"));
            }
        }
        Ok(chosen)
    }

    /// Adds those drawn to those named, in ascending order.
    fn complete<Id: Copy + Ord>(
        &self,
        kind: Kind,
        seed: u64,
        named: Vec<Id>,
        all: impl Iterator<Item = Id>,
    ) -> Vec<Id> {
        let mut ids = named;
        if let Some(share) = self.share {
            // All are shuffled whatever the share, so a smaller share is the start of a larger one.
            let mut drawn: Vec<Id> = all.collect();
            drawn.shuffle(&mut Pcg64Mcg::seed_from_u64(seed ^ kind.purpose()));
            drawn.truncate(share.of(drawn.len()));
            ids.extend(drawn);
        }
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub(super) fn switches(
        &self,
        fabric: &Fabric,
        seed: u64,
    ) -> Result<Vec<SwitchId>, DegradeError> {
        let named = self.names.iter().map(|name| switch_named(fabric, name));
        let named = named.collect::<Result<_, _>>()?;
        Ok(self.complete(Kind::Switch, seed, named, fabric.switch_ids()))
    }

    pub(super) fn hosts(&self, fabric: &Fabric, seed: u64) -> Result<Vec<HostId>, DegradeError> {
        let find = |name: &String| {
            let found = fabric.host_ids().find(|&id| fabric.host(id).name == *name);
            found.ok_or_else(|| {
                let names = fabric.host_ids().map(|id| fabric.host(id).name.as_str());
                unknown(Kind::Host, name, names)
            })
        };
        let named = self.names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(self.complete(Kind::Host, seed, named, fabric.host_ids()))
    }

    pub(super) fn links(&self, fabric: &Fabric, seed: u64) -> Result<Vec<LinkId>, DegradeError> {
        let named = self.names.iter().map(|name| link_named(fabric, name));
        let named = named.collect::<Result<_, _>>()?;
        let between_switches = fabric
            .link_ids()
            .filter(|id| fabric.is_switch_channel(crate::ids::ChannelId::new(2 * id.number())));
        Ok(self.complete(Kind::Link, seed, named, between_switches))
    }
}

/// Part of a fabric that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailingPart {
    /// A link, of a host or between switches.
    Link(LinkId),
    /// A switch.
    Switch(SwitchId),
}

impl FailingPart {
    /// Finds a switch by its name, or else the link on a port of a switch, written as `leaf01:17`.
    ///
    /// # Errors
    /// [`DegradeError`] names the switch most like it, or the ports that hold a cable.
    pub fn named(fabric: &Fabric, text: &str) -> Result<Self, DegradeError> {
        match switch_named(fabric, text) {
            Ok(switch) => Ok(Self::Switch(switch)),
            Err(unknown) if !text.contains(':') => Err(unknown),
            Err(_) => link_named(fabric, text).map(Self::Link),
        }
    }
}

fn unknown<'a>(kind: Kind, found: &str, names: impl Iterator<Item = &'a str>) -> DegradeError {
    DegradeError::UnknownName {
        what: kind.one(),
        found: found.to_owned(),
        suggestion: Suggestion::nearest(found, names),
    }
}

/// Finds a switch by its name.
///
/// # Errors
/// [`DegradeError::UnknownName`] names the one most like it.
pub fn switch_named(fabric: &Fabric, name: &str) -> Result<SwitchId, DegradeError> {
    let found = fabric
        .switch_ids()
        .find(|&id| fabric.switch(id).name == name);
    found.ok_or_else(|| {
        let names = fabric
            .switch_ids()
            .map(|id| fabric.switch(id).name.as_str());
        unknown(Kind::Switch, name, names)
    })
}

/// Finds a port of a switch, written as `leaf01:17`, whether a cable is in it or not. The name may hold colons.
///
/// # Errors
/// [`DegradeError::NotChosen`], [`DegradeError::UnknownName`] or [`DegradeError::NotAPort`].
pub fn port_named(fabric: &Fabric, text: &str) -> Result<(SwitchId, PortNumber), DegradeError> {
    let parts = text.rsplit_once(':');
    let Some((name, Ok(port))) = parts.map(|(name, port)| (name, port.trim().parse::<u8>())) else {
        return Err(DegradeError::NotChosen {
            what: "links",
            found: text.to_owned(),
            expected: "the name of a switch and a port, as in leaf01:17, or a share, as in 2%"
                .to_owned(),
        });
    };
    let switch = switch_named(fabric, name)?;
    let port_count = fabric.switch(switch).port_count;
    if !(1..=port_count).contains(&port) {
        return Err(DegradeError::NotAPort {
            found: text.to_owned(),
            switch: name.to_owned(),
            port_count,
        });
    }
    Ok((switch, PortNumber::new(port)))
}

/// Finds the link on a port of a switch.
fn link_named(fabric: &Fabric, text: &str) -> Result<LinkId, DegradeError> {
    let (switch, port) = port_named(fabric, text)?;
    let channel = fabric.outgoing_at(switch, port);
    let channel = channel.ok_or_else(|| DegradeError::UnwiredPort {
        found: text.to_owned(),
        wired: wired_ports(fabric, switch),
    })?;
    Ok(channel.link())
}

/// Lists the ports of a switch that hold a cable: `1 to 4, 7`.
fn wired_ports(fabric: &Fabric, switch: SwitchId) -> String {
    let mut runs: Vec<[u8; 2]> = Vec::new();
    for channel in fabric.outgoing(switch) {
        let port = fabric.source(*channel).port.number();
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == port => *last = port,
            _ => runs.push([port, port]),
        }
    }
    let texts = runs.iter().map(|&[first, last]| {
        if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        }
    });
    let text = texts.collect::<Vec<_>>().join(", ");
    if text.is_empty() {
        "none".to_owned()
    } else {
        text
    }
}
