//! The routes of one source in as few bits as they need.

use crate::form::{Lane, RouteRow};
use weft_fabric::PortNumber;

/// Most destinations that share one number of steps before them, as a power of two.
const MOST_TOGETHER: u8 = 4;

/// The routes of one source to all destinations, one after the other.
///
/// # Memory
/// Two and a half bytes per destination, and 1, 2, 4 or 8 bits per step: few switches have links at more
/// than 16 ports, and a route that meets the ports of many has them at few numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackedRow {
    /// So many destinations, as a power of two, share an entry of `firsts`.
    together: u8,
    /// Per group of destinations: steps of all routes before.
    firsts: Box<[u64]>,
    /// Per destination, and once more at the end: the steps since its group began.
    since: Box<[u16]>,
    /// Bits of a step.
    bits: u8,
    /// Per code of fewer than 8 bits: its port.
    ports: [PortNumber; 16],
    codes: Box<[u8]>,
    lanes: RowLanes,
}

/// Lanes as compactly as the routes allow.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RowLanes {
    /// Lane 0 everywhere.
    One,
    /// Per route, for all its steps.
    PerRoute(Box<[Lane]>),
    /// Per step.
    PerStep(Box<[Lane]>),
}

/// The steps of a route that are left, by their numbers in the row.
pub(super) type Span = std::ops::Range<usize>;

impl From<&RouteRow> for PackedRow {
    fn from(row: &RouteRow) -> Self {
        let total: usize = row.lengths.iter().map(|&length| usize::from(length)).sum();
        assert_eq!(total, row.steps.len(), "lengths and steps agree");
        let (together, firsts, since) = starts(&row.lengths);
        let mut is_met = [false; 256];
        for step in &row.steps {
            is_met[step.index()] = true;
        }
        let met = || (0..=u8::MAX).filter(|&port| is_met[usize::from(port)]);
        let bits: u8 = match met().count() {
            0..=2 => 1,
            3..=4 => 2,
            5..=16 => 4,
            _ => 8,
        };
        let mut ports = [PortNumber::new(0); 16];
        let mut code_of = [0; 256];
        for (code, port) in (0..=u8::MAX).zip(met()) {
            code_of[usize::from(port)] = if bits == 8 { port } else { code };
            if bits < 8 {
                ports[usize::from(code)] = PortNumber::new(port);
            }
        }
        let codes = match bits {
            1 => packed::<8, 1>(&row.steps, &code_of),
            2 => packed::<4, 2>(&row.steps, &code_of),
            4 => packed::<2, 4>(&row.steps, &code_of),
            _ => packed::<1, 8>(&row.steps, &code_of),
        };
        Self {
            together,
            firsts,
            since,
            bits,
            ports,
            codes,
            lanes: RowLanes::of(row),
        }
    }
}

/// The codes of steps, of so many bits each, `N` to a byte, the first of them lowest.
fn packed<const N: usize, const BITS: u32>(steps: &[PortNumber], code_of: &[u8; 256]) -> Box<[u8]> {
    let byte = |steps: &[PortNumber]| {
        let codes = steps.iter().rev().map(|step| code_of[step.index()]);
        codes.fold(0, |byte, code| u8::unbounded_shl(byte, BITS) | code)
    };
    let (whole, rest) = steps.as_chunks::<N>();
    let last = (!rest.is_empty()).then(|| byte(rest));
    whole.iter().map(|steps| byte(steps)).chain(last).collect()
}

/// Where the routes begin: destinations that share a number, the numbers, and what each adds.
fn starts(lengths: &[u16]) -> (u8, Box<[u64]>, Box<[u16]>) {
    let whole = |together: u8| {
        let (mut firsts, mut since) = (Vec::new(), Vec::with_capacity(lengths.len() + 1));
        let mut end = 0_u64;
        let lengths = lengths.iter().map(|&length| u64::from(length));
        for (to, length) in lengths.chain([0]).enumerate() {
            if to.is_multiple_of(1 << together) {
                firsts.push(end);
            }
            let first = firsts.last().copied().unwrap_or(0);
            since.push(u16::try_from(end - first).ok()?);
            end += length;
        }
        Some((together, firsts.into(), since.into()))
    };
    let found = (0..=MOST_TOGETHER).rev().find_map(whole);
    let Some(found) = found else {
        unreachable!("a destination alone begins where its group does");
    };
    found
}

impl PackedRow {
    /// The steps to a destination.
    #[inline]
    pub(super) fn span(&self, to: usize) -> Span {
        self.start(to)..self.start(to + 1)
    }

