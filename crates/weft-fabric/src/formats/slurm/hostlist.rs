//! Lists of names as Slurm writes them: `node[01-16,20],login`.

use std::collections::{BTreeMap, BTreeSet};

/// Longer numbers are left as they stand.
const MOST_DIGITS: usize = 18;

/// A name's text before its last number, and how many digits the number has where zeros lead.
type Stem<'a> = (&'a str, Option<usize>);

/// Lists names as Slurm writes them, `node[01-16,20],login`: those that differ in their last number together, in the
/// order in which they come first; Slurm expands the list to the same names.
pub fn hostlist<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    // Widths that some number is filled to with zeros: `10` goes with `09` rather than with `9`.
    let filled: BTreeSet<(&str, usize)> = names
        .clone()
        .filter_map(split)
        .filter(|(_, digits)| digits.len() > 1 && digits.starts_with('0'))
        .map(|(stem, digits)| (stem, digits.len()))
        .collect();
    let mut order: Vec<Stem<'a>> = Vec::new();
    let mut numbers: BTreeMap<Stem<'a>, BTreeSet<u64>> = BTreeMap::new();
    let mut whole: BTreeSet<&str> = BTreeSet::new();
    for name in names {
        let parts = split(name).and_then(|(stem, digits)| {
            let width = filled
                .contains(&(stem, digits.len()))
                .then_some(digits.len());
            Some(((stem, width), digits.parse().ok()?))
        });
        match parts {
            Some((stem, number)) => {
                let of_stem = numbers.entry(stem).or_insert_with(|| {
                    order.push(stem);
                    BTreeSet::new()
                });
                of_stem.insert(number);
            }
            None if whole.insert(name) => order.push((name, Some(0))),
            None => {}
        }
    }
    let lists: Vec<String> = order
        .into_iter()
        .map(|stem| match numbers.get(&stem) {
            Some(numbers) => with_numbers(stem, numbers),
            None => stem.0.to_owned(),
        })
        .collect();
    lists.join(",")
}

/// Splits a name before its last number, if it ends with one that is not too long.
fn split(name: &str) -> Option<(&str, &str)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[stem.len()..];
    (1..=MOST_DIGITS)
        .contains(&digits.len())
        .then_some((stem, digits))
}

fn with_numbers((stem, width): Stem<'_>, numbers: &BTreeSet<u64>) -> String {
    let width = width.unwrap_or(1);
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    if let [(only, last)] = ranges.as_slice()
        && only == last
    {
        return format!("{stem}{only:0width$}");
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                format!("{first:0width$}")
            } else {
                format!("{first:0width$}-{last:0width$}")
            }
        })
        .collect();
    format!("{stem}[{}]", ranges.join(","))
}

#[cfg(test)]
mod tests {
    use super::hostlist;

    fn list(names: &str) -> String {
        hostlist(names.split(' '))
    }

    #[test]
    fn numbers_that_follow_each_other_are_a_range() {
        assert_eq!(list("node01 node02 node03 node16"), "node[01-03,16]");
        assert_eq!(list("tux3 tux0 tux1 tux2 tux12"), "tux[0-3,12]");
        assert_eq!(list("a9 a10 a11"), "a[9-11]");
        assert_eq!(list("only7"), "only7");
        assert_eq!(list("a1 b1 login a2"), "a[1-2],b1,login");
    }

    #[test]
    fn leading_zeros_are_kept_apart_from_numbers_without() {
        assert_eq!(list("n09 n10 n8"), "n[09-10],n8");
        assert_eq!(list("n1 n01 n001"), "n1,n01,n001");
        assert_eq!(list("n0 n1"), "n[0-1]");
    }

    #[test]
    fn names_without_a_number_at_their_end_stay_as_they_are() {
        assert_eq!(list("r1n2-ib r1n3-ib"), "r1n2-ib,r1n3-ib");
        assert_eq!(list("x1234567890123456789"), "x1234567890123456789");
        assert_eq!(list("a a a1 a1"), "a,a1");
    }
}
