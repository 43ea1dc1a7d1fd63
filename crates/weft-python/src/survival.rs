//! What becomes of forwarding tables when parts fail, one failure after the other.

use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::routing::{PyRouting, ToldRepair, ToldRound, told_round};
use pyo3::prelude::*;
use std::sync::Arc;
use weft_fabric::{ChannelId, Endpoint, Fabric, LinkId, SwitchId};
use weft_routing::{
    Bisections, FailedParts, Managed, RepairError, StandingFigures, StandingTables, Survey,
    Survival,
};

/// What is set in which round; the destinations that are cleared in the first; the most switches that packets met which
/// are waited for then, and that any meet.
type ToldLeading = (Vec<ToldRound>, Vec<String>, usize, usize);

/// Tables with what has to be known of them to repair them at once, and the pairs that their effective
/// bisection is told by; immutable.
#[pyclass(name = "StandingTables", module = "weft._core", frozen)]
pub(crate) struct PyStandingTables {
    inner: Arc<Survey>,
    /// How the tables were made.
    routing: PyRouting,
}

/// Most routes over a channel, that channel, the saturation bound, and the effective bisection.
type Figures = (u64, Option<String>, f64, f64);

/// Entries by names of switch and destination, where they are looked at.
type Late = Option<Vec<(String, String)>>;

/// Hosts cut off; why there is no repair; entries and lanes changed, destinations set last and cleared first,
/// and the figures.
type Told = (
    Vec<String>,
    Option<String>,
    Option<(usize, usize, usize, usize, Figures)>,
);

#[pymethods]
impl PyStandingTables {
    #[new]
    fn new(
        py: Python<'_>,
        fabric: &PyFabric,
        routing: &PyRouting,
        rounds: u32,
        seed: u64,
    ) -> Outcome<Self> {
        let (whole, tables) = routing.tables_on(fabric, "a repair")?;
        let bisections = Bisections::new(&whole, rounds, seed);
        let made = run(py, move || StandingTables::new(whole, &tables))??;
        Ok(Self {
            inner: survey(made, bisections),
            routing: routing.clone(),
        })
    }

    /// The same tables on a fabric with more cables, of which only what failures break makes use.
    fn on(&self, py: Python<'_>, wider: &PyFabric) -> Outcome<Self> {
        let whole = Arc::clone(self.inner.standing().fabric());
        let wider = Arc::clone(&wider.inner);
        let counts = |fabric: &Fabric| (fabric.switch_count(), fabric.host_count());
        if counts(&whole) != counts(&wider) {
            let text = format!("“{}” has other switches or hosts", wider.name());
            return Err(Exception::Fabric.told(text));
        }
        let own = PyFabric { inner: whole };
        let (_, tables) = self.routing.tables_on(&own, "a repair")?;
        let made = run(py, move || StandingTables::new(wider, &tables))??;
        Ok(Self {
            inner: survey(made, self.inner.bisections().clone()),
            routing: self.routing.clone(),
        })
    }

    /// What stands once the tables are repaired for what is left of their fabric, and the repair; beside these the
    /// entries, by names of switch and destination, of switches without hosts that have no way beside packets of before,
    /// `None` where such are not looked at.
    fn repaired(&self, py: Python<'_>, after: &PyFabric) -> Outcome<(Self, ToldRepair, Late)> {
        let (standing, new) = (Arc::clone(self.inner.standing()), Arc::clone(&after.inner));
        let (left, made, late) = run(py, move || {
            let (left, mut made) = standing.repaired_for(&new)?;
            let Managed { tables, found, .. } = left.managed();
            if !found.is_empty() {
                made.tables = tables.tables(&new)?;
            }
            Ok::<_, RepairError>((tables, made, found))
        })??;
        let (fabric, granularity) = (left.fabric(), left.granularity());
        let name = |(at, to): (SwitchId, usize)| {
            let to = granularity.endpoint_name(fabric, to);
            (fabric.switch(at).name.clone(), to.to_owned())
        };
        let late = late.into_iter().map(name).collect();
        let late = left.counts_management().then_some(late);
        let told = self.routing.repaired(after, made)?;
        let standing = Self {
            inner: survey(left, self.inner.bisections().clone()),
            routing: self.routing.clone(),
        };
        Ok((standing, told, late))
    }

