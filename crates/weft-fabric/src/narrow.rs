//! Numbers in narrower types, where they always fit.

use std::any::type_name;
use std::fmt::Display;

/// The same number in another type, which holds it always: `why` says for what reason.
///
/// # Panics
/// When it does not fit, as then the reason does not hold.
#[inline]
#[track_caller]
pub fn narrow<Wide, Narrow>(number: Wide, why: &str) -> Narrow
where
    Wide: Copy + Display,
    Narrow: TryFrom<Wide>,
{
    let Ok(narrow) = Narrow::try_from(number) else {
        unreachable!("{number} does not fit {}: {why}", type_name::<Narrow>());
    };
    narrow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_fits_stays_what_it_is() {
        assert_eq!(narrow::<_, u8>(255_usize, "bytes"), 255);
    }

    #[test]
    #[should_panic(expected = "256 does not fit u8: bytes")]
    fn a_number_that_does_not_ends_the_run_with_the_reason() {
        narrow::<_, u8>(256_usize, "bytes");
    }
}
