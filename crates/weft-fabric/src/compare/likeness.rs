//! How alike the switches of two fabrics are: by what is in their ports, and by how alike that is.
//!
//! Where many cables differ, what lies a few links around a switch is nowhere the same in both, and colours
//! tell nothing. Likeness fades instead of breaking: similarity flooding (Melnik, Garcia-Molina, Rahm 2002) on
//! ports.

use super::matching::Pairs;

/// As often what is near is taken into account: so many links around.
const ROUNDS: usize = 4;
/// Two switches are the same when each is like the other so many times as much as like any third.
const MARGIN: f32 = 1.15;

/// Per switch: its wired ports with the far node and its port, by ascending port.
type Wiring = Vec<Vec<(u8, usize, u8)>>;

/// Two switches, how alike they are, and how much less the next of either.
struct Candidate {
    here: usize,
    there: usize,
    likeness: f32,
    next: f32,
}

impl Pairs<'_, '_> {
    /// Joins the switches left to those most like them: those that no other is nearly as like at once, where
    /// there is none the two most alike, and likeness is taken anew.
    pub(super) fn by_likeness(&mut self) {
        let [ours, theirs] = [self.here, self.there].map(|side| -> Wiring {
            let switches = 0..side.fabric.switch_count();
            let ports = switches.map(|node| side.far[node].iter());
            ports
                .map(|ports| ports.map(|(&port, &(far, at))| (port, far, at)).collect())
                .collect()
        });
        loop {
            let mut found = self.candidates(&self.likeness(&ours, &theirs));
            let is_clear = |pair: &Candidate| pair.likeness >= MARGIN * pair.next;
            if found.iter().any(is_clear) {
                found.retain(is_clear);
            } else {
                found.truncate(1);
            }
            if found.is_empty() {
                return;
            }
            for pair in found {
                self.join(pair.here, pair.there);
            }
        }
    }

    /// The switches left that are most like each other, the most alike first.
    fn candidates(&self, likeness: &[Vec<f32>]) -> Vec<Candidate> {
        let best = |all: &mut dyn Iterator<Item = (usize, f32)>| {
            let (mut best, mut next) = ((usize::MAX, 0.0_f32), 0.0_f32);
            for (at, value) in all {
                if value > best.1 {
                    (best, next) = ((at, value), best.1);
                } else {
                    next = next.max(value);
                }
            }
            (best, next)
        };
        let open_there: Vec<usize> = (0..self.there.fabric.switch_count())
            .filter(|&node| self.from[node].is_none())
            .collect();
        let open_here: Vec<usize> = (0..likeness.len())
            .filter(|&node| self.to[node].is_none())
            .collect();
        let mut found = Vec::new();
        for &here in &open_here {
            let row = &likeness[here];
            let ((there, value), next) = best(&mut open_there.iter().map(|&at| (at, row[at])));
            if value <= 0.0 {
                continue;
            }
            let mut column = open_here.iter().map(|&at| (at, likeness[at][there]));
            let ((back, _), next_back) = best(&mut column);
            if back == here {
                found.push(Candidate {
                    here,
                    there,
                    likeness: value,
                    next: next.max(next_back),
                });
            }
        }
        found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then(a.here.cmp(&b.here)));
        found
    }

    /// Per two switches: the share of their ports in which the same is, each as far as what is there is alike.
    fn likeness(&self, ours: &Wiring, theirs: &Wiring) -> Vec<Vec<f32>> {
        let sharp = |values: &[Vec<f32>]| -> Vec<Vec<f32>> {
            let most_of_column: Vec<f32> = (0..theirs.len())
                .map(|at| values.iter().map(|row| row[at]).fold(0.0, f32::max))
                .collect();
            let row = |(here, row): (usize, &Vec<f32>)| {
                let most = row.iter().copied().fold(0.0, f32::max);
                let value = |(there, &value): (usize, &f32)| {
                    if let Some(known) = self.to[here] {
                        return f32::from(u8::from(known == there));
                    }
                    let most = most.max(most_of_column[there]);
                    let is_open = self.from[there].is_none() && most > 0.0;
                    if is_open { (value / most).powi(3) } else { 0.0 }
                };
                row.iter().enumerate().map(value).collect()
            };
            values.iter().enumerate().map(row).collect()
        };
        let mut values = vec![vec![1.0; theirs.len()]; ours.len()];
        for _ in 0..ROUNDS {
            let known = sharp(&values);
            for (here, row) in values.iter_mut().enumerate() {
                for (there, value) in row.iter_mut().enumerate() {
                    let is_open = self.to[here].is_none() && self.from[there].is_none();
                    *value = if is_open {
                        self.like(&ours[here], &theirs[there], &known)
                    } else {
                        f32::from(u8::from(self.to[here] == Some(there)))
                    };
                }
            }
        }
        values
    }

    fn like(
        &self,
        ours: &[(u8, usize, u8)],
        theirs: &[(u8, usize, u8)],
        known: &[Vec<f32>],
    ) -> f32 {
        let (mut sum, mut next) = (0.0, 0);
        for &(port, far, at) in ours {
            while theirs.get(next).is_some_and(|other| other.0 < port) {
                next += 1;
            }
            let Some(&(_, other, other_at)) = theirs.get(next).filter(|other| other.0 == port)
            else {
                continue;
            };
            sum += match (self.here.is_switch(far), self.there.is_switch(other)) {
                (true, true) if at == other_at => known[far][other],
                (false, false) => match (self.to[far], self.from[other]) {
                    (None, None) => 1.0,
                    (to, _) => f32::from(u8::from(to == Some(other))),
                },
                _ => 0.0,
            };
        }
        let most = u16::try_from(ours.len().max(theirs.len())).map_or(f32::MAX, f32::from);
        if most > 0.0 { sum / most } else { 0.0 }
    }
}
