//! The stage `workload`: what the hosts send.

use crate::errors::{Exception, IntoException};
use crate::numbers::whole;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use weft_model::workload::{Arrivals, Pattern, SizeShare, Traffic, TrafficParameters};

/// Hosts assumed when traffic is checked before its fabric is known.
const FEWEST_HOSTS: usize = 2;

const PATTERNS: &[(&str, Pattern)] = &[("uniform", Pattern::Uniform)];

const ARRIVALS: &[(&str, Arrivals)] = &[
    ("constant", Arrivals::Constant),
    ("poisson", Arrivals::Poisson),
];

fn choice<T: Copy>(traffic: &Bound<'_, PyAny>, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let value = traffic.getattr(name)?;
    let found = value.extract::<String>();
    let entry = known
        .iter()
        .find(|(word, _)| found.as_ref().is_ok_and(|found| found == word));
    entry.map(|&(_, choice)| choice).ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        let found = found.unwrap_or_else(|_| value.to_string());
        let text = format!(
            "{name}: found “{found}”, expected one of {}",
            words.join(", ")
        );
        Exception::Traffic.with_text(traffic.py(), text)
    })
}

/// This reads a Python `weft.Traffic`; the link rate is one byte per cycle.
pub(crate) fn parameters(traffic: &Bound<'_, PyAny>) -> PyResult<TrafficParameters> {
    let size = |bytes: &Bound<'_, PyAny>, share: f64| {
        let payload_bytes = whole(Exception::Traffic, "payload_bytes", bytes.cast::<PyInt>()?)?;
        PyResult::Ok(SizeShare {
            payload_bytes,
            share,
        })
    };
    let sizes = traffic.getattr("payload_bytes")?;
    let sizes = match sizes.cast::<PyDict>() {
        Ok(shares) => shares
            .iter()
            .map(|(bytes, share)| size(&bytes, share.extract()?))
            .collect::<PyResult<Vec<_>>>()?,
        Err(_) => vec![size(&sizes, 1.0)?],
    };
    Ok(TrafficParameters {
        pattern: choice(traffic, "pattern", PATTERNS)?,
        arrivals: choice(traffic, "arrivals", ARRIVALS)?,
        sizes,
        load_bytes_per_cycle: traffic.getattr("load")?.extract()?,
        seed: whole(
            Exception::Traffic,
            "seed",
            traffic.getattr("seed")?.cast::<PyInt>()?,
        )?,
    })
}

/// This prepares traffic among the hosts of a fabric.
pub(crate) fn prepare(traffic: &Bound<'_, PyAny>, host_count: usize) -> PyResult<Traffic> {
    Traffic::new(parameters(traffic)?, host_count)
        .map_err(|error| error.into_exception(traffic.py()))
}

/// Refuses traffic that no fabric could carry; `traffic` is a `weft.Traffic`.
#[pyfunction]
pub(crate) fn check_traffic(traffic: &Bound<'_, PyAny>) -> PyResult<()> {
    prepare(traffic, FEWEST_HOSTS).map(drop)
}
