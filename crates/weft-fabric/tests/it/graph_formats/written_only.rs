//! Graphviz and Slurm: what is written, to the letter.

use crate::any_fabric::any_fabric;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::formats::{FormatName, WriteError, write};
use weft_fabric::generate::{k_ary_n_tree, mesh, rhinet_tree, torus};
use weft_fabric::{Fabric, FabricBuilder, Host, PortNumber, ServiceReason, Switch};
use weft_testing::refusals;

fn conf(fabric: &Fabric) -> String {
    write(fabric, FormatName::SlurmConf).unwrap()
}

/// Leaves of these names with hosts of these names, under as many spines as asked for.
fn leaves_and_spines(leaves: &[(&str, &[&str])], spines: usize) -> Fabric {
    let mut builder = FabricBuilder::new("cluster");
    let mut switches = Vec::new();
    for (name, hosts) in leaves {
        let switch = builder.add_switch(Switch::new(*name, 40)).unwrap();
        for (port, host) in (1..).zip(*hosts) {
            let host = builder.add_host(Host::new(*host)).unwrap();
            builder
                .attach_host(host, switch, PortNumber::new(port))
                .unwrap();
        }
        switches.push(switch);
    }
    for spine in 0..spines {
        let name = format!("spine{spine}");
        let spine_id = builder.add_switch(Switch::new(name, 40)).unwrap();
        for (port, &leaf) in (1..).zip(&switches) {
            let end = |switch, port| weft_fabric::Node::Switch(switch).at(port);
            let up = 21 + u8::try_from(spine).unwrap();
            builder
                .add_link(end(leaf, up), end(spine_id, port), None)
                .unwrap();
        }
    }
    builder.build().unwrap()
}

#[test]
fn spines_become_one_switch_above_the_leaves() {
    let leaves: &[(&str, &[&str])] = &[
        ("leaf1", &["node01 HCA-1", "node02 HCA-1", "node03 HCA-1"]),
        ("leaf2", &["node04 HCA-1", "node09 HCA-1", "login"]),
    ];
    assert_eq!(
        conf(&leaves_and_spines(leaves, 3)),
        "# For TopologyPlugin=topology/tree of slurm.conf.\n\
         # level1 stands for spine0, spine1, spine2.\n\
         SwitchName=leaf1 Nodes=node[01-03]\n\
         SwitchName=leaf2 Nodes=node[04,09],login\n\
         SwitchName=level1 Switches=leaf[1-2]\n"
    );
    assert!(
        conf(&leaves_and_spines(leaves, 1)).ends_with("SwitchName=spine0 Switches=leaf[1-2]\n")
    );
}

#[test]
fn pods_of_a_three_level_tree_stay_apart() {
    // Two pods of two leaves each, joined at the top: 2-ary 3-tree.
    assert_eq!(
        conf(&k_ary_n_tree(2, 3).unwrap()),
        "# For TopologyPlugin=topology/tree of slurm.conf.\n\
         # level1-0 stands for sw4, sw5.\n\
         # level1-1 stands for sw6, sw7.\n\
         # level2 stands for sw8, sw9, sw10, sw11.\n\
         SwitchName=sw0 Nodes=host[0-1]\n\
         SwitchName=sw1 Nodes=host[2-3]\n\
         SwitchName=sw2 Nodes=host[4-5]\n\
         SwitchName=sw3 Nodes=host[6-7]\n\
         SwitchName=level1-0 Switches=sw[0-1]\n\
         SwitchName=level1-1 Switches=sw[2-3]\n\
         SwitchName=level2 Switches=level1-[0-1]\n"
    );
}

#[test]
fn what_is_no_tree_is_explained() {
    assert_eq!(
        conf(&torus(3, 1, 2).unwrap()),
        "# For TopologyPlugin=topology/tree of slurm.conf.\n\
         # The fabric is no tree: sw0 and sw1 both have nodes and are joined. Slurm is told which \
         nodes share a switch, and nothing of distances between switches.\n\
         SwitchName=sw0 Nodes=host[0-1]\n\
         SwitchName=sw1 Nodes=host[2-3]\n\
         SwitchName=sw2 Nodes=host[4-5]\n\
         SwitchName=level1 Switches=sw[0-2]\n"
    );
}

