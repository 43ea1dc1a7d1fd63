//! Numbers that name the parts of a simulated network, each kind a type of its own, and tables that only
//! the numbers of their kind open.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use weft_fabric::{ChannelId, HostId, LinkId, SwitchId};

/// A dense number of one kind of thing.
pub(crate) trait Id: Copy + Eq + Ord + fmt::Debug {
    /// The thing with this number.
    fn from_number(number: u32) -> Self;

    /// Its number.
    fn to_number(self) -> u32;

    /// Its offset in a table.
    #[inline]
    fn offset(self) -> usize {
        self.to_number() as usize
    }

    /// The thing at an offset of a table.
    #[inline]
    fn from_offset(offset: usize) -> Self {
        assert!(offset < NOTHING as usize, "an id fits 32 bits");
        #[expect(clippy::cast_possible_truncation, reason = "checked in the line above")]
        Self::from_number(offset as u32)
    }
}

/// The number that no thing has.
const NOTHING: u32 = u32::MAX;

/// Makes kinds of ids.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
            pub(crate) struct $name(u32);

            impl Id for $name {
                #[inline]
                fn from_number(number: u32) -> Self {
                    Self(number)
                }

                #[inline]
                fn to_number(self) -> u32 {
                    self.0
                }
            }
        )*
    };
}

ids! {
    /// A packet under way.
    PacketId;
    /// A lane of a channel at its source.
    OutletId;
    /// A lane of a channel at its end.
    InletId;
    /// A queue pair of a host.
    PairId;
    /// Something in a queue that shares its memory with others.
    EntryId;
    /// A run of a channel before its last one.
    RunId;
    /// Room on its way back to the source of a lane.
    CreditId;
}

/// Lets ids of the fabric open tables.
macro_rules! fabric_ids {
    ($($name:ident),*) => {
        $(
            impl Id for $name {
                #[inline]
                fn from_number(number: u32) -> Self {
                    Self::new(number)
                }

                #[inline]
                fn to_number(self) -> u32 {
                    self.number()
                }
            }
        )*
    };
}

fabric_ids!(ChannelId, HostId, LinkId, SwitchId);

/// An id or none, in the four bytes of the id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Maybe<I> {
    number: u32,
    kind: PhantomData<I>,
}

impl<I: Id> Maybe<I> {
    /// No id.
    pub(crate) const NONE: Self = Self {
        number: NOTHING,
        kind: PhantomData,
    };

    /// The id, if there is one.
    #[inline]
    pub(crate) fn get(self) -> Option<I> {
        (self.number != NOTHING).then(|| I::from_number(self.number))
    }

    #[inline]
    pub(crate) fn is_some(self) -> bool {
        self.number != NOTHING
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.number == NOTHING
    }

    /// Whether it is this id.
    #[inline]
    pub(crate) fn is(self, id: I) -> bool {
        self.number == id.to_number()
    }

    /// The id, which the caller knows to be there.
    ///
    /// # Panics
    /// When there is none; `why` says what made the caller believe so.
    #[inline]
    pub(crate) fn known(self, why: &str) -> I {
        if self.is_none() {
            absent(why);
        }
        I::from_number(self.number)
    }
}

/// Ends the run because an id is not there.
#[cold]
#[inline(never)]
fn absent(why: &str) -> ! {
    unreachable!("{why}");
}

impl<I: Id> From<I> for Maybe<I> {
    #[inline]
    fn from(id: I) -> Self {
        Self {
            number: id.to_number(),
            kind: PhantomData,
        }
    }
}

impl<I: Id> From<Option<I>> for Maybe<I> {
    #[inline]
    fn from(id: Option<I>) -> Self {
        id.map_or(Self::NONE, Self::from)
    }
}

impl<I: Id> fmt::Debug for Maybe<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// One item for each thing of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Table<I, T> {
    items: Vec<T>,
    kind: PhantomData<I>,
}

impl<I: Id, T> Table<I, T> {
    /// The same item for each of `count` things.
    pub(crate) fn of(item: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![item; count].into()
    }

    /// Adds the item of the next thing.
    #[inline]
    pub(crate) fn push(&mut self, item: T) -> I {
        let id = I::from_offset(self.items.len());
        self.items.push(item);
        id
    }

    /// Things with an item.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All things with an item.
    pub(crate) fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_offset)
    }

    /// The items of two different things.
    ///
    /// # Panics
    /// When it is the same thing twice, or one has no item.
    #[inline]
    pub(crate) fn pair(&mut self, first: I, second: I) -> (&mut T, &mut T) {
        match self
            .items
            .get_disjoint_mut([first.offset(), second.offset()])
        {
            Ok([first, second]) => (first, second),
            Err(_) => absent("two different things have an item each"),
        }
    }
}

impl<I, T> From<Vec<T>> for Table<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            kind: PhantomData,
        }
    }
}

impl<I, T> FromIterator<T> for Table<I, T> {
    fn from_iter<Items: IntoIterator<Item = T>>(items: Items) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.offset()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.offset()]
    }
}

/// One item for each thing of a kind, looked up without asking whether it is there.
///
/// The tables that every event opens several times are such: to ask took a ninth of all instructions.
#[derive(Clone, Debug)]
pub(crate) struct Records<I, T>(Table<I, T>);

impl<I: Id, T> Records<I, T> {
    /// These items.
    ///
    /// # Safety
    /// Whoever looks one up must name a thing that has an item here. What comes from outside of the engine is
    /// to be asked about first, by [`Self::expect`].
    #[expect(
        unsafe_code,
        reason = "whoever makes records answers for all that look one up"
    )]
    pub(crate) unsafe fn of(items: Table<I, T>) -> Self {
        Self(items)
    }

    /// Makes sure that a thing has an item.
    ///
    /// # Panics
    /// When it has none.
    pub(crate) fn expect(&self, id: I) {
        assert!(id.offset() < self.len(), "{id:?} is none of these");
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) -> I {
        self.0.push(item)
    }

    /// Things with an item.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All things with an item.
    pub(crate) fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        self.0.ids()
    }

    /// The items of two different things.
    ///
    /// # Panics
    /// When it is the same thing twice, or one has no item.
    #[inline]
    pub(crate) fn pair(&mut self, first: I, second: I) -> (&mut T, &mut T) {
        self.0.pair(first, second)
    }
}

#[expect(unsafe_code, reason = "a twentieth of the time of either engine")]
impl<I: Id, T> Index<I> for Records<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        debug_assert!(id.offset() < self.len(), "{id:?} has an item");
        // SAFETY: whoever made the records has seen to it that all that are named have items.
        unsafe { self.0.items.get_unchecked(id.offset()) }
    }
}

#[expect(unsafe_code, reason = "a twentieth of the time of either engine")]
impl<I: Id, T> IndexMut<I> for Records<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        debug_assert!(id.offset() < self.len(), "{id:?} has an item");
        // SAFETY: whoever made the records has seen to it that all that are named have items.
        unsafe { self.0.items.get_unchecked_mut(id.offset()) }
    }
}
