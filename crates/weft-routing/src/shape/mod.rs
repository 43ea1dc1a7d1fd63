//! Shapes of fabrics found in their links: grids and fat trees.

pub(crate) mod fat_tree;
pub(crate) mod grid_detours;
pub(crate) mod grid_positions;
pub(crate) mod grid_recognition;
