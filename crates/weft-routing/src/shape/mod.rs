//! Shapes of fabrics found in their links: grids, HyperX networks, fat trees and joined groups.

mod fat_tree;
mod grid_detours;
mod grid_positions;
mod grid_recognition;
mod joined_groups;
mod joined_lines;

pub(crate) use fat_tree::{FatTree, Flows, levels_told, no_tree, widest_leaf};
pub(crate) use grid_detours::GridWays;
pub(crate) use grid_positions::{Grid, Way};
pub(crate) use grid_recognition::extents_and_places;
pub(crate) use joined_groups::joined_groups;
pub(crate) use joined_lines::JoinedLines;
