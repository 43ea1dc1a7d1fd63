//! LIDs as a file gives them, which may be such as no port can have.

use crate::LidRange;

/// The first LID of a port and its LMC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lids {
    base: u32,
    mask_bits: u8,
}

impl Lids {
    /// What the file says; LID 0 stands for none.
    pub(crate) fn new(base: u32, mask_bits: u8) -> Option<Self> {
        (base != 0).then_some(Self { base, mask_bits })
    }

    /// The first LID.
    pub(crate) fn base(self) -> u32 {
        self.base
    }

    /// The LIDs, if a port can have them.
    pub(crate) fn range(self) -> Option<LidRange> {
        LidRange::new(self.base.try_into().ok()?, self.mask_bits)
    }
}

impl std::fmt::Display for Lids {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "lid {}", self.base)?;
        match self.mask_bits {
            0 => Ok(()),
            bits => write!(f, " lmc {bits}"),
        }
    }
}
