//! What failed returns, and repaired tables give way to those of before.

use super::mixtures::{Order, entry, mixed};
use petgraph::algo::is_cyclic_directed;
use proptest::prelude::*;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_routing::{ForwardingTables, StandingTables};

/// One of two links comes back, then the other, and then what was repaired gives way to what there was.
pub(super) fn check_led_back(
    whole: &Fabric,
    old: &ForwardingTables,
    parts: &[Fabric],
) -> Result<usize, TestCaseError> {
    let plan = StandingTables::new(Arc::new(whole.clone()), old).unwrap();
    let repairs = parts.iter().map(|part| plan.repaired_for(part));
    let made: Vec<_> = repairs.take_while(Result::is_ok).flatten().collect();
    let mut stages = made
        .iter()
        .zip(parts)
        .map(|((tables, made), part)| (part, tables, &made.tables));
    let mut all: Vec<_> = stages.by_ref().collect();
    all.insert(0, (whole, &plan, old));
    let mut led = 0;
    for pair in all.windows(2) {
        let [(there, new, new_tables), (left, standing, tables)] = pair else {
            unreachable!()
        };
        if left.link_count() < there.link_count() {
            prop_assert_eq!(standing.led_from(new), None, "what is gone is no return");
        }
        let Some(way) = new.led_from(standing) else {
            continue;
        };
        led += 1;
        let rounds = Order {
            rounds: &way.rounds,
            cleared: &way.cleared,
            clears_first: !way.cleared.is_empty(),
            management: new.counts_management(),
        };
        let graph = mixed([left, there], [tables, new_tables], rounds);
        prop_assert!(!is_cyclic_directed(&graph));
        let sets = way.rounds.iter().skip(usize::from(rounds.clears_first));
        let set = sets.map(Vec::len).sum::<usize>();
        let mut differ = 0;
        for at in there.switch_ids() {
            let ports = |host: usize| [*tables, *new_tables].map(|of| entry(of, at, host));
            let hosts = (0..there.host_count()).map(ports);
            differ += hosts.filter(|[was, is]| was != is).count();
        }
        prop_assert_eq!(set, differ);
    }
    Ok(led)
}
