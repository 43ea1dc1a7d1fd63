//! What a rank counts of some others, in little room: mostly it has had as much to do with each of them.

use weft_fabric::narrow;

/// So many ranks that follow one another are kept together: what is done with each of all is mostly done in their order.
pub(super) const TOGETHER: usize = 8;

/// How many messages went to each of some ranks, or came from them. Counts begin again after 2^32, so that they tell the
/// order of those under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    base: u32,
    above: [u8; TOGETHER],
}

impl Counts {
    fn get(&self, place: usize) -> u32 {
        self.base.wrapping_add(self.above[place].into())
    }

    /// One more is counted; not where counts are too far apart then.
    fn go_on(&mut self, place: usize) -> bool {
        if let Some(more) = self.above[place].checked_add(1) {
            self.above[place] = more;
            return true;
        }
        let others = self.above.iter().enumerate();
        let least = others.filter(|&(other, _)| other != place);
        let Some(least @ 1..) = least.map(|(_, &above)| above).min() else {
            return false;
        };
        self.base = self.base.wrapping_add(least.into());
        for above in &mut self.above {
            *above -= least;
        }
        self.above[place] += 1;
        true
    }
}

/// The last receive posted for each of some ranks, if there is one, in the lowest bits of its number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Posted {
    base: u32,
    above: [u16; TOGETHER],
    /// A bit for each rank whether a receive was posted for it.
    are: u8,
}

/// What is posted first is so far above the base: others may have lower numbers.
const MIDDLE: u16 = 1 << 15;

impl Posted {
    fn get(&self, place: usize) -> Option<u32> {
        let is_posted = self.are >> place & 1 != 0;
        is_posted.then(|| self.base.wrapping_add(self.above[place].into()))
    }

    /// Keeps another one; not where they are too far apart then.
    fn set(&mut self, place: usize, last: Option<u32>) -> bool {
        let Some(last) = last else {
            self.are &= !(1 << place);
            return true;
        };
        if self.are & !(1 << place) == 0 {
            self.base = last.wrapping_sub(MIDDLE.into());
        }
        let above = last.wrapping_sub(self.base);
        if above > u16::MAX.into() {
            return false;
        }
        self.above[place] = narrow(above, "it is no more than fits");
        self.are |= 1 << place;
        true
    }
}

/// What a rank counts of some others.
#[derive(Clone, Debug)]
pub(super) enum Page {
    Close {
        sent: Counts,
        seen: Counts,
        posted: Posted,
    },
    /// Counts or receives are far apart.
    Apart(Box<Apart>),
}

const _: () = assert!(size_of::<Page>() <= 56);

/// The same, each by itself.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    sent: [u32; TOGETHER],
    seen: [u32; TOGETHER],
    posted: [Option<u32>; TOGETHER],
}

impl Default for Page {
    fn default() -> Self {
        Self::Close {
            sent: Counts::default(),
            seen: Counts::default(),
            posted: Posted::default(),
        }
    }
}

impl Page {
    /// Counts a message to a rank; how many there were before.
    #[inline]
    pub(super) fn send(&mut self, place: usize) -> u32 {
        loop {
            match self {
                Self::Close { sent, .. } => {
                    let before = sent.get(place);
                    if sent.go_on(place) {
                        return before;
                    }
                    self.part();
                }
                Self::Apart(apart) => {
                    let sent = &mut apart.sent[place];
                    let before = *sent;
                    *sent = before.wrapping_add(1);
                    return before;
                }
            }
        }
    }

    /// How many messages of a rank were seen.
    #[inline]
    pub(super) fn seen(&self, place: usize) -> u32 {
        match self {
            Self::Close { seen, .. } => seen.get(place),
            Self::Apart(apart) => apart.seen[place],
        }
    }

    /// One more is seen.
    #[inline]
    pub(super) fn see(&mut self, place: usize) {
        loop {
            match self {
                Self::Close { seen, .. } => {
                    if seen.go_on(place) {
                        return;
                    }
                    self.part();
                }
                Self::Apart(apart) => {
                    let seen = &mut apart.seen[place];
                    *seen = seen.wrapping_add(1);
                    return;
                }
            }
        }
    }

    /// The last of the receives posted for a rank, if there is one.
    #[inline]
    pub(super) fn last_posted(&self, place: usize) -> Option<u32> {
        match self {
            Self::Close { posted, .. } => posted.get(place),
            Self::Apart(apart) => apart.posted[place],
        }
    }

    #[inline]
    pub(super) fn set_last_posted(&mut self, place: usize, last: Option<u32>) {
        loop {
            match self {
                Self::Close { posted, .. } => {
                    if posted.set(place, last) {
                        return;
                    }
                    self.part();
                }
                Self::Apart(apart) => {
                    apart.posted[place] = last;
                    return;
                }
            }
        }
    }

    /// Keeps each by itself.
    #[cold]
    fn part(&mut self) {
        if let Self::Close { sent, seen, posted } = self {
            let apart = Apart {
                sent: std::array::from_fn(|place| sent.get(place)),
                seen: std::array::from_fn(|place| seen.get(place)),
                posted: std::array::from_fn(|place| posted.get(place)),
            };
            *self = Self::Apart(Box::new(apart));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_go_on_together_stay_close() {
        let mut page = Page::default();
        for round in 0..1000 {
            for place in 0..TOGETHER {
                assert_eq!(page.send(place), round);
                page.see(place);
                page.set_last_posted(place, Some((u32::MAX - 500).wrapping_add(round)));
            }
            assert!((0..TOGETHER).all(|place| page.seen(place) == round + 1));
            for place in 0..TOGETHER {
                let last = Some((u32::MAX - 500).wrapping_add(round));
                assert_eq!(page.last_posted(place), last);
                page.set_last_posted(place, None);
            }
        }
        assert!(matches!(page, Page::Close { .. }));
    }

    #[test]
    fn counts_are_kept_however_far_they_are_apart() {
        let mut draw = 1_u64;
        let mut random = move |below: u32| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            u32::try_from(draw >> 32).unwrap() % below
        };
        let mut parted = 0;
        for _ in 0..200 {
            let mut page = Page::default();
            let (mut sent, mut seen) = ([0_u32; TOGETHER], [0_u32; TOGETHER]);
            let mut posted = [None; TOGETHER];
            let (favoured, reach) = (random(8), 1_u32 << random(32));
            for _ in 0..2000 {
                let place = [random(8), favoured][random(2) as usize] as usize;
                match random(3) {
                    0 => {
                        assert_eq!(page.send(place), sent[place]);
                        sent[place] += 1;
                    }
                    1 => {
                        page.see(place);
                        seen[place] += 1;
                    }
                    _ => {
                        let last = (random(4) > 0).then(|| random(reach));
                        page.set_last_posted(place, last);
                        posted[place] = last;
                    }
                }
                for place in 0..TOGETHER {
                    assert_eq!(page.seen(place), seen[place]);
                    assert_eq!(page.last_posted(place), posted[place]);
                }
            }
            parted += usize::from(matches!(page, Page::Apart(_)));
        }
        assert!((100..=200).contains(&parted), "{parted}");
    }
}
