//! The page beside the files: what is in them, how to load and verify them, how to go back.

use super::exported_subnet::Subnet;
use super::{
    CONF, FDBS, GUID2LID, LANES, LFTS, LST, MCFDBS, OpensmEngine, OpensmFiles, OpensmOptions,
    PATH_SL, PATHS, POLICY, SL2VL,
};
use weft_routing::Routing;

/// More hosts are counted, not named.
const MOST_NAMED: usize = 20;

pub(super) fn readme(
    subnet: &Subnet<'_>,
    routing: &Routing,
    options: &OpensmOptions<'_>,
    made: &OpensmFiles,
) -> String {
    let parts = [
        head(subnet, routing, options, made),
        list(made),
        plugin(made),
        load(options, made),
        standby(options, made),
        verify(options, made),
        back(),
        limits(subnet, options, made),
    ];
    parts.concat()
}

fn head(
    subnet: &Subnet<'_>,
    routing: &Routing,
    options: &OpensmOptions<'_>,
    made: &OpensmFiles,
) -> String {
    let fabric = subnet.fabric;
    let given: Vec<String> = routing
        .parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let lids = 1_u16 << made.lmc;
    format!(
        "# Routes of {} for OpenSM\n\n\
         Routing `{}` ({}): {} switches, {} hosts, {lids} LID{} a host, {} service level{}.\n\n\
         {}\n",
        fabric.name(),
        routing.algorithm,
        given.join(", "),
        fabric.switch_count(),
        fabric.host_count(),
        plural(lids.into()),
        made.level_count,
        plural(made.level_count.into()),
        options.verdict
    )
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn list(made: &OpensmFiles) -> String {
    let what = |name: &str| match name {
        LFTS => {
            "forwarding tables; every line has the GUID of its port, so that they hold whatever LIDs are given out"
        }
        CONF => "lines for your `opensm.conf`",
        POLICY => "the service level of each pair of ports",
        LANES => {
            "the service level of each pair of ports, and its lane by the ports of each switch"
        }
        GUID2LID => "the LIDs of these tables, for those who want to keep them",
        LST => "the subnet as `opensm-subnet.lst`",
        FDBS => "the tables as `opensm.fdbs`",
        MCFDBS => "no multicast tables: OpenSM makes them itself",
        PATH_SL => "the service level of each pair, for checking offline",
        SL2VL => "the lanes of the service levels, for checking offline",
        PATHS => "which LIDs of each destination a source sends to, and the service level",
        _ => "",
    };
    let rows = made
        .files
        .iter()
        .map(|(name, _)| format!("| `{name}` | {} |\n", what(name)));
    format!(
        "\n| file | what it is |\n|---|---|\n{}",
        rows.collect::<String>()
    )
}

fn plugin(made: &OpensmFiles) -> String {
    if made.engine == OpensmEngine::File {
        return String::new();
    }
    "\n## The plugin\n\n\
     The engine `weft` is a plugin, as OpenSM's own cannot tell switches the lanes of a service level \
     port by port. It runs inside OpenSM 3.3.23 or later and is built for one version of it, where that \
     runs (`opensm --version`) and its headers are (Debian's `libopensm-dev`, `libibumad-dev`, a C \
     compiler), from the sources of Weft:\n\n\
     ```shell\nmake opensm-plugin                              # leaves opensm-plugin/libweft.so\n\
     cp opensm-plugin/libweft.so /usr/local/lib && ldconfig\n```\n"
        .to_owned()
}

fn load(options: &OpensmOptions<'_>, made: &OpensmFiles) -> String {
    let folder = options.folder;
    let ports = format!("{} port{}", made.new_lids, plural(made.new_lids));
    let lids = match (made.new_lids, made.lmc) {
        (0, _) => "The LIDs are those of the fabric as it was discovered; nothing has to be done \
                      for them.\n"
            .to_owned(),
        (_, 0) => format!(
            "{ports} without a LID, or with one that another has, got one here; all others keep theirs. \
             OpenSM may keep the LIDs it has given out. To have those of the tables instead, stop it \
             and copy `{GUID2LID}` into its cache folder (`/var/cache/opensm`, or \
             `$OSM_CACHE_DIR`).\n"
        ),
        (_, lmc) => format!(
            "Every host gets {} LIDs, {ports} another than before, so that jobs running there lose their connections. \
             Stop OpenSM and copy `{GUID2LID}` into its cache folder (`/var/cache/opensm`, or \
             `$OSM_CACHE_DIR`) before the next start.\n",
            1 << lmc
        ),
    };
    format!(
        "\n## Load\n\n\
         1. Keep `/etc/opensm/opensm.conf` and the tables of today: `dump_fts > before.lfts`.\n\
         2. Put this folder where OpenSM runs, as `{folder}` (the paths in `{CONF}` say so).\n\
         3. Put the lines of `{CONF}` into `/etc/opensm/opensm.conf`, in place of those of the same \
         names.\n\
         4. Start OpenSM anew. From then on changed files are loaded by `kill -HUP` of its process; \
         after an export with other options (more lanes), the lines of `{CONF}` first. Where \
         `routing_engine`, `event_plugin_name` or `lmc` of the new lines differ from those that OpenSM was \
         started with, it has to be started anew: by `kill -HUP` it goes on with the old ones. They are \
         `{engine}` and {lmc} now.\n\n{lids}",
        engine = made.engine.name(),
        lmc = made.lmc,
    )
}

/// What the managers need that take over when the one in charge ends.
fn standby(options: &OpensmOptions<'_>, made: &OpensmFiles) -> String {
    let folder = options.folder;
    let mut needed = vec![
        format!("this folder as `{folder}`, and the lines of `{CONF}` in its own `opensm.conf`"),
        "a start of its own after that: it reads the engine and the LMC when it starts".to_owned(),
    ];
    if made.engine == OpensmEngine::Weft {
        needed.push("`libweft.so`, built with the headers of its own OpenSM".to_owned());
    }
    if made.new_lids > 0 {
        needed.push(format!(
            "`{GUID2LID}` in its cache folder, if you copied it: else it may give out other LIDs"
        ));
    }
    let items = needed.iter().map(|need| format!("- {need}\n"));
    format!(
        "\n## Standby managers\n\n\
         When the subnet manager in charge ends, one that stands by takes over and routes by its own \
         options, whatever these files say. `sminfo` names the one in charge; others run on hosts with \
         OpenSM and inside managed switches. Each that may take over needs\n\n{}\n\
         and every later export too. One that cannot have them, as those inside switches, has to be \
         turned off or to be of lower priority (`sm_priority`) than all that have.\n",
        items.collect::<String>()
    )
}

fn verify(options: &OpensmOptions<'_>, made: &OpensmFiles) -> String {
    let fabric = options.fabric_file;
    let has_levels = made.level_count > 1 || made.lane_count > 1;
    let when = |is_so: bool, text: String| if is_so { text } else { String::new() };
    let chosen = when(made.lmc > 0, format!(" -l {}", made.lmc));
    let levels = when(has_levels, format!(" -c {PATH_SL} -d {SL2VL}"));
    let mut told = when(
        made.needs_chosen_lids || has_levels,
        format!(" --service-levels {PATHS}"),
    );
    let mut asked = when(
        has_levels,
        "\nThe service level of a pair, which applications must ask for (path records) and obey:\n\n\
         ```shell\nsaquery -p --src-to-dst 3:21     # LIDs of source and destination\n```\n"
            .to_owned(),
    );
    if made.engine == OpensmEngine::Weft && has_levels {
        told = format!("{told} --sl2vl {SL2VL}");
        asked.push_str(
            "\nThe lanes at a switch, a row per input and output port, as the switch has them:\n\n\
             ```shell\nsmpquery sl2vl 1     # LID of the switch\n```\n",
        );
    }
    format!(
        "\n## Verify\n\n\
         Before, by a program that is not ours (read its last lines, not its exit status):\n\n\
         ```shell\nibdmchk{chosen} -s {LST} -f {FDBS} -m {MCFDBS}{levels}\n```\n\n\
         After, from the switches themselves:\n\n\
         ```shell\ndump_fts > now.lfts\nweft audit {fabric} now.lfts{told}\n```\n\n\
         (`dump_fts` leaves out the last LID of a subnet where it is a multiple of 64, of which `ibtracert` \
         shows the way. Releases such as 44 of infiniband-diags leave out all entries by ports from 128 on, too: \
         `dump_fts -a` prints them.)\n{asked}"
    )
}

fn back() -> String {
    "\n## Go back\n\n\
     Put the old `opensm.conf` back (and the old `guid2lid`, if you replaced it) and start OpenSM \
     anew: it routes as before.\n"
        .to_owned()
}

fn limits(subnet: &Subnet<'_>, options: &OpensmOptions<'_>, made: &OpensmFiles) -> String {
    let mut limits = vec![
        "OpenSM checks nothing in these files. A switch or host that is not in them is not reached, \
         and nothing is rerouted when a cable fails: discover the fabric, route and export again."
            .to_owned(),
        "Multicast goes by OpenSM's own trees, which these routes and their proof do not cover."
            .to_owned(),
    ];
    if made.level_count > 1 || made.lane_count > 1 {
        limits.push(
            "What uses another service level than it is told leaves its lane; then the proof does \
             not hold."
                .to_owned(),
        );
        limits.push(format!(
            "Switches and adapters need {} lanes (`VLCap`); `smpquery portinfo` tells.",
            made.lane_count
        ));
    }
    if made.needs_chosen_lids {
        limits.push(format!(
            "A host has several LIDs, and each source has its own of them to send to, as `{PATHS}` \
             says: by these the routes are those that were planned. {}",
            if options.holds_for_any_lid {
                "What sends to another, as programs that take the first LID or all do, arrives from \
                 everywhere too, by other ways on the same service level, and all ways to all LIDs were \
                 proved together."
            } else {
                "What sends to another goes by ways that were not proved."
            }
        ));
    }
    if made.unordered_switch_pairs > 0 {
        limits.push(format!(
            "{} pairs of switches, or of a switch without hosts and a LID of a host, have no way for \
             management packets (counters, traps) that ascends a proved order of the channels; theirs \
             are on service level 0.",
            made.unordered_switch_pairs
        ));
    }
    if !made.unfit_for_managers.is_empty() {
        let hosts = &made.unfit_for_managers;
        let names = hosts.iter().take(MOST_NAMED);
        let names: Vec<String> = names
            .map(|&host| format!("`{}`", subnet.fabric.host(host).name))
            .collect();
        let more = match hosts.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        limits.push(format!(
            "Run no subnet manager, and nothing that reads counters of switches, on {}{more}: some switches without \
             hosts have no entry for {}, as what they sent there could wait in a circle with the routes.",
            names.join(", "),
            if hosts.len() == 1 { "it" } else { "them" },
        ));
    }
    let items = limits.iter().map(|limit| format!("- {limit}\n"));
    format!("\n## Mind\n\n{}", items.collect::<String>())
}
