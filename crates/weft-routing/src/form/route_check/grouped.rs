//! Tables of switches that choose among groups of ports.

use crate::form::{Entry, ForwardingError, GroupStates, GroupTables, Lane, PairNames};
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, Node};

/// Makes sure that packets between all hosts arrive whatever their switches choose, at the first address of each.
pub(super) fn check_groups(fabric: &Fabric, tables: &GroupTables) -> Result<(), ForwardingError> {
    ForwardingError::unless_made_for("hosts", tables.host_count(), fabric.host_count())?;
    let pair = |source: HostId, destination: HostId| {
        let [source, destination] =
            [source, destination].map(|host| fabric.host(host).name.clone());
        PairNames {
            source,
            destination,
        }
    };
    let states = GroupStates::new(fabric, tables);
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    let levels = tables.judged_with(tables.service_level());
    for &level in &levels {
        if tables.host_lane(level).is_none() {
            let [source, destination] = [HostId::new(0); 2];
            return Err(ForwardingError::NoLane {
                service_level: level,
                at: fabric.name().to_owned(),
                pair: pair(source, destination),
            });
        }
    }
    let astray = hosts.par_iter().find_map_first(|&destination| {
        levels.iter().find_map(|&level| {
            let mut walk = Arrivals {
                fabric,
                tables,
                states: &states,
                destination,
                level,
                known: vec![Known::Nothing; states.count()],
            };
            let first_lane = tables.host_lane(level)?;
            let address = tables.addresses(destination).start;
            let mut sources = hosts.iter().filter(|&&source| {
                source != destination && tables.may_have(source, address, level)
            });
            sources.find_map(|&source| {
                let entry = Entry {
                    switch: fabric.host_switch(source),
                    port: fabric.host_port(source),
                    lane: first_lane,
                };
                (!walk.arrive_from(states.of(entry))).then_some([source, destination])
            })
        })
    });
    astray.map_or(Ok(()), |[source, destination]| {
        Err(ForwardingError::BrokenRoute(pair(source, destination)))
    })
}

/// What is known of the packets in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// They are being followed.
    UnderWay,
    Arrive,
}

/// The packets to one destination.
struct Arrivals<'a> {
    fabric: &'a Fabric,
    tables: &'a GroupTables,
    states: &'a GroupStates,
    destination: HostId,
    level: u8,
    known: Vec<Known>,
}

impl Arrivals<'_> {
    /// Tells whether packets in a state arrive whatever they take.
    fn arrive_from(&mut self, start: usize) -> bool {
        if self.known[start] == Known::Arrive {
            return true;
        }
        let Some(next) = self.next(start) else {
            return false;
        };
        self.known[start] = Known::UnderWay;
        let mut way = vec![(start, next)];
        while let Some((state, left)) = way.last_mut() {
            let Some(next) = left.pop() else {
                self.known[*state] = Known::Arrive;
                way.pop();
                continue;
            };
            match self.known[next] {
                Known::Arrive => {}
                Known::UnderWay => return false,
                Known::Nothing => {
                    let Some(after) = self.next(next) else {
                        return false;
                    };
                    self.known[next] = Known::UnderWay;
                    way.push((next, after));
                }
            }
        }
        true
    }

    /// The states that packets in a state may come into; `None` where they may be led nowhere.
    fn next(&self, state: usize) -> Option<Vec<usize>> {
        let Entry { switch, port, lane } = self.states.entry(state);
        let level = self.level;
        let address = self.tables.addresses(self.destination).start;
        let choice = self.tables.choice(switch, (port, lane), address, level);
        let mut next = Vec::with_capacity(choice.ports.len());
        for &output in choice.ports {
            let lane: Lane = self.tables.next_lane(switch, [port, output], level, lane)?;
            let end = self.fabric.target(self.fabric.outgoing_at(switch, output)?);
            match end.node {
                Node::Host(host) if host == self.destination => {}
                Node::Host(_) => return None,
                Node::Switch(switch) => next.push(self.states.of(Entry {
                    switch,
                    port: end.port,
                    lane,
                })),
            }
        }
        (!choice.ports.is_empty()).then_some(next)
    }
}
