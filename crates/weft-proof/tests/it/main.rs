//! Tests of the proof: verdicts by hand and on random fabrics, and what every algorithm claims.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod adaptive;
mod best;
mod best_by_rates;
mod best_for_traffic;
mod best_in_transit;
mod by_hand;
mod certificates;
mod completion;
mod draining;
mod engines;
mod every_order;
mod fat_trees;
mod findings;
mod foreign_tables;
mod group_findings;
mod group_verdicts;
mod groups;
mod known_fabrics;
mod lane_tables;
mod leading;
mod levels_that_may_choose;
mod load_bounds;
mod longest_mixture;
mod management;
mod mixtures;
mod nue;
mod obstructions;
mod properties;
mod proved;
mod repair;
mod repair_by_port;
mod segment_based;
mod service_ends;
mod survival;
mod tables;
mod torus_2qos;
mod transition;
mod transition_by_port;
mod transition_orders;
mod transition_removing;
mod transition_trees;
