//! What a question is asked of: a routing, a pattern, hardware, and what failed.

/// Parts that failed together: each once, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) cables: Vec<u32>,
    pub(crate) switches: Vec<u32>,
}

impl Failed {
    pub(crate) fn new(mut cables: Vec<u32>, mut switches: Vec<u32>) -> Self {
        for numbers in [&mut cables, &mut switches] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Self { cables, switches }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.cables.is_empty() && self.switches.is_empty()
    }

    /// These and one part more.
    pub(crate) fn and(&self, part: Part) -> Self {
        let mut more = self.clone();
        match part {
            Part::Cable(cable) => more.cables.push(cable),
            Part::Switch(switch) => more.switches.push(switch),
        }
        Self::new(more.cables, more.switches)
    }
}

/// A part that may fail, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Cable(u32),
    Switch(u32),
}

/// What a question is asked of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// As on the command line.
    pub(crate) routing: String,
    /// As on the command line.
    pub(crate) pattern: String,
    /// A preset.
    pub(crate) hardware: Option<String>,
    pub(crate) failed: Failed,
}