    #[inline]
    fn start(&self, to: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "the steps are in memory")]
        let first = self.firsts[to >> self.together] as usize;
        first + usize::from(self.since[to])
    }

    /// What [`Self::span`] reads of a destination.
    #[inline]
    pub(super) fn start_entries(&self, to: usize) -> (&u64, &u16) {
        (&self.firsts[to >> self.together], &self.since[to])
    }

    /// The codes of the steps to a destination and all after them.
    #[inline]
    pub(super) fn codes_of(&self, to: usize) -> &[u8] {
        &self.codes[self.start(to) * usize::from(self.bits) / 8..]
    }

    /// The port of a step.
    #[inline]
    pub(super) fn port(&self, step: usize) -> PortNumber {
        let bit = step * usize::from(self.bits);
        let code = self.codes[bit / 8] >> (bit % 8);
        if self.bits == 8 {
            return PortNumber::new(code);
        }
        self.ports[usize::from(code & ((1 << self.bits) - 1))]
    }

    /// Hands on the ports of the steps to a destination, as long as `take` says so.
    #[inline]
    pub(super) fn try_each_port(
        &self,
        to: usize,
        mut take: impl FnMut(PortNumber) -> bool,
    ) -> bool {
        let Span { start, end } = self.span(to);
        let bits = usize::from(self.bits);
        let mask = u64::MAX >> (u64::BITS as usize - bits);
        let mut step = start;
        while step < end {
            let bit = step * bits;
            let mut codes = self.eight_from(bit / 8) >> (bit % 8);
            let next = end.min(step + (u64::BITS as usize - bit % 8) / bits);
            for _ in step..next {
                #[expect(clippy::cast_possible_truncation, reason = "a code has 8 bits at most")]
                let code = (codes & mask) as u8;
                codes >>= bits;
                let port = match self.bits {
                    8 => PortNumber::new(code),
                    _ => self.ports[usize::from(code % 16)],
                };
                if !take(port) {
                    return false;
                }
            }
            step = next;
        }
        true
    }

    /// Eight bytes of codes, the first one lowest; 0 beyond the end.
    #[inline]
    fn eight_from(&self, byte: usize) -> u64 {
        let rest = &self.codes[byte..];
        match rest.first_chunk() {
            Some(&eight) => u64::from_le_bytes(eight),
            None => rest
                .iter()
                .rev()
                .fold(0, |all, &byte| all << 8 | u64::from(byte)),
        }
    }

    /// Bytes that the row takes, about.
    pub(super) fn bytes(&self) -> usize {
        let lanes = match &self.lanes {
            RowLanes::One => 0,
            RowLanes::PerRoute(lanes) | RowLanes::PerStep(lanes) => lanes.len(),
        };
        size_of::<Self>() + 8 * self.firsts.len() + 2 * self.since.len() + self.codes.len() + lanes
    }

    /// Tells whether all steps have lane 0.
    pub(super) fn is_on_one_lane(&self) -> bool {
        self.lanes == RowLanes::One
    }

    /// The lane of a step of the route to a destination.
    #[inline]
    pub(super) fn lane(&self, to: usize, step: usize) -> Lane {
        match &self.lanes {
            RowLanes::One => Lane::ZERO,
            RowLanes::PerRoute(lanes) => lanes[to],
            RowLanes::PerStep(lanes) => lanes[step],
        }
    }

    /// Counts the destinations.
    pub(super) fn count(&self) -> usize {
        self.since.len() - 1
    }

    /// The highest lane of a step.
    pub(super) fn highest_lane(&self) -> Option<Lane> {
        match &self.lanes {
            RowLanes::One => None,
            RowLanes::PerRoute(lanes) | RowLanes::PerStep(lanes) => lanes.iter().max().copied(),
        }
    }
}

impl RowLanes {
    fn of(row: &RouteRow) -> Self {
        if row.lanes().iter().all(|&lane| lane == Lane::ZERO) {
            return Self::One;
        }
        let mut lanes = row.lanes().to_vec();
        lanes.resize(row.steps.len(), Lane::ZERO);
        let mut rest = lanes.as_slice();
        let mut routes = Vec::with_capacity(row.lengths.len());
        for &length in &row.lengths {
            let (route, after) = rest.split_at(length.into());
            if route.windows(2).any(|two| two[0] != two[1]) {
                return Self::PerStep(lanes.into());
            }
            routes.push(route.first().copied().unwrap_or_default());
            rest = after;
        }
        Self::PerRoute(routes.into())
    }
}
