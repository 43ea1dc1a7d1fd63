//! Collective operations whose line holds a count for each rank: what its numbers mean depends on how
//! many ranks there are, which is known at the end of the trace.
//!
//! | action | numbers |
//! |---|---|
//! | alltoallv | elements of the send buffer, counts for each rank, both of what is received; datatypes |
//! | allgatherv | own count, counts of each rank; datatypes |
//! | gatherv | own count, counts of each rank; root, datatypes |
//! | scatterv | counts for each rank, own count; root, datatypes |
//! | reducescatter | counts for each rank, flops; datatype |
//!
//! What stands after the semicolon may be missing. Of a gatherv or scatterv, ranks other than the
//! root list zeros for the counts that only the root knows.

use super::super::collective::Collective;
use super::arguments::Arguments;

/// The actions of such lines.
pub(super) const LISTED: [&str; 5] = [
    "alltoallv",
    "allgatherv",
    "gatherv",
    "scatterv",
    "reducescatter",
];

/// A line kept until the number of ranks is known.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) line: u32,
    /// Where its operation belongs among those of its rank.
    pub(super) place: usize,
    /// Action and arguments.
    pub(super) text: Box<str>,
}

/// The operation of a line of `rank`.
pub(super) fn operation(
    arguments: &Arguments,
    rank: usize,
    ranks: usize,
    ns_of_flop: f64,
) -> Result<Collective, String> {
    let (fixed, most_more, what) = match arguments.operation {
        "alltoallv" => (2 * ranks + 2, 2, "datatypes"),
        "allgatherv" => (ranks + 1, 2, "datatypes"),
        "reducescatter" => (ranks + 1, 1, "the datatype"),
        _ => (ranks + 1, 3, "root and datatypes"),
    };
    let found = arguments.words.len();
    if !(fixed..=fixed + most_more).contains(&found) {
        return Err(format!(
            "found {found} numbers after {}; expected {fixed} for {ranks} ranks, and up to \
             {most_more} more: {what}",
            arguments.action
        ));
    }
    // What a rank does not need is looked at, too: it may have been cut.
    let counts = if arguments.operation == "reducescatter" {
        ranks
    } else {
        fixed
    };
    for place in 0..counts {
        arguments.bytes(place, found)?;
    }
    let lengths = |first: usize, datatype: usize| {
        let places = first..first + ranks;
        let each = places.map(|place| arguments.bytes(place, datatype));
        each.collect::<Result<Vec<u64>, String>>()
    };
    // Of what is received; none where the trace does not tell the size of the datatype.
    let received = |first: usize, datatype: usize| {
        let places = first..first + ranks;
        let each = places.map(|place| arguments.room(place, datatype));
        let each = each.collect::<Result<Option<Vec<u64>>, String>>()?;
        Ok::<_, String>(each.unwrap_or_default())
    };
    // One datatype is that of both.
    let (of_receive, of_rooted_receive) = (fixed.max(found - 1), (fixed + 1).max(found - 1));
    Ok(match arguments.operation {
        "alltoallv" => Collective::AllToAllV {
            to: lengths(1, fixed)?,
            from: (ranks + 2..2 * ranks + 2)
                .map(|place| arguments.expected(place, of_receive))
                .collect::<Result<_, String>>()?,
        },
        "allgatherv" => Collective::AllGatherV {
            parts: lengths(1, of_receive)?,
            // Data that stay in place are written as 0 by some versions.
            own: arguments.room(0, fixed)?.filter(|&bytes| bytes > 0),
        },
        "reducescatter" => Collective::ReduceScatter {
            parts: lengths(0, fixed)?,
            ns: arguments.time(ranks, "flops", ns_of_flop)?,
        },
        "gatherv" => {
            let (root, parts) = (arguments.root(fixed)?, received(1, of_rooted_receive)?);
            let is_root = root as usize == rank;
            Collective::GatherV {
                root,
                bytes: arguments.bytes(0, fixed + 1)?,
                parts: if is_root { parts } else { Vec::new() },
            }
        }
        _ => {
            let (root, parts) = (arguments.root(fixed)?, lengths(0, fixed + 1)?);
            let is_root = root as usize == rank;
            Collective::ScatterV {
                root,
                parts: if is_root { parts } else { Vec::new() },
                bytes: arguments.room(ranks, of_rooted_receive)?,
            }
        }
    })
}
