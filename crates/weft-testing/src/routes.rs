//! Fabrics routed by name, linear programs solved by the solver of the tests.

use crate::linear::Microlp;
use std::collections::BTreeMap;
use weft_fabric::Fabric;
use weft_routing::algorithms::{find, parse_spec, route_with};
use weft_routing::{ForwardingTables, Refusal, Routes, Routing, RoutingError};

/// Routes a fabric by any algorithm, linear programs solved by the solver of the tests.
pub fn route(
    fabric: &Fabric,
    name: &str,
    parameters: &BTreeMap<String, String>,
) -> Result<Routing, RoutingError> {
    route_with(fabric, name, parameters, &Microlp)
}

/// Routes a fabric by a text such as `smart:slack=1`.
pub fn route_spec(fabric: &Fabric, spec: &str) -> Result<Routing, RoutingError> {
    let choice = parse_spec(spec)?;
    route(fabric, &choice.name, &choice.parameters)
}

/// The tables of a routing that makes such, by a text such as `best:lanes=2`.
pub fn tables_of(fabric: &Fabric, spec: &str) -> ForwardingTables {
    match route_spec(fabric, spec).unwrap().routes {
        Routes::Tables(tables) => tables,
        Routes::Source(_) => panic!("{spec} makes no tables"),
    }
}

/// A fabric routed, or `None` where the algorithm refuses it for a reason that it names.
pub fn route_or_refusal(
    fabric: &Fabric,
    name: &str,
    parameters: &BTreeMap<String, String>,
) -> Option<Routing> {
    match route(fabric, name, parameters) {
        Ok(routing) => Some(routing),
        Err(error) => {
            let named = find(name).unwrap().refuses;
            let is_named = Refusal::of(&error).is_some_and(|refusal| named.contains(&refusal));
            assert!(is_named, "{name} refuses: {error}");
            None
        }
    }
}
