//! Shapes of fabrics found in their links: grids and fat trees.

mod fat_tree;
mod grid_detours;
mod grid_positions;
mod grid_recognition;

pub(crate) use fat_tree::{FatTree, Flows, levels_told, no_tree, widest_leaf};
pub(crate) use grid_detours::GridWays;
pub(crate) use grid_positions::{Grid, Way};
pub(crate) use grid_recognition::extents_and_places;