#[test]
fn names_of_a_real_cluster_become_names_of_slurm() {
    let leaves: &[(&str, &[&str])] = &[
        (
            "MF0;leaf:MQM8700/U1",
            &[
                "n1 HCA-1",
                "n1 HCA-2",
                "Mellanox Technologies Aggregation Node",
            ],
        ),
        ("MF0 leaf - MQM8700 U1", &["n2 HCA-1"]),
        ("third", &["n1 HCA-3", "n1 HCA-4", "n3"]),
    ];
    let fabric = leaves_and_spines(leaves, 0);
    let is_inside = |id| fabric.host(id).name.contains("Aggregation");
    let reasons = fabric
        .host_ids()
        .map(|id| is_inside(id).then_some(ServiceReason::InsideSwitch));
    let reasons = reasons.collect();
    assert_eq!(
        conf(&fabric.clone().with_service(reasons)),
        "# For TopologyPlugin=topology/tree of slurm.conf.\n\
         # 1 service ends (adapters inside switches and the like) are no nodes and left out.\n\
         # Nodes with adapters at several switches stand under the first: n1.\n\
         # The fabric is in 3 parts, under MF0-leaf-MQM8700-U1, MF0-leaf-MQM8700-U1-2, third; no \
         job spans them.\n\
         SwitchName=MF0-leaf-MQM8700-U1 Nodes=n1  # MF0;leaf:MQM8700/U1\n\
         SwitchName=MF0-leaf-MQM8700-U1-2 Nodes=n2  # MF0 leaf - MQM8700 U1\n\
         SwitchName=third Nodes=n3\n"
    );
}

#[test]
fn what_slurm_cannot_take_is_refused() {
    let refusal = |leaves: &[(&str, &[&str])], format| write(&leaves_and_spines(leaves, 1), format);
    refusals! {
        refusal(&[("leaf", &["node[1]"])], FormatName::SlurmConf) =>
            "Slurm topology.conf cannot hold the node name “node[1]”: Slurm's names have letters, \
             digits, dots, hyphens and underscores only; name the host as Slurm does";
    }
    // Adapters that nobody named bear the name of their kind.
    let unnamed: Vec<String> = (0..17).map(|n| format!("MT25408 ConnectX 0x{n}")).collect();
    let unnamed: Vec<&str> = unnamed.iter().map(String::as_str).collect();
    refusals! {
        refusal(&[("leaf", &unnamed)], FormatName::SlurmConf) =>
            "Slurm topology.conf cannot hold 17 hosts whose names start with “MT25408”: a node is \
             called by the first word of its adapters' names, and these seem to bear the adapter's \
             own; give them the nodes' names, as rdma-ndd does, and discover the fabric again";
        refusal(&[("leaf", &[])], FormatName::SlurmYaml) =>
            "Slurm topology.yaml cannot hold a fabric without hosts: Slurm places jobs on nodes, \
             and there is none";
    }
}

#[test]
fn the_yaml_has_a_tree_and_blocks() {
    let leaves: &[(&str, &[&str])] = &[("leaf1", &["n1", "n2", "n3"]), ("leaf2", &["n4", "n5"])];
    assert_eq!(
        write(&leaves_and_spines(leaves, 2), FormatName::SlurmYaml).unwrap(),
        "# For Slurm 25.05 and later; a partition takes one by Topology=tree or Topology=block.
# level1 stands for spine0, spine1.
- topology: tree
  cluster_default: true
  tree:
    switches:
    - switch: \"leaf1\"
      nodes: \"n[1-3]\"
    - switch: \"leaf2\"
      nodes: \"n[4-5]\"
    - switch: \"level1\"
      children: \"leaf[1-2]\"
- topology: block
  cluster_default: false
  block:
    block_sizes:
      - 2
    blocks:
    - block: \"leaf1\"
      nodes: \"n[1-3]\"
    - block: \"leaf2\"
      nodes: \"n[4-5]\"
"
    );
}

