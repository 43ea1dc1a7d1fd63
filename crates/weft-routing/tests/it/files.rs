//! Files of routes: what is written comes back, what is damaged is noticed.

use proptest::prelude::*;
use weft_fabric::formats::{FormatError, Source};
use weft_fabric::{Fabric, PortNumber};
use weft_routing::algorithms::route_spec;
use weft_routing::json::write;
use weft_routing::{
    Lane, PairGranularity, RouteRow, Routes, Routing, SourceRoutes, json, to_tables,
};
use weft_testing::{assert_has, cases, fabric_of, fabrics, first_line};

/// Reads a text as a file.
pub(crate) fn read(text: &str, fabric: &Fabric) -> Result<Routing, FormatError> {
    let source = Source { name: "file", text };
    json::read(source, fabric)
}

/// The first line of an error.
fn message(text: &str, fabric: &Fabric) -> String {
    first_line(read(text, fabric).unwrap_err())
}

/// Two switches with a host each, and their routes in our own format.
fn small() -> (Fabric, String) {
    let fabric = fabric_of(&[1, 1], &[(0, 1)]);
    let routing = route_spec(&fabric, "updown:per=switch,root=0").unwrap();
    let text = write(&fabric, &routing);
    (fabric, text)
}

#[test]
fn our_own_format_is_as_described() {
    let (fabric, text) = small();
    let expected = format!(
        "{{\n  \"format\": \"weft-routes\",\n  \"version\": 1,\n  \"fabric\": \"test\",\n  \
         \"fingerprint\": \"0x{:016x}\",\n  \"algorithm\": \"updown\",\n  \"parameters\": {{\"per\": \
         \"switch\", \"root\": \"0\", \"seed\": \"1\", \"selection\": \"random\"}},\n  \"per\": \
         \"switch\",\n  \"routes\": [\n    [[],[1]],\n    [[1],[]]\n  ]\n}}\n",
        fabric.fingerprint()
    );
    assert_eq!(text, expected);
    let tables = route_spec(&fabric, "down_preferred:per=switch").unwrap();
    let tables = write(&fabric, &tables);
    let lists = "\"addresses\": [1,1],\n  \"tables\": [\n    [0,1],\n    [1,0]\n  ]\n}\n";
    assert!(tables.ends_with(lists), "{tables}");
}

/// A route that begins on lane 0 and ends on lane 2, by way of lane 1.
#[test]
fn lists_have_the_lane_of_every_step() {
    let fabric = fabric_of(&[1; 4], &[(0, 1), (1, 2), (2, 3)]);
    let rows = (0..4).map(|from| {
        RouteRow::on_lanes((0..4).map(move |to| {
            let steps = match (from, to) {
                (0, 3) => vec![(1, 0), (2, 1), (2, 2)],
                _ => vec![],
            };
            let step = |(port, lane)| (PortNumber::new(port), Lane::new(lane));
            steps.into_iter().map(step)
        }))
    });
    let listed = SourceRoutes::from_rows(PairGranularity::Switch, rows.collect());
    let routing = Routing {
        routes: listed.into(),
        ..route_spec(&fabric, "updown:per=switch").unwrap()
    };
    let text = write(&fabric, &routing);
    assert_has(&text, "\"lanes\": [\n    [[],[],[],[0,1,2]],\n");
    assert_eq!(read(&text, &fabric).unwrap(), routing);
}

#[test]
fn routes_in_our_own_format_that_do_not_fit_are_refused_with_the_place() {
    let (fabric, text) = small();
    let other = fabric_of(&[1, 2], &[(0, 1)]);
    let found = message(&text, &other);
    let start = format!(
        "file:5:18: found routes of fabric “test” with fingerprint 0x{:016x}, expected those of \
         “test” with 0x{:016x}; routes hold for",
        fabric.fingerprint(),
        other.fingerprint()
    );
    assert!(found.starts_with(&start), "{found}");
    for (from, to, expected) in [
        (
            "weft-routes",
            "weft-fabric",
            "file:1:1: found JSON of format “weft-fabric”, expected",
        ),
        (
            "\"version\": 1",
            "\"version\": 2",
            "file:3:14: found version 2, expected version 1 of",
        ),
        (
            "\"per\": \"switch\",\n",
            "\"per\": \"both\",\n",
            "file:8:10: found “both”, expected",
        ),
        (
            "[[1],[]]",
            "[[1],[],[]]",
            "file:11:5: found 3 lists, expected 2, one per switch",
        ),
        (
            ",\n    [[1],[]]",
            "",
            "file:9:13: found 1 lines, expected 2, one per switch of fabric",
        ),
        (
            "[[1],[]]",
            "[[256],[]]",
            "file:11:7: found integer `256`, expected a whole number from",
        ),
        (
            "\"routes\": [",
            "\"tables\": [",
            "file:1:1: found other members, expected either",
        ),
        (
            "\"algorithm\"",
            "\"algorithms\"",
            "file:6:3: found unknown field `algorithms`, expected",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let found = message(&text.replacen(from, to, 1), &fabric);
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn files_cut_anywhere_are_noticed() {
    let (fabric, json) = small();
    for length in 0..json.trim_end().len() {
        assert!(read(&json[..length], &fabric).is_err(), "{length}");
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn what_is_written_is_read_again(
        fabric in fabrics(0), seed in any::<u64>(), lanes in 1_u8..4, any in any::<bool>(),
        name in prop::sample::select(vec!["updown", "ud_itb", "down_preferred", "prefix", "best"]),
    ) {
        let routing = route_spec(&fabric, &format!("{name}:seed={seed}")).unwrap();
        let mut all = vec![routing.clone()];
        if let Ok(mut tables) = to_tables(&fabric, &routing.routes, 7) {
            if any {
                tables.send_to_any_address();
            }
            let count = tables.endpoint_count();
            let lane = |pair: usize| Lane::new(u8::try_from(pair % usize::from(lanes)).unwrap());
            tables.set_lanes((0..count * count).map(lane).collect());
            let routes = Routes::from(tables);
            let source = routes.to_source_routes(&fabric).into_owned();
            all.push(Routing { routes, ..routing.clone() });
            all.push(Routing { routes: source.into(), ..routing });
        }
        for routing in all {
            prop_assert_eq!(read(&write(&fabric, &routing), &fabric).unwrap(), routing);
        }
    }
}
