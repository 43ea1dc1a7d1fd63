//! Files of service levels and of their lanes, read for a fabric with GUIDs and LIDs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use weft_fabric::Fabric;
use weft_opensm::{LaneMaps, ServiceLevels, on_lanes};
use weft_routing::{ForwardingTables, Routes, algorithms};

static FABRIC: LazyLock<(Fabric, ForwardingTables)> = LazyLock::new(|| {
    let text = include_bytes!("../seeds/ibnetdiscover/three_switches.ibnetdiscover");
    let fabric = match weft_fabric::formats::read(text, "three_switches.ibnetdiscover") {
        Ok(found) => found.fabric,
        Err(error) => panic!("{error}"),
    };
    match algorithms::route_spec(&fabric, "down_preferred:per=host").map(|found| found.routes) {
        Ok(Routes::Tables(tables)) => (fabric, tables),
        other => panic!("no tables: {other:?}"),
    }
});

fuzz_target!(|bytes: &[u8]| {
    let (fabric, tables) = &*FABRIC;
    let levels = ServiceLevels::read(bytes, "file", fabric).map(|found| found.levels);
    let maps = LaneMaps::read(bytes, "file", fabric).map(|(maps, _)| maps);
    // Showing an error slices the text around its place.
    for error in [levels.as_ref().err(), maps.as_ref().err()].into_iter().flatten() {
        assert!(error.to_string().starts_with("file:"));
    }
    if levels.is_err() && maps.is_err() {
        return;
    }
    // Whatever they say, the proof comes to a verdict on the routes.
    let laned = on_lanes(fabric, tables.clone(), levels.as_ref().ok(), maps.as_ref().ok());
    match weft_proof::verify(fabric, &laned.into()) {
        Err(error) => panic!("{error}"),
        Ok(proof) => assert!(!proof.describe(fabric).is_empty()),
    }
});
