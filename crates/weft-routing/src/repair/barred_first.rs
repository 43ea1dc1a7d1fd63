//! Orders of destinations: ways to one may bar those to another, which come first the next time.

/// What came of an order.
pub(super) struct Tried<T, P> {
    pub(super) made: T,
    /// The less, the better.
    pub(super) price: P,
    /// Destinations that ways to others barred, each once.
    pub(super) barred: Vec<usize>,
}

/// Of so many orders at most the best, the first of equal ones: each begins with what the one before it barred, until
/// that is nothing or has come first already. `None` where the first attempt makes nothing.
pub(super) fn barred_first<T, P: Ord>(
    most: usize,
    mut order: Vec<usize>,
    attempt: impl Fn(&[usize]) -> Option<Tried<T, P>>,
) -> Option<T> {
    let mut best: Option<(P, T)> = None;
    for _ in 0..most {
        let Some(Tried {
            made,
            price,
            barred,
        }) = attempt(&order)
        else {
            break;
        };
        if best.as_ref().is_none_or(|best| price < best.0) {
            best = Some((price, made));
        }
        if order.starts_with(&barred) {
            break;
        }
        order.retain(|to| !barred.contains(to));
        order.splice(..0, barred);
    }
    best.map(|best| best.1)
}
