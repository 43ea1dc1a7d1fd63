//! A permutation from a file.

use super::pair_file::PairFile;
use super::{Pattern, Request};
use crate::workload::Destinations;
use crate::workload::error::TrafficError;
use weft_fabric::HostId;
use weft_registry::{Kind, Spec};

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "permutation",
    title: "Permutation from a file",
    summary: "Each host sends to the one that a file gives it: a line per host, source and \
              destination by name or number with a comma between; empty lines and lines that \
              begin with # are passed over. Every host is a source once and a destination once; \
              one that is its own destination sends nothing.",
    defined_on: "the fabric whose hosts the file names",
    source: "the user's own",
    parameters: &[
        Spec::required("file", Kind::File, "pairs.csv").says("The file, such as pairs.csv.")
    ],
    destinations: read,
};

fn read(request: &Request<'_>) -> Result<Destinations, TrafficError> {
    let file = PairFile::of(request)?;
    let name = |host: usize| request.fabric.host(HostId::from_index(host)).name.as_str();
    let hosts = request.fabric.host_count();
    // Per host: the line it is a source on with its destination, and the line it is a destination
    // on.
    let mut sent: Vec<Option<(usize, u32)>> = vec![None; hosts];
    let mut received: Vec<Option<usize>> = vec![None; hosts];
    for (line, content) in file.lines() {
        let Some((source, destination)) = content.split_once(',') else {
            let problem = format!("found “{content}”, expected source,destination");
            return Err(file.refused(line, problem));
        };
        let source = file.find(line, source.trim())?;
        let destination = file.find(line, destination.trim())?;
        if let Some((first, _)) = sent[source as usize].replace((line, destination)) {
            let problem = format!(
                "host “{}” sends already on line {first}; expected each host as source once",
                name(source as usize)
            );
            return Err(file.refused(line, problem));
        }
        if let Some(first) = received[destination as usize].replace(line) {
            let problem = format!(
                "host “{}” receives already on line {first}; expected each host as destination once",
                name(destination as usize)
            );
            return Err(file.refused(line, problem));
        }
    }
    let mut destinations = Vec::with_capacity(hosts);
    for (host, line) in sent.iter().enumerate() {
        let Some((_, destination)) = line else {
            let missing = sent.iter().filter(|line| line.is_none()).count();
            let problem = format!(
                "the file ends and {missing} of {hosts} hosts are no source, the first is “{0}”; \
                 expected a line for each, such as {0},{0} for one that sends nothing",
                name(host)
            );
            return Err(file.refused(file.last_line(), problem));
        };
        destinations.push(*destination);
    }
    Destinations::fixed(destinations)
        .ok_or_else(|| request.nobody_sends("every host is mapped to itself"))
}
