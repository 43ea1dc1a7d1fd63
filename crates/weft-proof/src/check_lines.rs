//! The check of a certificate over routes along one line of a grid after the other.

use crate::check_ways::{Rank, Ways};
use weft_fabric::{Fabric, Node, SwitchId};
use weft_routing::{GridLine, Lane, SharedRoutes, SourceRoutes};

/// Where ways along lines begin and end, at one switch and along one axis.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// Ranks and lanes of first steps.
    begin: Vec<(Rank, Lane)>,
    /// The same of last steps.
    end: Vec<(Rank, Lane)>,
}

impl Marks {
    fn note(marks: &mut Vec<(Rank, Lane)>, mark: (Rank, Lane)) {
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
}

/// Tells whether all routes arrive and ascend: along each line from any switch to any other, from what may come
/// along a line to what may go on along one of a later axis, and at hosts.
pub(crate) fn all_ascend(
    fabric: &Fabric,
    ways: &Ways<'_>,
    listed: &SourceRoutes,
    shared: &SharedRoutes<'_>,
    lines: &[GridLine],
) -> bool {
    let Some(states) = listed.state_count() else {
        return false;
    };
    let axes = 1 + lines.iter().map(|line| line.axis).max().unwrap_or(0);
    let mut at_switches = vec![None; listed.endpoint_count()];
    for group in shared.sources() {
        at_switches[group.endpoint] = Some(group.switch);
    }
    let mut marks = vec![Marks::default(); fabric.switch_count() * axes];
    // Per switch and state: the number of the destination of whom it was seen last.
    let mut seen = vec![0_usize; fabric.switch_count() * states];
    let mut round = 0;
    for line in lines {
        for &to in &line.endpoints {
            round += 1;
            for &from in line.endpoints.iter().filter(|&&from| from != to) {
                let (Some(start), Some(end)) = (at_switches[from], at_switches[to]) else {
                    return false;
                };
                let ends = [start, end];
                let climbed = climb(ways, listed, [from, to], ends, |at, state| {
                    std::mem::replace(&mut seen[at.index() * states + state], round) == round
                });
                let Some((begin, end)) = climbed else {
                    return false;
                };
                let place = |switch: SwitchId| switch.index() * axes + line.axis;
                Marks::note(&mut marks[place(ends[0])].begin, begin);
                if let Some(end) = end {
                    Marks::note(&mut marks[place(ends[1])].end, end);
                }
            }
        }
    }
    let turns_ascend = marks.chunks(axes).all(|of_axes| {
        of_axes.iter().enumerate().all(|(axis, before)| {
            let later = of_axes[axis + 1..].iter().flat_map(|after| &after.begin);
            let mut later = later.map(|(rank, _)| rank);
            later.all(|rank| before.end.iter().all(|(held, _)| held < rank))
        })
    });
    let of = |switch: SwitchId| &marks[switch.index() * axes..][..axes];
    let leave = |hosts: &[_], switch| {
        let mut begin = of(switch).iter().flat_map(|marks| &marks.begin);
        begin.all(|&(rank, lane)| ways.injection(hosts, lane) < rank)
    };
    let arrive = |hosts: &[_], switch| {
        let mut end = of(switch).iter().flat_map(|marks| &marks.end);
        end.all(|&(rank, lane)| rank < ways.ejection(hosts, lane))
    };
    let join = |switch: SwitchId| {
        let hosts = fabric.hosts_of(switch);
        ways.join([hosts; 2], Lane::ZERO)
    };
    let (sources, destinations) = (shared.sources(), shared.destinations());
    turns_ascend
        && sources.iter().all(|group| leave(group.hosts, group.switch))
        && destinations
            .iter()
            .all(|group| arrive(group.hosts, group.switch))
        && fabric.switches_with_hosts().all(join)
}

/// A rank and its lane, of the first step of a way; of the last one where the way is not known before its end.
type Climbed = ((Rank, Lane), Option<(Rank, Lane)>);

/// Follows the way along a line from one endpoint to another, up to where it is known; nothing where it does not
/// ascend, or leads elsewhere.
fn climb(
    ways: &Ways<'_>,
    listed: &SourceRoutes,
    [from, to]: [usize; 2],
    [mut at, end]: [SwitchId; 2],
    mut is_known: impl FnMut(SwitchId, usize) -> bool,
) -> Option<Climbed> {
    let mut steps = listed.steps_between(from, to);
    let (mut begin, mut held) = (None, None);
    while let Some((port, lane)) = steps.next_on_lane() {
        let way = ways.behind(at, port)?;
        let Node::Switch(next) = way.to else {
            return None;
        };
        let rank = ways.rank(way.channel, lane);
        if held.is_some_and(|(before, _)| rank <= before) || rank.is_none() {
            return None;
        }
        begin = begin.or(Some((rank, lane)));
        if is_known(at, steps.state()) {
            return Some((begin?, None));
        }
        held = Some((rank, lane));
        at = next;
    }
    (at == end).then_some((begin?, held))
}
