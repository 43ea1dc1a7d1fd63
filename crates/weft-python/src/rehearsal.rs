//! The stage `rehearse`: failures and new tables under traffic.

use crate::arrays::row;
use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::hardware::PyHardware;
use crate::interrupt::PyCancel;
use crate::routing::PyRouting;
use crate::simulate::{Asked, waiting};
use crate::workload::offered;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft::{Event, Happening, Rehearsal, Rehearsed, TimedEvent, Window};

/// Switch, destination, which of its addresses, and port.
type Write = (String, String, usize, u8);

/// When, which kind, the part that fails or returns, tables, the switches that get them, the time from one to the
/// next, whether what changes is cleared first, and single entries.
pub(crate) type Told<'py> = (
    f64,
    String,
    Option<String>,
    Option<Bound<'py, PyRouting>>,
    Option<Vec<String>>,
    f64,
    bool,
    Vec<Write>,
);

/// Lets events happen under traffic; members of `weft.rehearsal.Rehearsed` by name.
#[pyfunction]
#[pyo3(signature = (
    fabric, routing, hardware, traffic, events, *, retries, until_ns, window_ns, cancel
))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is an argument of the Python function"
)]
pub(crate) fn rehearse<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hardware: &PyHardware,
    traffic: &Bound<'py, PyAny>,
    events: Vec<Told<'py>>,
    retries: Option<(f64, u32)>,
    until_ns: f64,
    window_ns: f64,
    cancel: Option<&PyCancel>,
) -> Outcome<Bound<'py, PyDict>> {
    let traffic = offered(traffic)?;
    let rehearsal = Rehearsal {
        happening: happening(events, retries)?,
        until_ns,
        window_ns,
    };
    let asked = Asked::of(fabric, routing, hardware, cancel)?;
    let found = asked.run(py, move |network, stop| {
        network.rehearse(&traffic, &rehearsal, &mut |_| stop.flow())
    })?;
    told(py, fabric, &found)
}

/// Refuses events that cannot happen to a fabric.
#[pyfunction]
pub(crate) fn check_events(fabric: &PyFabric, events: Vec<Told<'_>>) -> Outcome<()> {
    let Happening { events, .. } = happening(events, None)?;
    Ok(weft::check_events(&events, &fabric.inner)?)
}

/// What happens while a network is simulated, as Python tells it.
pub(crate) fn happening(events: Vec<Told<'_>>, retries: Option<(f64, u32)>) -> Outcome<Happening> {
    let events = events.into_iter().map(event).collect::<Outcome<_>>()?;
    Ok(Happening { events, retries })
}

fn event(told: Told<'_>) -> Outcome<TimedEvent> {
    let (at_ns, kind, part, tables, switches, each_after_ns, clears_first, writes) = told;
    let event = match (kind.as_str(), part, tables) {
        ("fails", Some(part), _) => Event::Fails(part),
        ("returns", Some(part), _) => Event::Returns(part),
        ("tables", _, Some(tables)) => Event::Tables {
            tables: tables.get().routed(),
            switches,
            each_after_ns,
            clears_first,
        },
        ("answers", _, Some(tables)) => {
            let pairs = writes.into_iter().map(|(at, to, _, _)| (at, to));
            let pairs: Vec<_> = pairs.collect();
            Event::Answers {
                tables: tables.get().routed(),
                pairs: (!pairs.is_empty()).then_some(pairs),
            }
        }
        ("entries", ..) => Event::Entries {
            writes,
            each_after_ns,
        },
        _ => {
            let text = format!(
                "found event “{kind}”, expected fails, returns, tables, answers or entries"
            );
            return Err(Exception::Input.told(text));
        }
    };
    Ok(TimedEvent { at_ns, event })
}

fn told<'py>(py: Python<'py>, fabric: &PyFabric, found: &Rehearsed) -> Outcome<Bound<'py, PyDict>> {
    let members = PyDict::new(py);
    let reals = |of: fn(&Window) -> f64| row(py, found.windows.iter().map(of));
    let counts = |of: fn(&Window) -> u64| row(py, found.windows.iter().map(of));
    members.set_item("begin_ns", reals(|window| window.begin_ns)?)?;
    members.set_item("end_ns", reals(|window| window.end_ns)?)?;
    members.set_item("packets", counts(|window| window.packets)?)?;
    members.set_item("accepted_load", reals(|window| window.accepted_load)?)?;
    members.set_item("mean_latency_ns", reals(|window| window.mean_latency_ns)?)?;
    members.set_item("most_latency_ns", reals(|window| window.most_latency_ns)?)?;
    members.set_item("lost_by_failure", counts(|window| window.lost_by_failure)?)?;
    let without = counts(|window| window.lost_without_entry)?;
    members.set_item("lost_without_entry", without)?;
    members.set_item("offered_load", found.offered_load)?;
    members.set_item("under_way_packets", found.under_way_packets)?;
    members.set_item("deadlock_ns", found.deadlock_ns)?;
    // Lanes are told where there may be several.
    let packets = waiting(py, &fabric.inner, &found.waiting_cycle, 2)?;
    members.set_item("waiting_cycle", packets)?;
    Ok(members)
}
