//! Tests of routing: laws on random fabrics, figures of papers, files, refusals.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod adaptive;
mod congestion;
mod default_sets;
mod demand;
mod dimension_order;
mod errors;
mod files;
mod forwarding;
mod group_loads;
mod held;
mod known_figures;
mod lane_files;
mod lanes;
mod layered;
mod linear_programs;
mod load;
mod metric_bounds;
mod orientation;
mod progress;
mod properties;
mod rails;
mod raised_lanes;
mod relabelling;
mod renaming;
mod rhinet_tables;
mod searches;
mod selection;
mod several_roots;
mod simple_routes;
mod tables;
