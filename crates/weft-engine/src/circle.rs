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

/// Finds a circle where each of `count` things waits until any of some others is over, and is over at once where it
/// waits for none: the members of one as [`find_circle`] tells them. Nothing outside of it ends it, as each of
/// the others that its members wait for waits for ever, too.
///
/// # Complexity
/// Time and memory in proportion to `count` and the others waited for.
pub(crate) fn find_knot(
    count: usize,
    waits_for_any: impl Fn(usize) -> Vec<usize>,
) -> Option<Vec<usize>> {
    let any: Vec<Vec<usize>> = (0..count).map(waits_for_any).collect();
    let mut waiting_for = vec![Vec::new(); count];
    for (thing, others) in any.iter().enumerate() {
        for &other in others {
            waiting_for[other].push(thing);
        }
    }
    let mut is_over: Vec<bool> = any.iter().map(Vec::is_empty).collect();
    let mut ended: Vec<usize> = (0..count).filter(|&thing| is_over[thing]).collect();
    while let Some(thing) = ended.pop() {
        for &other in &waiting_for[thing] {
            if !is_over[other] {
                is_over[other] = true;
                ended.push(other);
            }
        }
    }
    find_circle(count, |thing| {
        any[thing].first().copied().filter(|_| !is_over[thing])
    })
}

#[cfg(test)]
mod tests {
    use super::{find_circle, find_knot};

    #[test]
    fn who_waits_for_any_of_several_waits_for_ever_only_if_all_do() {
        // 0 waits for 1 or 2, these for 0; 3 waits for 0.
        let knot = [vec![1, 2], vec![0], vec![0], vec![0]];
        assert_eq!(find_knot(4, |thing| knot[thing].clone()), Some(vec![0, 1]));
        // 2 waits for nobody.
        let open = [vec![1, 2], vec![0], vec![], vec![0]];
        assert_eq!(find_knot(4, |thing| open[thing].clone()), None);
    }

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
