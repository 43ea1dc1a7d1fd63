//! Tests of fabrics: generators, figures, damage, and every format of files.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod any_fabric;
mod bisection;
mod builder;
mod crossed;
mod crossed_cliques;
mod damaged_files;
mod degrade;
mod ends_on_tops;
mod few_cores;
mod fingerprint;
mod formats;
mod generators;
mod graph_formats;
mod ibnetdiscover;
mod infiniband;
mod inspection;
mod json;
mod machines;
mod metrics;
mod more_cables;
mod planted;
mod rail_trees;
mod rails;
mod reading;
mod separate_subnets;
mod service;
mod topologies;
mod topology_refusals;