    /// Whether what switches without hosts send is among what waits in no circle.
    #[getter]
    fn counts_management(&self) -> bool {
        self.inner.standing().counts_management()
    }

    /// The rounds by which others give way to these tables, the destinations that are cleared in the first of them, how
    /// many switches packets met that are waited for then, and how many they may meet; `None` where that is not found.
    fn led_from(&self, py: Python<'_>, old: &Self) -> Outcome<Option<ToldLeading>> {
        let [own, old] = [self, old].map(|of| Arc::clone(of.inner.standing()));
        let led = run(py, move || own.led_from(&old))?;
        Ok(led.map(|led| {
            let rounds = led.rounds.into_iter().map(told_round);
            (
                rounds.collect(),
                led.cleared,
                led.cleared_switches,
                led.most_switches,
            )
        }))
    }

    /// The number of each link between switches, with both of its ends as ``switch:port``.
    fn cables(&self) -> Vec<(usize, String, String)> {
        let fabric = self.inner.standing().fabric();
        let end = |end: Endpoint| format!("{}:{}", fabric.node_name(end.node), end.port);
        let links = fabric.switch_channels().step_by(2).map(ChannelId::link);
        let cables = links.map(|link| {
            let [one, other] = fabric.link(link).ends.map(end);
            (link.index(), one, other)
        });
        cables.collect()
    }

    /// How the tables load the channels as they are.
    fn figures(&self, py: Python<'_>) -> PyResult<Figures> {
        let survey = Arc::clone(&self.inner);
        run(py, move || {
            told(survey.standing().fabric(), &survey.figures())
        })
    }

    /// The most switches that a packet meets.
    fn most_switches(&self, py: Python<'_>) -> PyResult<usize> {
        let survey = Arc::clone(&self.inner);
        run(py, move || survey.standing().most_switches())
    }

    /// What each failure comes to, given by the numbers of its links and switches.
    fn survive(
        &self,
        py: Python<'_>,
        failures: Vec<(Vec<usize>, Vec<usize>)>,
    ) -> Outcome<Vec<Told>> {
        let survey = Arc::clone(&self.inner);
        let fabric = survey.standing().fabric();
        let is_known = |(links, switches): &(Vec<usize>, Vec<usize>)| {
            links.iter().all(|&link| link < fabric.link_count())
                && switches
                    .iter()
                    .all(|&switch| switch < fabric.switch_count())
        };
        if !failures.iter().all(is_known) {
            let text = format!("“{}” has no such links and switches", fabric.name());
            return Err(Exception::Fabric.told(text));
        }
        let found = run(py, move || {
            let parts = failures.into_iter().map(|(links, switches)| FailedParts {
                links: links.into_iter().map(LinkId::from_index).collect(),
                switches: switches.into_iter().map(SwitchId::from_index).collect(),
                hosts: Vec::new(),
            });
            let parts: Vec<FailedParts> = parts.collect();
            let found = survey.survive(&parts);
            let fabric = survey.standing().fabric();
            let told = found.into_iter().map(|one| outcome(fabric, one));
            told.collect()
        })?;
        Ok(found)
    }
}

fn survey(standing: StandingTables, bisections: Bisections) -> Arc<Survey> {
    Arc::new(Survey::new(Arc::new(standing), bisections))
}

fn told(fabric: &Fabric, figures: &StandingFigures) -> Figures {
    let busiest = figures
        .busiest
        .map(|channel| fabric.describe_channel(channel));
    (
        figures.largest_load,
        busiest,
        figures.saturation_bound,
        figures.effective_bisection,
    )
}

fn outcome(fabric: &Fabric, survival: Survival) -> Told {
    let hosts = survival.cut_off.iter();
    let cut_off = hosts.map(|&host| fabric.host(host).name.clone()).collect();
    match survival.repaired {
        Err(error) => (cut_off, Some(error.to_string()), None),
        Ok(repaired) => {
            let figures = told(fabric, &repaired.figures);
            let changed = (
                repaired.changed_entries,
                repaired.changed_lanes,
                repaired.last_destinations,
                repaired.cleared_destinations,
                figures,
            );
            (cut_off, None, Some(changed))
        }
    }
}
