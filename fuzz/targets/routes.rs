//! Files of routes and tables, read for a fabric whose switches and hosts have GUIDs and LIDs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use weft_fabric::Fabric;
use weft_opensm::read_routes;
use weft_routing::AnyRoutes;
use weft_routing::json::write;

static FABRIC: LazyLock<Fabric> = LazyLock::new(|| {
    let text = include_bytes!("../seeds/ibnetdiscover/three_switches.ibnetdiscover");
    match weft_fabric::formats::read(text, "three_switches.ibnetdiscover") {
        Ok(found) => found.fabric,
        Err(error) => panic!("{error}"),
    }
});

fuzz_target!(|bytes: &[u8]| {
    match read_routes(bytes, "file", &FABRIC) {
        // Showing an error slices the text around its place.
        Err(error) => assert!(error.to_string().starts_with("file:")),
        Ok(found) => {
            // Whatever the routes do, the proof comes to a verdict on them.
            let proof = match found.routing.routes() {
                AnyRoutes::Fixed(routes) => weft_proof::verify(&FABRIC, routes),
                AnyRoutes::Adaptive(routes) => weft_proof::verify_adaptive(&FABRIC, routes),
            };
            if let Ok(proof) = proof {
                assert!(!proof.describe(&FABRIC).is_empty());
            }
            let Ok(fixed) = found.routing.fixed("a file") else {
                return;
            };
            let text = write(&FABRIC, fixed);
            let again = read_routes(text.as_bytes(), "file", &FABRIC).map(|again| again.routing);
            assert_eq!(again.as_ref(), Ok(&found.routing), "{text}");
        }
    }
});
