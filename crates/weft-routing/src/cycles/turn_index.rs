//! Which routes make a turn.

/// For each turn the routes that make it.
#[derive(Clone, Debug)]
pub(crate) struct TurnIndex {
    offsets: Vec<u32>,
    routes: Vec<u32>,
}

impl TurnIndex {
    /// Lists the routes of every turn; `turns(route, visit)` visits the places of a route's turns.
    pub(crate) fn new(
        places: usize,
        routes: u32,
        turns: impl Fn(u32, &mut dyn FnMut(usize)),
    ) -> Self {
        let mut offsets = vec![0_u32; places + 1];
        for route in 0..routes {
            turns(route, &mut |place| offsets[place + 1] += 1);
        }
        for place in 0..places {
            offsets[place + 1] += offsets[place];
        }
        let mut ends = offsets.clone();
        let mut listed = vec![0; offsets[places] as usize];
        for route in 0..routes {
            turns(route, &mut |place| {
                listed[ends[place] as usize] = route;
                ends[place] += 1;
            });
        }
        Self {
            offsets,
            routes: listed,
        }
    }

    pub(crate) fn routes(&self, place: usize) -> &[u32] {
        let ends = [place, place + 1].map(|place| self.offsets[place] as usize);
        &self.routes[ends[0]..ends[1]]
    }
}