#[test]
fn a_tree_is_drawn_in_rows() {
    assert_eq!(
        write(&rhinet_tree(1, 2, 1, 1).unwrap(), FormatName::Dot).unwrap(),
        "graph \"rhinet-tree-1-2-1\" {
  layout=dot;
  node [shape=ellipse];
  subgraph level_1 {
    rank=same;
    s2 [shape=box, label=\"sw2\"];
  }
  subgraph level_0 {
    rank=same;
    s0 [shape=box, label=\"sw0\"];
    s1 [shape=box, label=\"sw1\"];
  }
  h0 [label=\"host0\"];
  h1 [label=\"host1\"];
  s0 -- h0 [taillabel=1, headlabel=1];
  s1 -- h1 [taillabel=1, headlabel=1];
  s2 -- s0 [taillabel=1, headlabel=2];
  s2 -- s1 [taillabel=2, headlabel=2];
}
"
    );
    let flat = write(&mesh(2, 1, 1).unwrap(), FormatName::Dot).unwrap();
    assert!(flat.contains("layout=sfdp;"));
}

#[test]
fn labels_are_quoted() {
    let fabric = leaves_and_spines(&[("a\"b\\N&amp;\n", &["é <x>"])], 0);
    let text = write(&fabric, FormatName::Dot).unwrap();
    assert!(text.contains(r#"label="a\"b\\N&amp;amp;\n""#), "{text}");
    assert!(text.contains("label=\"é <x>\""), "{text}");
}

/// Names of a hostlist, as Slurm expands them.
fn expanded(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let (stem, after) = rest.split_at(end);
        if let Some(inside) = after.strip_prefix('[') {
            let (ranges, after) = inside.split_once(']').unwrap();
            for range in ranges.split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let (from, to): (u64, u64) = (first.parse().unwrap(), last.parse().unwrap());
                names
                    .extend((from..=to).map(|n| format!("{stem}{n:0width$}", width = first.len())));
            }
            rest = after;
        } else {
            names.push(stem.to_owned());
            rest = after;
        }
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    names
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every node under one leaf, every switch under at most one other that comes later, and a
    /// node's leaf is the switch its host hangs on.
    #[test]
    fn slurms_file_is_a_hierarchy_of_all_nodes(fabric in any_fabric("[a-c]{0,2}0?")) {
        let text = match write(&fabric, FormatName::SlurmConf) {
            Ok(text) => text,
            Err(WriteError::CannotHold { .. }) => {
                prop_assert_eq!(fabric.host_count(), 0);
                return Ok(());
            }
            Err(other) => panic!("{other}"),
        };
        let mut parents: BTreeMap<String, String> = BTreeMap::new();
        let mut declared: BTreeSet<String> = BTreeSet::new();
        let mut nodes = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, members) = line.strip_prefix("SwitchName=").unwrap().split_once(' ').unwrap();
            prop_assert!(declared.insert(name.to_owned()), "{}", text);
            let (kind, list) = members.split_once('=').unwrap();
            for member in expanded(list) {
                prop_assert!(parents.insert(member.clone(), name.to_owned()).is_none(), "{}", text);
                if kind == "Nodes" {
                    nodes += 1;
                    let host = fabric.host_ids().find(|&id| fabric.host(id).name == member).unwrap();
                    prop_assert_eq!(&fabric.switch(fabric.host_switch(host)).name, name);
                } else {
                    prop_assert!(declared.contains(&member), "{}", text);
                }
            }
        }
        prop_assert_eq!(nodes, fabric.host_count());
        let heads = declared.iter().filter(|name| !parents.contains_key(*name)).count();
        let parts = weft_fabric::metrics::connected_parts(&fabric);
        let with_hosts = |part: &&Vec<weft_fabric::SwitchId>| {
            part.iter().any(|&switch| !fabric.hosts_of(switch).is_empty())
        };
        prop_assert_eq!(heads, parts.iter().filter(with_hosts).count());
    }

    #[test]
    fn any_fabric_is_drawn(fabric in any_fabric(".{0,12}")) {
        let text = write(&fabric, FormatName::Dot).unwrap();
        prop_assert_eq!(text.matches(" -- ").count(), fabric.link_count());
        prop_assert_eq!(text.matches("shape=box").count(), fabric.switch_count());
    }
}
