//! Finding what waits in a circle.

/// Finds a circle where each of `count` things waits for at most one other: its members, each
/// waiting for the next and the last for the first. The one found depends on the order of the numbers
/// alone.
///
/// # Complexity
/// Time and memory in proportion to `count`.
pub(crate) fn find_circle(
    count: usize,
    waits_for: impl Fn(usize) -> Option<usize>,
) -> Option<Vec<usize>> {
    const NEW: usize = 0;
    let mut visited_in = vec![NEW; count];
    for start in 0..count {
        let round = start + 1;
        let mut here = Some(start);
        while let Some(thing) = here
            && visited_in[thing] == NEW
        {
            visited_in[thing] = round;
            here = waits_for(thing);
        }
        if let Some(first) = here
            && visited_in[first] == round
        {
            let mut circle = vec![first];
            let mut next = waits_for(first);
            while let Some(thing) = next.filter(|&thing| thing != first) {
                circle.push(thing);
                next = waits_for(thing);
            }
            return Some(circle);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find_circle;

    #[test]
    fn a_circle_is_found_behind_what_leads_to_it() {
        // 0 → 1 → 2 → 3 → 1, and 4 waits for itself.
        let next = [Some(1), Some(2), Some(3), Some(1), Some(4)];
        assert_eq!(find_circle(5, |thing| next[thing]), Some(vec![1, 2, 3]));
        assert_eq!(find_circle(1, |_| Some(0)), Some(vec![0]));
    }

    #[test]
    fn lines_that_meet_are_no_circle() {
        let next = [Some(2), Some(2), Some(3), None];
        assert_eq!(find_circle(4, |thing| next[thing]), None);
        assert_eq!(find_circle(0, |_| None), None);
    }
}
