//! The most even deadlock-free tables that can be found for the lanes there are.

mod balanced_forest;
mod balanced_tables;
mod even_orders;
mod first_answers;
mod guide_trees;
mod joining_orders;
mod known_tables;
mod lean_races;
mod least_loads;
mod loads_of_trees;
mod longer_routes;
mod negotiation;
mod patterns;
mod race_of_starts;
mod relief_of_full_channels;
mod rounds_of_trees;
mod search;
mod shifts;
mod single_ways;
mod starting_orders;
mod target_switch;
mod tree_on_lanes;

use crate::algorithms::{
    Algorithm, DefaultSet, Lanes, Needs, Offer, Patience, RouteFunction, Weight, down_preferred,
    ftree, torus_2qos,
};
use crate::cycles::places_of;
use crate::error::RoutingError;
use crate::form::Routes;
use crate::load::demand_by_weights;
use crate::parameters::{Parameters, SEED};
use balanced_tables::{Starts, balanced_tables};
use known_tables::Known;
use search::Effort;
use shifts::MOST_SHIFT_WORK;
use weft_fabric::{Fabric, SwitchId};
use weft_registry::{Kind, Open, Spec};

/// Trees towards all hosts, balanced over as many lanes as allowed.
///
/// Every lane has a total order of the channels; each path ascends the order of some lane, which is
/// the service level of its pair. The orders are grown from the turns of shortest paths, one pair of
/// switches after the other. Then the tree of one host after the other is grown anew over the
/// channels that carry least for the others, and that again and again, with a growing preference for
/// whatever relieves the fullest; then single switches send another way where that empties full
/// channels. Of all rounds the one with the lowest largest load is kept; then drawn switches send another way
/// where a high power of all loads falls by it, on one lane by any turn that closes no circle with those that routes make.
///
/// On every lane count searched with the first order permits the turns of a spanning tree, so that every
/// pair is joined on any fabric; paths are shortest where the orders permit a shortest one. Routes on one lane negotiate
/// around a tree and, but on large fabrics of more than eight links a switch, along orders that join all pairs without a
/// root: by segments and, on grids, by dimensions with open rings. One lane also starts from the tables of
/// `down_preferred`, grids from those of `torus_2qos`: on one lane on meshes, on tori where
/// there is a lane for every set of rings that a packet may close, four in two dimensions and eight in three. With fewer, but
/// two, packets keep to their service level and switches make lanes of it by the ring, as `torus_2qos` has them: of the
/// channels of both lanes there is one order then, and a service level ascends it by the lanes that are its own. Such tables
/// are taken only where they load a channel less than any on whose lanes packets stay. The tables of `ftree` are taken as they
/// are, where nothing better is found. Lanes that neither lower the largest load nor make
/// routes shorter have the orders of others, and pairs are spread over them.
///
/// Where bounds show that shortest routes alone fill some channel, by 1 % or more above what the fullest carries where
/// traffic splits over all paths, starts are made with longer ones as well: the orders are grown from the turns of ways
/// that are short by the weights which show the bound, and trees over channels that cost by what they carry, whatever
/// the links. The better of both is taken. Not so on large fabrics or on those with rails.
///
/// Searches with fewer lanes that are far behind another are given up. On fabrics of more than 2¹⁷ hosts times channels that
/// are no trees the most lanes of more than two come first: the better of a start by shortest routes and one by longer ones is
/// improved, and fewer lanes are begun with only while the largest load is more than 5 % above a bound, on large ones a
/// quarter, and what they begin with is not 5 % behind.
///
/// On fabrics with rails what stays on each, and on all, is balanced beside all that is sent; largest loads count as
/// equal there that are less than 3 % of a bound apart.
///
/// Where links have several rates, what a channel carries counts as many times more as its link is slower than the
/// fastest.
///
/// Tables to begin with that are within 0.5 % of a load that no tables go below are taken as they are; of large
/// fabrics, of more than 2²³ hosts times channels, those of `down_preferred` come before anything else on trees, those of
/// `torus_2qos` on grids. There those of the first start with the most lanes are taken, too, within 5 % of it;
/// else, on trees and with rails, fewer lanes are searched with until the largest load is within 3 %. Of more than 2²⁸, known
/// ones are taken within 5 %.
///
/// # Source
/// Our own. Layers of paths are from LASH (Skeie, Lysne, Theiss, IPDPS 2002) and DFSSSP (Domke,
/// Hoefler, Nagel, IPDPS 2011), routing inside a given number of lanes from Nue (Domke, Hoefler,
/// Matsuoka, HPDC 2016), trees over less loaded channels from SSSP (Hoefler, Schneider, Lumsdaine, HOTI
/// 2009).
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "best",
    title: "best",
    summary: "Orders the channels on every lane so that shortest paths ascend some order, then grows \
              the tree of one host after the other over the least loaded channels, again and again.",
    needs: Needs::lanes(Lanes::AsAsked).tables(),
    further: "Any number of lanes will do; routes are shortest where the lanes permit it, but on two lanes and more \
              longer where bounds show that shortest ones alone fill some channel: up to 2^23 hosts times channels, \
              with links of one rate, without rails. The \
              largest load is no higher than by down_preferred with per=host, on trees by ftree, on meshes and tori by torus_2qos where \
              there are its lanes, nor with fewer lanes; where that takes two lanes on tori, switches make lanes of \
              service levels by the ring, as there. Beyond 2^17 hosts times channels, and on fabrics with rails, it may be, by 5% of a \
              bound; where tables of these are within 0.5% of a bound they are taken. A link that is slower than others counts as fuller, by as much. Rails are \
              balanced by themselves as well.",
    improves: true,
    offers: &[
        Offer::new(DefaultSet::Audited, 10, "lanes=1"),
        Offer::new(DefaultSet::Audited, 20, "lanes=8"),
        Offer::new(DefaultSet::Advised, 10, "lanes={lanes}"),
        Offer::new(DefaultSet::Advised, 15, "lanes=1"),
    ],
    source: "our own; after LASH, DFSSSP and Nue",
    parameters: &[LANES, LANES_BY, ROUNDS, STARTS, SEED, TRAFFIC, LMC],
    route: RouteFunction::Search(route),
    ..Algorithm::DEFAULT
};

