//! What is left, routed: proof and loads, found when somebody asks and kept.

use crate::crossing::{Both, Crossed, Crossing};
use crate::error::ExploreError;
use crate::left::Left;
use crate::recent::Recent;
use std::sync::{Arc, OnceLock};
use weft::{OfferedTraffic, RoutedFabric};
use weft_fabric::ChannelId;
use weft_model::workload::Destinations;
use weft_proof::Proof;
use weft_routing::algorithms::{parse_spec, route_any};
use weft_routing::{
    AnyRouting, GroupTables, GroupUse, NoSolver, Routing, demand_figures, group_crossing,
    group_demand_figures, group_loads, load,
};

/// What all compute ends send to all others.
pub(crate) const UNIFORM: &str = "uniform";

/// Patterns whose loads are kept.
const MOST_PATTERNS: usize = 8;

/// Routes on what is left.
#[derive(Debug)]
pub(crate) struct Routed {
    pub(crate) left: Arc<Left>,
    pub(crate) network: RoutedFabric,
    proof: OnceLock<Result<Proof, Arc<ExploreError>>>,
    loads: Recent<String, Option<Loads>>,
    crossed: OnceLock<Crossed>,
}

/// What channels carry under a pattern.
#[derive(Debug)]
pub(crate) struct Loads {
    /// Per channel: routes of pairs where all send to all, else multiples of what a host sends.
    pub(crate) of_channel: Vec<f64>,
    /// The largest of a channel between switches.
    pub(crate) largest: f64,
}

impl Routed {
    /// Routes what is left by a text such as `updown:root=0`.
    ///
    /// # Errors
    /// [`ExploreError::Routing`].
    pub(crate) fn new(left: Arc<Left>, routing: &str) -> Result<Self, ExploreError> {
        let choice = parse_spec(routing)?;
        let unwatched = Arc::default();
        let made = route_any(
            &left.fabric,
            &choice.name,
            &choice.parameters,
            &NoSolver,
            &unwatched,
        )?;
        Ok(Self::of(left, made))
    }

    /// Puts routes on what is left.
    pub(crate) fn of(left: Arc<Left>, routing: AnyRouting) -> Self {
        Self {
            network: RoutedFabric::new(Arc::clone(&left.fabric), routing),
            left,
            proof: OnceLock::new(),
            loads: Recent::new(MOST_PATTERNS),
            crossed: OnceLock::new(),
        }
    }

    pub(crate) fn proof(&self) -> Result<&Proof, ExploreError> {
        let prove = || {
            weft::prove(&self.left.fabric, self.network.routing())
                .map_err(|error| Arc::new(error.into()))
        };
        let proof = self.proof.get_or_init(prove);
        proof.as_ref().map_err(|error| Arc::clone(error).into())
    }

    /// The routes where each pair has one, which is what `needs` does.
    pub(crate) fn fixed(&self, needs: &'static str) -> Result<&Arc<Routing>, ExploreError> {
        Ok(self.network.routing().fixed(needs)?)
    }

    /// The pairs whose packets take two channels, each; an error where it is not known beforehand what they
    /// may take, which is what `needs` does.
    pub(crate) fn crossing(
        &self,
        needs: &'static str,
        channels: [ChannelId; 2],
    ) -> Result<Both, ExploreError> {
        let fabric = &self.left.fabric;
        if let Some(tables) = self.groups() {
            let parts = group_crossing(fabric, tables, tables.service_level(), channels);
            let crossing = |(pair, load)| Crossing { pair, load };
            return Ok(parts.map(|pairs| pairs.into_iter().map(crossing).collect()));
        }
        let routes = &self.fixed(needs)?.routes;
        let crossed = self.crossed.get_or_init(|| Crossed::new(fabric, routes));
        Ok(crossed.crossing(fabric, routes, channels))
    }

    /// The tables where switches choose among groups of ports.
    pub(crate) fn groups(&self) -> Option<&GroupTables> {
        self.network.routing().groups()
    }

    /// What channels carry under a pattern; `None` where packets choose otherwise on their way, so that
    /// nobody knows before they are sent.
    ///
    /// # Errors
    /// [`ExploreError::Weft`] for a pattern that there is not, or not on this fabric.
    pub(crate) fn loads(&self, pattern: &str) -> Result<Arc<Option<Loads>>, ExploreError> {
        let make = || self.loads_anew(pattern);
        Ok(self.loads.get(&pattern.to_owned(), make)?)
    }

    fn loads_anew(&self, pattern: &str) -> Result<Option<Loads>, ExploreError> {
        let fabric = &self.left.fabric;
        let fixed = match self.network.routing() {
            AnyRouting::Fixed(routing) => Some(routing),
            AnyRouting::Adaptive(_) => None,
        };
        let demand = if pattern == UNIFORM {
            None
        } else {
            Some(self.destinations(pattern)?)
        };
        let of_channel = match (fixed, self.groups(), demand) {
            (Some(routing), _, None) => {
                let routes = load::figures(fabric, routing).routes_per_channel;
                routes.into_iter().map(|count| count as f64).collect()
            }
            (Some(routing), _, Some(demand)) => {
                let to = |host| demand.amounts(host);
                demand_figures(fabric, routing, to).load_per_channel
            }
            (None, Some(tables), None) => group_loads(fabric, tables, tables.service_level()).mean,
            (None, Some(tables), Some(demand)) => {
                let to = |host| demand.amounts(host);
                let level = tables.service_level();
                group_demand_figures(fabric, tables, level, GroupUse::Even, to).load_per_channel
            }
            (None, None, _) => return Ok(None),
        };
        let between = fabric.switch_channels();
        let largest = between.map(|channel| of_channel[channel.index()]);
        Ok(Some(Loads {
            largest: largest.fold(0.0, f64::max),
            of_channel,
        }))
    }

    /// A pattern laid over what is left.
    pub(crate) fn destinations(&self, pattern: &str) -> Result<Destinations, ExploreError> {
        let traffic = OfferedTraffic {
            pattern: pattern.to_owned(),
            pattern_text: self.left.pattern_texts.get(pattern).cloned(),
            ..OfferedTraffic::uniform(0.0)
        };
        let laid = traffic.destinations(&self.left.fabric);
        Ok(laid.map_err(weft::Error::from)?)
    }
}

impl Loads {
    pub(crate) fn of(&self, channel: ChannelId) -> f64 {
        self.of_channel[channel.index()]
    }
}
