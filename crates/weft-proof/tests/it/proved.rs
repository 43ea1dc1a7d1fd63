//! Routes that are proved, by their certificates, and cycles of those that are not.

use weft_fabric::Fabric;
use weft_proof::{Certificate, DependencyCycle, Proof, Verdict, check_certificate, verify};
use weft_routing::{Routes, Routing};
use weft_testing::route_spec;

/// Routes, proves all pairs and checks the certificate.
#[track_caller]
pub(crate) fn proved(fabric: &Fabric, spec: &str) -> Routing {
    let routing = route_spec(fabric, spec).unwrap();
    assert_proved(fabric, &routing.routes);
    routing
}

/// Proves all pairs and checks the certificate.
#[track_caller]
pub(crate) fn assert_proved(fabric: &Fabric, routes: &Routes) {
    let proof = verify(fabric, routes).unwrap();
    let certificate = certificate_of(fabric, &proof);
    assert_eq!(check_certificate(fabric, routes, certificate), Ok(()));
    let hosts = fabric.host_count() as u64;
    assert_eq!(proof.host_pairs, hosts * (hosts - 1));
}

/// The certificate of routes that are free of deadlock.
#[track_caller]
pub(crate) fn certificate_of<'a>(fabric: &Fabric, proof: &'a Proof) -> &'a Certificate {
    match &proof.verdict {
        Verdict::DeadlockFree(certificate) => certificate,
        _ => panic!("{}", proof.describe(fabric)),
    }
}

/// The cycle of routes that can deadlock.
#[track_caller]
pub(crate) fn cycle_of<'a>(fabric: &Fabric, proof: &'a Proof) -> &'a DependencyCycle {
    match &proof.verdict {
        Verdict::Deadlock(cycle) => cycle,
        _ => panic!("{}", proof.describe(fabric)),
    }
}
