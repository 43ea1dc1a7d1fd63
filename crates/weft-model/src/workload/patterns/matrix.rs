//! A traffic matrix from a file.

use super::pair_file::PairFile;
use super::{Pattern, Request};
use crate::workload::Destinations;
use crate::workload::error::TrafficError;
use crate::workload::rules::Shares;
use std::collections::BTreeMap;
use weft_registry::{Kind, Spec};

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "matrix",
    title: "Traffic matrix from a file",
    summary: "Each host sends to others what a file gives: a line per pair, source and \
              destination by name or number and an amount, with commas between; empty lines, lines that begin \
              with # and a first one that names the three columns (source,destination,amount or from,to,bytes) are \
              passed over. A pair that is not there, or has the amount 0, exchanges nothing; what a host has for itself is left out. Hosts offer in proportion to all they have for others: the \
              load is offered by the one whose link that fills most.",
    defined_on: "the fabric whose hosts the file names",
    source: "the user's own",
    parameters: &[
        Spec::required("file", Kind::File, "matrix.csv").says("The file, such as matrix.csv.")
    ],
    destinations: read,
};

const EXPECTED: &str = "expected source,destination,amount";

/// Names of the columns, which tables often begin with: those of amounts, and of lengths of an exchange.
const COLUMNS: [[&str; 3]; 2] = [["source", "destination", "amount"], ["from", "to", "bytes"]];

fn read(request: &Request<'_>) -> Result<Destinations, TrafficError> {
    let rows = amounts(request)?;
    Destinations::shared(Shares::of(rows.into_iter()))
        .ok_or_else(|| request.nobody_sends("no host has an amount for another"))
}

/// What each host has for others: more than 0, by ascending destination.
pub(super) fn amounts(request: &Request<'_>) -> Result<Vec<Vec<(u32, f64)>>, TrafficError> {
    let file = PairFile::of(request)?;
    // Per host: by destination the line and the amount.
    let mut rows: Vec<BTreeMap<u32, (usize, f64)>> =
        vec![BTreeMap::new(); request.fabric.host_count()];
    for (number, (line, content)) in file.lines().enumerate() {
        let parts: Vec<&str> = content.split(',').map(str::trim).collect();
        if number == 0 && COLUMNS.iter().any(|names| parts == names) {
            continue;
        }
        let [source, destination, amount] = parts[..] else {
            return Err(file.refused(line, format!("found “{content}”, {EXPECTED}")));
        };
        let (from, to) = (file.find(line, source)?, file.find(line, destination)?);
        let number = amount.parse().ok();
        let Some(number) = number.filter(|number: &f64| (0.0..=1e18).contains(number)) else {
            let problem = format!("found amount “{amount}”, expected a number from 0 to 1e18");
            return Err(file.refused(line, problem));
        };
        if let Some((first, _)) = rows[from as usize].insert(to, (line, number)) {
            let problem = format!(
                "“{source}” has an amount for “{destination}” on line {first}; expected each pair once"
            );
            return Err(file.refused(line, problem));
        }
    }
    let shares = (0..).zip(rows).map(|(host, row)| {
        let others = row.into_iter().map(|(to, (_, amount))| (to, amount));
        others
            .filter(|&(to, amount)| to != host && amount > 0.0)
            .collect()
    });
    Ok(shares.collect())
}
