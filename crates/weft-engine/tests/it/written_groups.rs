//! Files of groups of ports, read, proved and simulated: every circle that is planted is found, none is in tables that are
//! sound, and these do not deadlock.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many tables are simulated, `WEFT_DIFFERENTIAL_SEED` the seed of the first.

use crate::support::coverage::Coverage;
use crate::support::fixtures::{cut_through_model, listed};
use crate::support::random::Draws;
use crate::support::runner::run_cases;
use crate::support::written_groups::{WrittenGroups, planted, sound};
use weft_model::cut_through::{CutThroughModel, Selection};
use weft_model::{ChannelTiming, ChannelTimings};
use weft_opensm::{GroupFiles, read_group_tables};
use weft_oracle::CutThroughOracle;
use weft_proof::{Verdict, verify, verify_adaptive};
use weft_routing::{AnyRoutes, AnyRouting};

const TIMINGS: ChannelTimings = ChannelTimings::Alike(ChannelTiming {
    cycles_per_flit: 1,
    flight_cycles: 5,
});

/// Flits of a packet.
const FLITS: u32 = 8;

/// The routes that a file tells, those of tables where no switch chooses; nothing of it is passed over.
fn read(written: &WrittenGroups) -> AnyRouting {
    let files = GroupFiles {
        groups: Some((written.far.as_bytes(), "written.far")),
        ..GroupFiles::default()
    };
    let found = read_group_tables(&files, &written.fabric).unwrap();
    assert_eq!(found.notes, [], "{}", written.far);
    found.routing
}

fn verdict(written: &WrittenGroups) -> Verdict {
    let proof = match read(written) {
        AnyRouting::Adaptive(routing) => verify_adaptive(&written.fabric, &routing.routes),
        AnyRouting::Fixed(routing) => verify(&written.fabric, &routing.routes),
    };
    proof.unwrap().verdict
}

/// A thousand of each, of networks of four to eight switches.
#[test]
fn planted_circles_are_all_found_and_none_is_invented() {
    for seed in 0..1000 {
        let found = verdict(&sound(&mut Draws::new(seed)));
        assert!(
            matches!(found, Verdict::DeadlockFree(_)),
            "seed {seed}: {found:?}"
        );
        let found = verdict(&planted(&mut Draws::new(seed), false));
        assert!(
            matches!(found, Verdict::Deadlock(_)),
            "seed {seed}: {found:?}"
        );
    }
}

/// Whether all packets arrive, by hardware that is drawn.
fn arrive(draws: &mut Draws, written: &WrittenGroups) -> Result<(), String> {
    let routing = read(written);
    let routes: AnyRoutes<'_> = match &routing {
        AnyRouting::Adaptive(routing) => (&routing.routes).into(),
        AnyRouting::Fixed(routing) => (&routing.routes).into(),
    };
    let selections = [Selection::Emptiest, Selection::Random, Selection::Hash];
    let model = CutThroughModel {
        selection: *draws.choose(&selections),
        choice_delay_cycles: *draws.choose(&[0, 0, 3, 40]),
        ..cut_through_model(
            routes.lane_count(),
            FLITS * draws.between_u32(1, 2),
            *draws.choose(&[0, FLITS]),
            draws.between_u32(0, 5),
        )
    };
    let workload = listed(&written.fabric, &written.packets, FLITS);
    let mut oracle =
        CutThroughOracle::with_routes(&written.fabric, routes, &model, &TIMINGS, &workload)
            .unwrap();
    let mut delivered = Vec::new();
    let mut sent = 0;
    oracle.pass_over_pauses();
    for end in (1..).map(|step| 500 * step) {
        oracle.advance(end, &mut delivered);
        if delivered.len() == written.packets.len() {
            return Ok(());
        }
        // A packet takes some fifteen cycles from switch to switch.
        if oracle.flit_hops() == sent {
            break;
        }
        sent = oracle.flit_hops();
    }
    Err(format!(
        "{} of {} packets arrive, then all stand still",
        delivered.len(),
        written.packets.len()
    ))
}

#[test]
fn differential_runs_of_sound_tables_do_not_deadlock() {
    run_cases(40, |seed| {
        let mut draws = Draws::new(seed);
        let written = sound(&mut draws);
        arrive(&mut draws, &written).map(|()| Coverage::default())
    });
}

#[test]
fn differential_runs_of_planted_circles_deadlock() {
    run_cases(20, |seed| {
        let mut draws = Draws::new(seed);
        let written = planted(&mut draws, true);
        // Not whatever the hardware and the moment are, but soon.
        let is_stuck = (0..20).any(|_| arrive(&mut draws, &written).is_err());
        let told = || "all packets arrive in each of 20 runs".to_owned();
        is_stuck.then(Coverage::default).ok_or_else(told)
    });
}
