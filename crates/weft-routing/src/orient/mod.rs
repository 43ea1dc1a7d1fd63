//! Which way is up: orientations and their roots.

mod depth_first_order;
mod orientation;
mod root_rule;
mod roots;
mod several_roots;

pub use orientation::{Orientation, routed_part};
pub use root_rule::{ParseRootRuleError, RootRule};
pub(crate) use roots::{RootProblem, choose_root, nearest_to_all, opensm_roots, tops};
pub use several_roots::{ParseTreeRootsError, TreeRoots};
pub(crate) use several_roots::{RootDistances, as_text, farthest_from, for_each_set, sets};
