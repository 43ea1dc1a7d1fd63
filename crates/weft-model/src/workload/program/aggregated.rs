//! Reductions in the network: a tree of aggregation nodes in switches combines what ranks send, and sends the
//! result down to all.
//!
//! Source: Graham et al., Scalable Hierarchical Aggregation Protocol (SHArP): a hardware architecture for
//! efficient data reduction, COMHPC 2016. Aggregation nodes are ranks, each on the end of its switch; what they
//! combine takes them no time, and the result goes down message by message.

use super::collective::piece_bytes;
use super::{Dependency, ProgramError, Task, TaskGraph, Work};

/// Tags of what goes up and what goes down.
const UP: u32 = 0;
const DOWN: u32 = 1;

/// An all-reduce of `bytes` along a tree, given by the parent of each rank, in pieces of up to `chunk_bytes` (any
/// length if 0), `in_flight` of them under way at each rank. Ranks without children have data.
///
/// # Errors
/// [`ProgramError::UnknownRank`] and [`ProgramError::LongMessage`].
pub fn aggregated(
    parents: &[Option<u32>],
    bytes: u64,
    chunk_bytes: u64,
    in_flight: u32,
) -> Result<TaskGraph, ProgramError> {
    let mut graph = TaskGraph::new(parents.len());
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
    for (rank, parent) in (0..).zip(parents) {
        if let Some(parent) = *parent {
            let of_parent = children.get_mut(parent as usize);
            of_parent
                .ok_or(ProgramError::UnknownRank {
                    found: parent,
                    rank_count: parents.len(),
                })?
                .push(rank);
        }
    }
    let pieces = match chunk_bytes {
        0 => 1,
        most => bytes.div_ceil(most).max(1),
    };
    for (rank, (parent, children)) in (0..).zip(parents.iter().zip(&children)) {
        // Of each piece under way: what is over when it is done with.
        let mut done: Vec<Vec<Dependency>> = Vec::new();
        for piece in 0..pieces {
            let length = piece_bytes(bytes, piece, pieces);
            let room = done.len().checked_sub(in_flight as usize);
            let room: Vec<Dependency> = room.map_or_else(Vec::new, |earlier| done[earlier].clone());
            let mut add = |work: Work, waits: &[Dependency]| -> Result<Dependency, ProgramError> {
                Ok(Dependency::end(graph.add(
                    rank,
                    Task::new(work, 0),
                    waits,
                )?))
            };
            let receive = |from: u32, tag: u32| Work::Receive {
                from: Some(from),
                tag: Some(tag),
            };
            let send = |to: u32, tag: u32| Work::Send {
                to,
                tag,
                bytes: length,
            };
            let mut there = Vec::new();
            for &child in children {
                there.push(add(receive(child, UP), &room)?);
            }
            let mut over = there.clone();
            if let Some(parent) = *parent {
                let waits = [&room[..], &there].concat();
                over.push(add(send(parent, UP), &waits)?);
                there = vec![add(receive(parent, DOWN), &room)?];
                over.extend(&there);
            }
            for &child in children {
                over.push(add(send(child, DOWN), &there)?);
            }
            done.push(over);
        }
    }
    Ok(graph)
}
