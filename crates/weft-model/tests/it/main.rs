//! Tests of hardware and workload: parameters, patterns, programs, traces.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

mod adapters;
mod bursts;
mod collectives;
mod cut_through;
mod destinations;
mod execution_traces;
mod hardware;
mod jobs;
mod local_stops;
mod network;
mod network_interfaces;
mod nodes;
mod packet_by_packet;
mod pattern_refusals;
mod patterns;
mod pipelined;
mod planted_mistakes;
mod programs;
mod rails;
mod receive_room;
mod schedules;
mod started_operations;
mod taken_algorithms;
mod timeline;
mod timing;
mod trace_lengths;
mod traces;
mod traffic;