const LANES: Spec = Spec::of("lanes", Kind::count(1, 15), "8").says(
    "Virtual lanes that packets may use; more make routes shorter and loads more even. Of 1, 2, 4, \
              8 and 15, which ports of InfiniBand have, each that fits is tried, beyond 2^17 hosts times channels the \
              most first, until the largest load is within 5% of a bound or fewer begin 5% behind.",
);

const ROUNDS: Spec = Spec::of("rounds", Kind::count(3, u8::MAX as u64), "8")
    .says("How often the tree of every host is grown; time is in proportion.");

/// The first start as it is.
const FIRST: &str = "first";

const STARTS_OR_FIRST: Kind = Kind::Or(FIRST, &Kind::count(0, MOST_STARTS as u64));

const STARTS: Spec = Spec::of("starts", Kind::Or("auto", &STARTS_OR_FIRST), "auto").says(
    "How many orders of the channels on one lane the best is taken of, with more lanes as many times fewer, but two; more \
              are never worse. 0 takes the first with the most lanes and trees grown once, in about the time of sssp, unless \
              they are more than a quarter above a bound; first takes its trees after three rounds. On one lane both are 1, \
              or up to 32 where hosts hang unevenly, as are those of auto at least. \
              Auto means as many as keep small fabrics within a second; on others it ends after the first within 5% of a \
              bound.",
);

/// Every host sends to the k-th after it, for every k.
const SHIFTS: &str = "shifts";

const LMC: Spec = Spec::of("lmc", Kind::count(0, 7), "0").says(
    "Addresses of a host, 2 to this power, as InfiniBand's LID mask control has it. Routes to the first are those without \
              further ones; routes to the others are laid, longer ones among them, so that every host can send to the \
              k-th after it at once, for every k, when each spreads over all, and then so that what `traffic` tells does.",
);

/// What hosts send if nothing is said.
const ALL_TO_ALL: &str = "alltoall";

/// Most demands that tables are to be even for, each by itself.
const MOST_DEMANDS: usize = 7;

const TRAFFIC: Spec = Spec::of("traffic", Kind::Open(TRAFFIC_TEXT), ALL_TO_ALL).says(
    "What loads are kept even for: alltoall, shifts (every host to the k-th after it, for every k), a traffic pattern \
     such as transpose or hotspot:share=5, a collective operation such as allreduce, the file of a traffic matrix or \
     of jobs (.toml); several joined by +, of which the worst ratio of a largest load to what no routing is below \
     counts.",
);

