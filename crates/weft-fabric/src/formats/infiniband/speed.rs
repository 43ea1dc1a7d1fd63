//! Widths and speeds as the tools write them.

use super::records::Rate;
use crate::rate::{LaneSpeed, Lanes};

/// Per speed: what `iblinkinfo` prints for it, and what stands in subnet lists.
const SPELLINGS: [(LaneSpeed, &str, &str); 9] = [
    (LaneSpeed::Sdr, "2.5 Gbps", "2.5"),
    (LaneSpeed::Ddr, "5.0 Gbps", "5"),
    (LaneSpeed::Qdr, "10.0 Gbps", "10"),
    (LaneSpeed::Fdr10, "10.0 Gbps (FDR10)", "FDR10"),
    (LaneSpeed::Fdr, "14.0625 Gbps", "14"),
    (LaneSpeed::Edr, "25.78125 Gbps", "25"),
    (LaneSpeed::Hdr, "53.125 Gbps", "50"),
    (LaneSpeed::Ndr, "106.25 Gbps", "100"),
    (LaneSpeed::Xdr, "212.5 Gbps", "200"),
];

/// A speed as `iblinkinfo` prints it.
pub(crate) fn signalling(speed: LaneSpeed) -> &'static str {
    SPELLINGS[speed as usize].1
}

/// A speed as subnet lists have it.
pub(crate) fn rounded(speed: LaneSpeed) -> &'static str {
    SPELLINGS[speed as usize].2
}

/// The rate told by a port's active width and speeds, as the bits that ports have for them: the
/// first speeds in the lowest byte, the extended ones in the next, those of the vendor above.
///
/// Source: InfiniBand Architecture Specification, volume 1, §14.2.5.6 (`PortInfo`).
pub(crate) fn active(width: u64, speed: u64, text: &str) -> Rate<'_> {
    let lanes = match width {
        1 => 1,
        2 => 4,
        4 => 8,
        8 => 12,
        16 => 2,
        _ => 0,
    };
    let found = match ((speed >> 8) & 0xff, speed >> 16, speed & 0xff) {
        (1, _, _) => Some(LaneSpeed::Fdr),
        (2, _, _) => Some(LaneSpeed::Edr),
        (4, _, _) => Some(LaneSpeed::Hdr),
        (8, _, _) => Some(LaneSpeed::Ndr),
        (16, _, _) => Some(LaneSpeed::Xdr),
        (0, 1, _) => Some(LaneSpeed::Fdr10),
        (0, 0, 1) => Some(LaneSpeed::Sdr),
        (0, 0, 2) => Some(LaneSpeed::Ddr),
        (0, 0, 4) => Some(LaneSpeed::Qdr),
        _ => None,
    };
    match (lanes, found) {
        (0, _) if width == 0 => Rate::Absent,
        (1.., Some(speed)) => Rate::Known(
            Lanes {
                width: lanes,
                speed,
            }
            .into(),
        ),
        _ => Rate::Unclear(text),
    }
}

/// The rate told by a width such as `4x` or `4X` and a speed in either spelling, both in
/// `text`. Question marks for both mean that nothing is said.
pub(crate) fn rate<'a>(width: &str, speed: &str, text: &'a str) -> Rate<'a> {
    let is_open = |word: &str| word.bytes().all(|byte| byte == b'?');
    let is_width = |lanes: &u8| [1, 2, 4, 8, 12].contains(lanes);
    let lanes = width.strip_suffix(['x', 'X']);
    let lanes = lanes.and_then(|w| w.parse().ok()).filter(is_width);
    let speed_found = SPELLINGS
        .iter()
        .find(|(_, long, short)| speed == *long || speed == *short)
        .map(|&(speed, ..)| speed);
    match (lanes, speed_found) {
        (Some(width), Some(speed)) => Rate::Known(Lanes { width, speed }.into()),
        _ if is_open(width) && is_open(speed) => Rate::Absent,
        _ => Rate::Unclear(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_speed_has_its_spellings_in_its_place() {
        for (index, &(speed, long, short)) in SPELLINGS.iter().enumerate() {
            assert_eq!(speed as usize, index);
            let known = Rate::Known(Lanes { width: 4, speed }.into());
            assert_eq!(rate("4X", long, ""), known);
            assert_eq!(rate("4x", short, ""), known);
        }
        assert_eq!(rate("??", "???", ""), Rate::Absent);
        assert_eq!(rate("4x", "??", "4x ??"), Rate::Unclear("4x ??"));
        assert_eq!(rate("3x", "10", "3x 10"), Rate::Unclear("3x 10"));
    }
}
