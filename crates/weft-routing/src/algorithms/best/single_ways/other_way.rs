//! Another way of a switch: what it costs more, and whether all that send over it then have a lane.

use super::{ALL, COST_OF_LINK, Descent, cost};
use crate::cycles::LaneSet;
use crate::paths::exit_by;

impl Descent<'_, '_> {
    /// Lets a switch send towards a destination by another edge, it and all behind it, if that leads there, costs no more than
    /// is borne, and leaves each a lane.
    pub(super) fn try_way(&mut self, destination: usize, at: u32, other: u32, borne: f64) {
        let space = self.space;
        let place = self.place(destination, at);
        let flow = self.flows[place];
        let target_place = self.ground.target_of[destination] as usize;
        let may_take = self.may_take.is_empty()
            || self.may_take[target_place * space.edge_count() + other as usize];
        let Some(way) = self.way(destination, at) else {
            return;
        };
        if flow == 0 || way == other || !may_take || !self.walk(destination, at, [way, other]) {
            return;
        }
        let changed = |carried: fn(u64, u64) -> u64, edges: &[u32]| -> f64 {
            let more = |&edge: &u32| {
                let load = self.forest.loads[ALL][edge as usize];
                let load = carried(load, flow * space.slowness(edge));
                self.cost(load) - self.costs[edge as usize]
            };
            edges.iter().map(more).sum()
        };
        let links = self.detour.len() as f64 - self.path.len() as f64;
        let more = changed(|load, flow| load - flow, &self.path)
            + changed(|load, flow| load + flow, &self.detour)
            + links * COST_OF_LINK * flow as f64 / self.unit;
        if more >= borne || !self.is_permitted(destination, at, [way, other]) {
            return;
        }
        self.forest.exits[place] = exit_by(space, other);
        for (edges, is_left) in [(&self.path, true), (&self.detour, false)] {
            for &edge in edges {
                let (tail, carried) = (space.tail(edge), flow * space.slowness(edge));
                let load = &mut self.forest.loads[ALL][edge as usize];
                let passing = &mut self.flows[destination * space.switch_count() + tail as usize];
                if is_left {
                    *load -= carried;
                    *passing -= flow;
                } else {
                    *load += carried;
                    *passing += flow;
                }
                self.costs[edge as usize] = cost(*load, self.unit);
            }
        }
        for &(led, lanes) in &self.led {
            self.lanes[destination * space.switch_count() + led as usize] = lanes;
        }
    }

    /// Notes two ways of a switch up to where they meet, and tells whether the second leads to the target.
    fn walk(&mut self, destination: usize, at: u32, ways: [u32; 2]) -> bool {
        let space = self.space;
        let to = self.ground.target(destination).switch;
        let mut both = [
            std::mem::take(&mut self.path),
            std::mem::take(&mut self.detour),
        ];
        let mut leads = true;
        for (path, way) in both.iter_mut().zip(ways) {
            path.clear();
            let mut next = Some(way);
            while let Some(edge) = next {
                path.push(edge);
                let there = space.edge(edge).to;
                if there == to {
                    break;
                }
                next = self
                    .way(destination, there)
                    .filter(|_| leads && there != at);
                leads &= next.is_some();
            }
        }
        let [path, detour] = &mut both;
        while leads && path.last() == detour.last() {
            path.pop();
            detour.pop();
        }
        let [path, detour] = both;
        (self.path, self.detour) = (path, detour);
        leads
    }

    /// Tells whether all that send by another edge of a switch have a lane then, and notes it.
    fn is_permitted(&mut self, destination: usize, at: u32, ways: [u32; 2]) -> bool {
        match self.turns.take() {
            Some(mut turns) => {
                let [before, after] = ways.map(|way| self.turns_by(destination, at, way));
                let is_permitted = turns.exchange(&before, &after);
                self.turns = Some(turns);
                self.led.clear();
                is_permitted
            }
            None => self.find_lanes(destination, at, ways[1]),
        }
    }

    /// Finds the lanes of all that send by an edge of a switch then, and tells whether each has one.
    fn find_lanes(&mut self, destination: usize, at: u32, edge: u32) -> bool {
        let (space, orders) = (self.space, &self.ground.orders);
        let lanes_by = |edge: u32, next: u32, lanes: LaneSet| match next {
            u32::MAX => lanes,
            next => lanes & orders.permitted(space, edge, exit_by(space, next)),
        };
        let beyond = space.edge(edge).to;
        let next = self.way(destination, beyond).unwrap_or(u32::MAX);
        let lanes = lanes_by(edge, next, self.lanes[self.place(destination, beyond)]);
        let mut led = std::mem::take(&mut self.led);
        led.clear();
        led.push((at, lanes));
        let mut place = 0;
        while let Some(&(switch, lanes)) = led.get(place).filter(|led| led.1 != 0) {
            let next = if place == 0 {
                Some(edge)
            } else {
                self.way(destination, switch)
            };
            for behind in self.behind(destination, switch) {
                let lanes = lanes_by(behind, next.unwrap_or(u32::MAX), lanes);
                led.push((space.tail(behind), lanes));
            }
            place += 1;
        }
        let has_each = place == led.len();
        self.led = led;
        has_each
    }
}