const LANES_BY: Spec = Spec::choice("lanes_by", &["ports", "level"]).says(
    "What the lane of a packet follows from: its service level and the ports that it comes in and leaves by, where that \
     is more even, as on tori; or its level alone, which a subnet manager loads without a plugin.",
);

const TRAFFIC_TEXT: Open = Open {
    expected: "alltoall, shifts, a pattern, a collective operation or a file, several joined by +",
    words: &[],
    accepts: |text| text.split('+').all(|one| !one.trim().is_empty()),
};

/// Hosts times channels up to which every number of lanes is searched with, routes to every host are negotiated
/// apart, and starts made in blocks.
const MOST_THOROUGH_WORK: u64 = 1 << 23;

/// Hosts times channels up to which all numbers of lanes are searched with to the end: that takes less than a second.
const MOST_EXHAUSTIVE_WORK: u64 = 1 << 17;

/// Hosts times channels up to which single switches on one lane send another way, and the order goes along.
const MOST_WORK_ON_ONE_LANE: u64 = 1 << 26;

/// Hosts times channels up to which more is searched for where known tables are within 5 % of a bound.
const MOST_PATIENT_WORK: u64 = 1 << 28;

/// Hosts times channels that automatic starts may cover together.
const MOST_WORK: u64 = 1 << 25;

const MOST_AUTOMATIC_STARTS: u64 = 128;

const MOST_STARTS: u16 = u16::MAX;

/// Hosts times channels that full channels may be relieved for in a row.
const MOST_RELIEF_WORK: u64 = 1 << 29;

/// Most times in a row that they are.
const MOST_RELIEFS: u64 = 32;

/// Hosts times channels that a first answer may wait for agreements of routes on one lane for: less than a tenth of a second.
const MOST_AGREEMENT_WORK: u64 = 1 << 19;

/// Most of them, on one lane alone and where there are more.
const MOST_AGREEMENTS: [u64; 2] = [32, 16];

