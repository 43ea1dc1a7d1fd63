//! Routes that are proved, by their certificates, and cycles of those that are not.

use std::fmt::Debug;
use weft_fabric::Fabric;
use weft_proof::{
    Certificate, CertificateError, DependencyCycle, Proof, RouteLoop, UnreachedPair,
    UnreachedReason, Verdict, check_certificate, verify,
};
use weft_routing::{DeadEnd, Routes, Routing};
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

/// A certificate that does not hold because a route does not ascend it.
#[track_caller]
pub(crate) fn assert_not_ascending<T: Debug>(checked: &Result<T, CertificateError>) {
    let is_found = matches!(checked, Err(CertificateError::NotAscending { .. }));
    assert!(is_found, "{checked:?}");
}

macro_rules! told {
    ($($name:ident: $verdict:ident($told:ty)),*) => {$(
        /// What the verdict tells, which has to be of this kind.
        #[track_caller]
        pub(crate) fn $name<'a>(fabric: &Fabric, proof: &'a Proof) -> &'a $told {
            match &proof.verdict {
                Verdict::$verdict(told) => told,
                _ => panic!("{}", proof.describe(fabric)),
            }
        }
    )*};
}

told! {
    certificate_of: DeadlockFree(Certificate),
    cycle_of: Deadlock(DependencyCycle),
    loop_of: Loop(RouteLoop),
    unreached_of: Unreachable(Vec<UnreachedPair>)
}

/// The switch where the route of a pair leads nowhere, and why.
#[track_caller]
pub(crate) fn dead_end_of(pair: &UnreachedPair) -> (usize, DeadEnd) {
    match pair.reason {
        UnreachedReason::DeadEnd {
            switch, dead_end, ..
        } => (switch.index(), dead_end),
        reason @ UnreachedReason::EndsAt(_) => panic!("{reason:?}"),
    }
}
