//! Python bindings (`weft._core`): one file per stage, no algorithm.
//!
//! Every class is frozen, every run detaches from the interpreter ([`interrupt`]), every error of
//! the core becomes one exception of `weft.errors` ([`errors`]).

mod arrays;
mod bandwidth;
mod congestion;
mod demand;
mod errors;
mod explore;
mod fabric;
mod files;
mod group_files;
mod groups;
mod hardware;
mod interrupt;
mod least_load;
mod linear;
mod loaded;
mod numbers;
mod opensm;
mod program;
mod proof;
mod registry;
mod rehearsal;
mod replay;
mod routing;
mod search;
mod simulate;
mod survival;
mod timeline;
mod trace;
mod transition;
mod uses;
mod workload;

use pyo3::prelude::*;

/// What `weft` is made of; use the modules of `weft`, which document it.
#[pymodule(name = "_core")]
mod core {
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    #[pymodule_export]
    use crate::bandwidth::bandwidth;

    #[pymodule_export]
    use crate::congestion::{congestion, hottest_channels, load_figures};

    #[pymodule_export]
    use crate::demand::PyHostDemand;

    #[pymodule_export]
    use crate::explore::PyExplorer;

    #[pymodule_export]
    use crate::fabric::{
        PyFabric, compare_fabrics, degrade_fabric, fabric_computers, fabric_figures,
        fabric_formats, fabric_levels, fabric_parts, fabric_structure, fabric_text, format_of_path,
        generate_topology, inspect_fabric, links_from, read_fabric, slurm_hostlist, subnets,
        topologies,
    };

    #[pymodule_export]
    use crate::files::{most_bytes_without_end, unpack};

    #[pymodule_export]
    use crate::groups::{
        group_findings, group_loads, group_verdict, hashed_loads, levels_that_may_choose,
        service_level_classes,
    };

    #[pymodule_export]
    use crate::hardware::{
        PyHardware, hardware, hardware_parameters, hardware_presets, read_hardware,
    };

    #[pymodule_export]
    use crate::group_files::{group_table_files, read_group_tables, routes_file_kind};

    #[pymodule_export]
    use crate::interrupt::PyCancel;

    #[pymodule_export]
    use crate::least_load::{PyLoadBound, check_load_bound, load_bound};

    #[pymodule_export]
    use crate::opensm::{
        PyLoadedTables, entries_of_management, managed_tables, opensm_files, routes_on_lanes,
    };

    #[pymodule_export]
    use crate::proof::{
        PyCertificate, check_certificate, free_between_compute_ends, prove, route_findings,
    };

    #[pymodule_export]
    use crate::rehearsal::{check_events, rehearse};

    #[pymodule_export]
    use crate::replay::{job_load, replay_jobs, trace_packets};

    #[pymodule_export]
    use crate::routing::{
        PyRouting, check_routing, default_routings, list_algorithms, read_routes, repair, route,
        routing_choice, throughput_bound, to_tables,
    };

    #[pymodule_export]
    use crate::search::search_routes;

    #[pymodule_export]
    use crate::simulate::{
        default_precision, figures, idle_latency, latency_parts, packets_allowed, packets_needed,
        simulate, student_quantile,
    };

    #[pymodule_export]
    use crate::survival::PyStandingTables;

    #[pymodule_export]
    use crate::timeline::{PyMessageSpans, PyStateSpans, PyStateSpansReader};

    #[pymodule_export]
    use crate::transition::{
        plan_transition, sent_by_level, transition_methods, transition_obstructions,
    };

    #[pymodule_export]
    use crate::uses::{bounds_of_pattern_by_use, loads_by_use, shares_of_rounds_by_use};

    #[pymodule_export]
    use crate::workload::{
        arrival_processes, check_traffic, destinations, expected_load, list_patterns, pattern_file,
        sending_hosts,
    };

    #[pymodule_export]
    use crate::program::PyProgramTasks;

    #[pymodule_export]
    use crate::trace::{
        PyTrace, aggregated_trace, collective_algorithms, collective_trace, exchange_trace,
        messaging_parameters, multicast_orders, multicast_trace, read_trace, transfers_trace,
    };

    #[pymodule_init]
    fn add_build(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let build = PyDict::new(module.py());
        for (name, value) in [
            ("commit", env!("WEFT_BUILD_COMMIT")),
            ("profile", env!("WEFT_BUILD_PROFILE")),
            ("compiler", env!("WEFT_BUILD_COMPILER")),
            ("target", env!("WEFT_BUILD_TARGET")),
        ] {
            build.set_item(name, value)?;
        }
        module.add("__build__", build)
    }
}
