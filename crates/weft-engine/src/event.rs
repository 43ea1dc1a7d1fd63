//! Events as 32-bit numbers: three bits of kind, 29 of what it happens to.

/// Bits of what an event happens to.
pub(crate) const PART_BITS: u32 = 29;

/// Things of a kind that events can tell apart.
pub(crate) const MAX_PARTS: usize = 1 << PART_BITS;

/// Makes the kinds of events of an engine, eight at most, each with the kind of thing it happens to. The
/// numbers of events are ordered by kind as these are written.
macro_rules! events {
    (
        $(#[$doc:meta])*
        enum $name:ident {
            $($(#[$kind_doc:meta])* $kind:ident($part:ty),)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name {
            $($(#[$kind_doc])* $kind($part),)+
        }

        const _: () = {
            use $crate::event::PART_BITS;
            use $crate::ids::Id;

            /// The kinds by number.
            enum Kind {
                $($kind,)+
            }

            impl $name {
                /// The event as a number.
                #[inline]
                pub(super) fn pack(self) -> u32 {
                    match self {
                        $(Self::$kind(part) => {
                            (Kind::$kind as u32) << PART_BITS | part.to_number()
                        })+
                    }
                }

                /// The event of a number.
                #[inline]
                pub(super) fn unpack(number: u32) -> Self {
                    let (kind, part) = (number >> PART_BITS, number & ((1 << PART_BITS) - 1));
                    match kind {
                        $(kind if kind == Kind::$kind as u32 => {
                            Self::$kind(<$part>::from_number(part))
                        })+
                        _ => unreachable!("every event is of one of the kinds"),
                    }
                }
            }
        };
    };
}

pub(crate) use events;