fn route(
    fabric: &Fabric,
    parameters: &mut Parameters,
    weights: &[Weight<'_>],
    patience: Option<Patience<'_>>,
) -> Result<Routes, RoutingError> {
    let traffic = parameters.text("traffic");
    let is_for_shifts = traffic == SHIFTS;
    let lmc: u32 = parameters.parsed("lmc");
    let shift_work = (fabric.host_count() * fabric.channel_count()) as u64;
    if (is_for_shifts || lmc > 0) && shift_work > MOST_SHIFT_WORK {
        return Err(RoutingError::TooLargeForShifts {
            fabric: fabric.name().to_owned(),
            work: shift_work,
            most: MOST_SHIFT_WORK,
        });
    }
    if weights.is_empty() && traffic != ALL_TO_ALL && !is_for_shifts {
        return Err(RoutingError::TrafficNotRead {
            traffic: traffic.to_owned(),
        });
    }
    if weights.len() > MOST_DEMANDS {
        let expected = format!("{MOST_DEMANDS} at most, joined by +");
        return Err(parameters.invalid("traffic", expected).into());
    }
    let demand = |&weight: &Weight<'_>| demand_by_weights(fabric, weight);
    let demands: Vec<Vec<u64>> = weights.iter().map(demand).collect();
    let demands = &demands[..];
    let lanes = parameters.parsed("lanes");
    let rounds: u8 = parameters.parsed("rounds");
    let work = (fabric.host_count() * fabric.channel_count()) as u64;
    let automatic = match patience {
        None => (MOST_WORK / work.max(1)).clamp(1, MOST_AUTOMATIC_STARTS),
        Some(_) => 1,
    };
    let asked = parameters.text(STARTS.name).to_owned();
    let starts: Option<u16> = match asked.as_str() {
        FIRST => Some(0),
        _ => parameters.or_auto(STARTS.name),
    };
    let is_automatic = starts.is_none() && patience.is_none();
    let are_told = starts.is_some_and(|starts| starts > 0);
    let starts = starts.map_or(automatic, u64::from);
    let is_thorough = work <= MOST_THOROUGH_WORK;
    let on_grid = (!is_thorough).then(|| by_dimensions(fabric)).flatten();
    let effort = Effort {
        lanes,
        is_thorough,
        is_grid: on_grid.is_some(),
        is_exhaustive: work <= MOST_EXHAUSTIVE_WORK,
        descends_on_one_lane: work <= MOST_WORK_ON_ONE_LANE,
        is_automatic,
        are_told,
        takes_first: is_automatic || starts == 0,
        takes_near: work > MOST_PATIENT_WORK,
        rounds: rounds.into(),
        starts,
        is_at_once: starts == 0 && asked != FIRST,
        reliefs: (MOST_RELIEF_WORK / work.max(1)).min(MOST_RELIEFS),
        agreements: (MOST_AGREEMENT_WORK / work.max(1))
            .min(MOST_AGREEMENTS[usize::from(lanes > 1)]),
        seed: parameters.seed(),
    };
    let seed = effort.seed;
    let is_by_level = parameters.text(LANES_BY.name) == "level";
    let has_more = is_for_shifts || lmc > 0;
    let keeps_lanes = is_by_level || has_more;
    let known = || {
        let from = move |root| down_preferred_from(fabric, root, seed);
        // What may be enough of a large fabric comes first: of a grid what keeps to its dimensions.
        let roots = if effort.is_thorough {
            ["min_average", "tops"]
        } else {
            ["tops", "min_average"]
        };
        let by_trees = roots.into_iter().filter_map(from);
        // Trees for shifts keep each pair to one lane.
        let is_fit = move |known: &Known| !keeps_lanes || known.tables.lane_tables().is_none();
        let of_small = move || effort.is_thorough.then(|| by_dimensions(fabric)).flatten();
        on_grid
            .into_iter()
            .chain(by_trees)
            .chain(std::iter::once_with(of_small).flatten())
            .chain(std::iter::once_with(|| by_tree(fabric)).flatten())
            .filter(is_fit)
    };
    let progress = &parameters.progress;
    let (tables, made) = balanced_tables(fabric, demands, known, effort, progress, patience)?;
    let settled = match made {
        // Those that were asked for make the same again, though fewer may have been enough.
        Starts::All if asked == FIRST => asked,
        Starts::All => starts.to_string(),
        Starts::None => "0".to_owned(),
        Starts::First => FIRST.to_owned(),
        Starts::Made(made) => made.to_string(),
    };
    parameters.settle(STARTS.name, &settled);
    if !has_more {
        return Ok(tables.into());
    }
    let asked = shifts::Asked {
        addresses: 1 << lmc,
        keeps_first: lmc > 0,
        lanes,
        rounds: rounds.into(),
        seed,
    };
    Ok(shifts::lay(fabric, &tables, demands, asked).into())
}

/// The tables of `down_preferred` by host; none where there is no such root.
fn down_preferred_from(fabric: &Fabric, root: &str, seed: u64) -> Option<Known> {
    let given = [
        ("root", root.to_owned()),
        ("per", "host".to_owned()),
        ("seed", seed.to_string()),
    ];
    let mut parameters = down_preferred::ALGORITHM.with(given).ok()?;
    let (tables, upward) = down_preferred::fill(fabric, &mut parameters).ok()?;
    let places = Some(places_of(&upward));
    Some(Known {
        tables,
        places,
        is_start: true,
    })
}

/// The tables of `torus_2qos`, whose packets on a mesh or torus can keep to one lane each where there is one for every
/// set of rings that they close; none where the switches form no such grid.
fn by_dimensions(fabric: &Fabric) -> Option<Known> {
    let tables = may_be_grid(fabric).then(|| torus_2qos::fill(fabric).ok())??;
    Some(Known {
        tables,
        places: None,
        is_start: true,
    })
}

/// Whether no switch has more neighbours than one of a mesh or torus. Few fabrics are grids, and what is none is cheaper
/// seen so.
fn may_be_grid(fabric: &Fabric) -> bool {
    let most = 2 * torus_2qos::MOST_DIMENSIONS;
    fabric.switch_ids().all(|switch| {
        let mut around: Vec<SwitchId> = fabric.hops(switch).iter().map(|hop| hop.switch).collect();
        around.sort_unstable();
        around.dedup();
        around.len() <= most
    })
}

/// The tables of `ftree`, which whole trees with rails are hardly left better by; none where the switches form no tree.
fn by_tree(fabric: &Fabric) -> Option<Known> {
    Some(Known {
        tables: ftree::fill(fabric).ok()?,
        places: None,
        is_start: false,
    })
}
