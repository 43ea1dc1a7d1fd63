//! Computers with several ends, rails, and several networks in one file.

use weft_fabric::computers::{Rails, computers};
use weft_fabric::formats::{FormatName, read, write};
use weft_fabric::{
    Cable, Fabric, FabricBuilder, FabricError, Host, LidRange, Node, Switch, SwitchId, narrow,
    subnets,
};

/// A machine whose computers have an adapter a rail.
struct Machine {
    rails: usize,
    racks: usize,
    computers: usize,
    spines: usize,
    /// Whether every rail has spines of its own.
    is_apart: bool,
}

const GB200: Machine = Machine {
    rails: 4,
    racks: 8,
    computers: 18,
    spines: 8,
    is_apart: false,
};

impl Machine {
    /// Names as software gives them: some computers' adapters are called by the driver's numbers.
    fn adapter(rail: usize, computer: usize) -> String {
        let number = [0, 1, 4, 5][rail];
        if computer % 3 == 2 {
            format!("mlx5_{number}")
        } else {
            format!("HCA-{}", number + 1)
        }
    }

    fn leaf(&self, rail: usize, rack: usize) -> SwitchId {
        SwitchId::from_index(rail * self.racks + rack)
    }

    /// Builds it; `place` tells the name and the rail of the end of a computer for a rail, if there is one.
    fn build(
        &self,
        place: impl Fn(usize, usize, usize) -> Option<(String, usize)>,
    ) -> Result<Fabric, FabricError> {
        let mut builder = FabricBuilder::new("machine");
        for rail in 0..self.rails {
            for rack in 0..self.racks {
                let name = format!("LEAF-{:02}-{:02}", rail + 1, rack + 1);
                builder.add_switch(switch(name, 65))?;
            }
        }
        let planes = if self.is_apart { self.rails } else { 1 };
        for plane in 0..planes {
            for spine in 0..self.spines {
                let name = format!("SPINE-{}-{:02}", plane + 1, spine + 1);
                let id = builder.add_switch(switch(name, 129))?;
                for rail in (0..self.rails).filter(|rail| !self.is_apart || *rail == plane) {
                    for rack in 0..self.racks {
                        let below = rail * self.racks + rack + 1;
                        let up = Node::Switch(self.leaf(rail, rack)).at(port(33 + spine));
                        let down = Node::Switch(id).at(port(below));
                        builder.add_link(up, down, Cable::UNKNOWN)?;
                    }
                }
            }
        }
        for rack in 0..self.racks {
            for computer in 0..self.computers {
                for rail in 0..self.rails {
                    let Some((name, at)) = place(rack, computer, rail) else {
                        continue;
                    };
                    let mut end = Host::new(name);
                    let number = (rack * self.computers + computer) * self.rails + rail;
                    end.adapter_guid = Some(0xb859_9f03_0010_0000 + 8 * number as u64);
                    end.guid = end.adapter_guid;
                    let host = builder.add_host(end)?;

                    let leaf = Node::Switch(self.leaf(at, rack)).at(port(computer + 1));
                    builder.add_link(Node::Host(host).at(1), leaf, Cable::UNKNOWN)?;
                }
            }
        }
        builder.build()
    }

    fn whole(&self) -> Result<Fabric, FabricError> {
        self.build(|rack, computer, rail| Some((Self::name(rack, computer, rail), rail)))
    }

    fn name(rack: usize, computer: usize, rail: usize) -> String {
        let adapter = Self::adapter(rail, computer);
        format!("r{:02}-c{:02} {adapter}", rack + 1, computer + 1)
    }
}

/// A port's number.
fn port(number: usize) -> u8 {
    narrow(number, "a switch has fewer than 256 ports")
}

/// A switch whose GUID its name gives.
fn switch(name: String, ports: u8) -> Switch {
    let mark = name
        .bytes()
        .fold(0_u64, |mark, byte| mark * 31 % 0xffff + u64::from(byte));
    let mut switch = Switch::new(name, ports);
    switch.guid = Some(0xb859_9f03_0000_0000 + 16 * mark);
    switch
}

fn rails(fabric: &Fabric) -> Option<Rails> {
    Rails::of(fabric, &computers(fabric))
}

#[test]
fn the_rails_of_a_machine_are_its_switches_by_adapter() {
    let fabric = GB200.whole().expect("machine");
    let all = computers(&fabric);
    assert_eq!(all.len(), 144);
    assert!(all.iter().all(|computer| computer.hosts.len() == 4));
    let found = rails(&fabric).expect("rails");
    assert_eq!(found.rails.len(), 4);
    for (number, rail) in found.rails.iter().enumerate() {
        let leaves: Vec<SwitchId> = (0..8).map(|rack| GB200.leaf(number, rack)).collect();
        assert_eq!(rail.switches, leaves);
        assert_eq!(
            (rail.hosts.len(), rail.unnamed, rail.is_apart),
            (144, 0, false)
        );
        assert_eq!(rail.adapters, [format!("adapter {}", [1, 2, 5, 6][number])]);
    }
    assert_eq!((found.off_rail, found.without_end), (vec![], vec![]));
}

#[test]
fn plugs_on_each_others_rail_are_told_and_missing_ends_too() {
    // Rack 8, computer 1: its last two ends are swapped. Rack 2, computer 6: none on rail 3.
    let fabric = GB200
        .build(|rack, computer, rail| {
            let at = match (rack, computer, rail) {
                (1, 5, 2) => return None,
                (7, 0, 2) => 3,
                (7, 0, 3) => 2,
                _ => rail,
            };
            Some((Machine::name(rack, computer, rail), at))
        })
        .expect("machine");
    let found = rails(&fabric).expect("rails");
    let off: Vec<(&str, usize, usize)> = found
        .off_rail
        .iter()
        .map(|off| (&*fabric.host(off.host).name, off.found, off.expected))
        .collect();
    assert_eq!(off, [("r08-c01 HCA-5", 3, 2), ("r08-c01 HCA-6", 2, 3)]);
    let [without] = &found.without_end[..] else {
        panic!("{:?}", found.without_end);
    };
    assert_eq!((&*without.computer, without.rail), ("r02-c06", 2));
    assert_eq!(without.switch, GB200.leaf(2, 1));
}

#[test]
fn ends_that_nobody_named_are_not_missed() {
    let fabric = GB200
        .build(|rack, computer, rail| {
            let name = match (rack, computer, rail) {
                (1, 5, 2) => "MT4129 ConnectX7 Mellanox Technologies".to_owned(),
                _ => Machine::name(rack, computer, rail),
            };
            Some((name, rail))
        })
        .expect("machine");
    let found = rails(&fabric).expect("rails");
    assert_eq!(found.without_end, []);
    assert_eq!(found.rails[2].unnamed, 1);
    assert_eq!(found.rails[2].hosts.len(), 144);
}

#[test]
fn computers_of_another_kind_are_not_off_their_rail() {
    // Two managers whose first two adapters hang on rails 3 and 4.
    let fabric = GB200
        .build(|rack, computer, rail| {
            let adapter = rail.checked_sub(2);
            match (rack, computer, adapter) {
                (7, 17, Some(adapter)) => Some((format!("ufm-02 mlx5_{adapter}"), rail)),
                (7, 17, None) => None,
                _ => Some((Machine::name(rack, computer, rail), rail)),
            }
        })
        .expect("machine");
    let found = rails(&fabric).expect("rails");
    assert_eq!((found.off_rail, found.without_end), (vec![], vec![]));
}

#[test]
fn several_adapters_on_the_same_switches_make_no_rails() {
    let racks = Machine {
        rails: 2,
        is_apart: false,
        ..GB200
    };
    // Both adapters of a computer on one leaf: the first leaf of its rack.
    let mut builder = FabricBuilder::new("one switch a rack");
    for rack in 0..racks.racks {
        builder
            .add_switch(Switch::new(format!("leaf{rack}"), 64))
            .expect("leaf");
    }
    let spine = builder.add_switch(Switch::new("spine", 64)).expect("spine");
    for rack in 0..racks.racks {
        let leaf = Node::Switch(SwitchId::from_index(rack));
        let down = Node::Switch(spine).at(port(rack + 1));
        builder
            .add_link(leaf.at(64), down, Cable::UNKNOWN)
            .expect("link");
        for end in 0..20 {
            let name = Machine::name(rack, end / 2, end % 2);
            let host = builder.add_host(Host::new(name)).expect("host");
            let place = leaf.at(port(end + 1));
            builder
                .add_link(Node::Host(host).at(1), place, Cable::UNKNOWN)
                .expect("link");
        }
    }
    let fabric = builder.build().expect("fabric");
    assert_eq!(computers(&fabric).len(), 80);
    assert_eq!(rails(&fabric), None);

    // The adapters of every second computer the other way round: two ways out of each, no rails.
    let crossed = racks
        .build(|rack, computer, rail| {
            let at = if computer % 2 == 0 { rail } else { 1 - rail };
            Some((Machine::name(rack, computer, rail), at))
        })
        .expect("machine");
    assert_eq!(rails(&crossed), None);
}

#[test]
fn generated_hosts_are_no_ends_of_computers() {
    let fabric = weft_fabric::generate::mesh(4, 4, 4).expect("mesh");
    assert_eq!(computers(&fabric), []);
}

/// The same fabric with LIDs from 1 in every part, as managers of their own give them, or counted on.
fn with_lids(fabric: Fabric, parts: &[Vec<SwitchId>], is_counted_on: bool) -> Fabric {
    let mut switches = vec![None; fabric.switch_count()];
    let mut hosts = vec![None; fabric.host_count()];
    let mut lid = 0;
    for part in parts {
        lid = if is_counted_on { lid } else { 0 };
        for &switch in part {
            lid += 1;
            switches[switch.index()] = LidRange::new(lid, 0);
            for &host in fabric.hosts_of(switch) {
                lid += 1;
                hosts[host.index()] = LidRange::new(lid, 0);
            }
        }
    }
    fabric.with_lids(switches, hosts)
}

#[test]
fn planes_are_networks_of_their_own_and_rails_of_one_machine() {
    let planes = Machine {
        rails: 2,
        spines: 4,
        is_apart: true,
        ..GB200
    };
    let fabric = planes.whole().expect("machine");
    let found = rails(&fabric).expect("rails");
    assert!(found.rails.iter().all(|rail| rail.is_apart));

    let parts = subnets(&fabric);
    assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [12, 12]);
    let own = with_lids(fabric.clone(), &parts, false);
    assert_eq!(subnets(&own), parts);
    let counted_on = with_lids(fabric, &parts, true);
    assert_eq!(subnets(&counted_on), parts);

    let each = own.into_subnets();
    let [first, second] = &each[..] else {
        panic!("{} subnets", each.len());
    };
    assert_eq!(first.name(), "machine subnet 1");
    for plane in [first, second] {
        assert_eq!((plane.switch_count(), plane.host_count()), (12, 144));
        assert_eq!(plane.link_count(), 144 + 8 * 4);
    }
    assert_eq!(first.switch(SwitchId::new(0)).name, "LEAF-01-01");
    assert_eq!(second.switch(SwitchId::new(0)).name, "LEAF-02-01");
}

#[test]
fn what_is_cut_off_is_no_network_of_its_own() {
    let tree = weft_fabric::generate::xgft(&[4, 4], &[1, 2]).expect("tree");
    let cut: Vec<_> = tree
        .link_ids()
        .filter(|&link| {
            let ends = tree.link(link).ends.map(|end| end.node);
            let of_it = ends.contains(&Node::Switch(SwitchId::new(1)));
            of_it && ends.iter().all(|end| end.switch().is_some())
        })
        .collect();
    assert_eq!(cut.len(), 2);
    let mut builder = FabricBuilder::new("cut");
    for switch in tree.switch_ids() {
        builder
            .add_switch(tree.switch(switch).clone())
            .expect("switch");
    }
    for host in tree.host_ids() {
        builder.add_host(tree.host(host).clone()).expect("host");
    }
    for link in tree.link_ids().filter(|link| !cut.contains(link)) {
        let [a, b] = tree.link(link).ends;
        builder.add_link(a, b, Cable::UNKNOWN).expect("link");
    }
    let fabric = builder.build().expect("fabric");
    assert_eq!(subnets(&fabric).len(), 1);
    assert_eq!(fabric.clone().into_subnets(), [fabric]);
}

#[test]
fn two_dumps_in_one_file_are_two_networks() {
    let planes = Machine {
        rails: 2,
        racks: 2,
        computers: 4,
        spines: 2,
        is_apart: true,
    };
    let whole = planes.whole().expect("machine");
    let parts = subnets(&whole);
    let each = with_lids(whole, &parts, false).into_subnets();
    let dumps: Vec<String> = each
        .iter()
        .map(|plane| write(plane, FormatName::Ibnetdiscover).expect("dump"))
        .collect();
    let file = dumps.concat();
    let found = read(file.as_bytes(), "both.ibnetdiscover")
        .expect("both")
        .fabric;
    let again = found.into_subnets();
    assert_eq!(again.len(), 2);
    for (plane, other) in each.iter().zip(&again) {
        let names = |fabric: &Fabric| -> Vec<String> {
            fabric
                .host_ids()
                .map(|id| fabric.host(id).name.clone())
                .collect()
        };
        assert_eq!(names(plane), names(other));
        assert_eq!(plane.link_count(), other.link_count());
    }
}

/// A dump of a switch with port `port` of two adapters on it.
fn dump_of_port(port: u8) -> String {
    let switch = format!("b8599f030000{port}000");
    let mut text = format!(
        "# Topology file: generated on Mon Nov 23 20:00:00 2026\n#\n\nvendid=0x2c9\ndevid=0xd2f2\n\
         switchguid=0x{switch}({switch})\nSwitch\t4 \"S-{switch}\"\t\t# \"plane {port}\" base port 0 lid 1 lmc 0\n"
    );
    let mut adapters = String::new();
    for number in 1..=2 {
        let (guid, at) = (format!("b8599f030010{number}000"), 10 * number + port);
        let (name, lid) = (format!("c{number} mlx5_0"), 1 + number);
        let end = format!("[{port}]({guid}{at:x})");
        text += &[
            format!("[{number}]\t\"H-{guid}\"{end}\t\t"),
            format!("# \"{name}\" lid {lid} 4xNDR\n"),
        ]
        .concat();
        adapters += &[
            format!("\nvendid=0x2c9\ndevid=0x1021\ncaguid=0x{guid}\n"),
            format!("Ca\t2 \"H-{guid}\"\t\t# \"{name}\"\n{end} \t\"S-{switch}\"[{number}]"),
            format!("\t\t# lid {lid} lmc 0 \"plane {port}\" lid 1 4xNDR\n"),
        ]
        .concat();
    }
    text + &adapters
}

#[test]
fn an_adapter_with_a_port_in_each_network_is_one_adapter() {
    let file = dump_of_port(1) + &dump_of_port(2);
    let found = read(file.as_bytes(), "ports.ibnetdiscover").expect("both");
    let names = |fabric: &Fabric| -> Vec<String> {
        fabric
            .host_ids()
            .map(|id| fabric.host(id).name.clone())
            .collect()
    };
    let expected = [
        "c1 mlx5_0 port 1",
        "c1 mlx5_0 port 2",
        "c2 mlx5_0 port 1",
        "c2 mlx5_0 port 2",
    ];
    assert_eq!(names(&found.fabric), expected);
    assert_eq!(computers(&found.fabric).len(), 2);
    let rails = rails(&found.fabric).expect("rails");
    assert_eq!(rails.rails[1].adapters, ["adapter 1 port 2"]);
    let each = found.fabric.into_subnets();
    assert_eq!(
        each.iter().map(names).collect::<Vec<_>>(),
        [
            vec!["c1 mlx5_0 port 1", "c2 mlx5_0 port 1"],
            vec!["c1 mlx5_0 port 2", "c2 mlx5_0 port 2"],
        ]
    );
}

/// Of two rails a computer that lost one has a single end; a node to log in by has no more, and a name of its own.
#[test]
fn of_two_rails_the_one_that_a_computer_has_no_end_on_is_told() {
    let planes = Machine {
        rails: 2,
        racks: 4,
        spines: 4,
        is_apart: true,
        ..GB200
    };
    let fabric = planes
        .build(|rack, computer, rail| match (rack, computer, rail) {
            (1, 5, 1) | (2, 0, 1) => None,
            (2, 0, 0) => Some(("login-01 HCA-1".to_owned(), rail)),
            _ => Some((Machine::name(rack, computer, rail), rail)),
        })
        .expect("machine");
    let found = rails(&fabric).expect("rails");
    assert!(found.rails.iter().all(|rail| rail.is_apart));
    let [without] = &found.without_end[..] else {
        panic!("{:?}", found.without_end);
    };
    assert_eq!((&*without.computer, without.rail), ("r02-c06", 1));
    assert_eq!(without.switch, planes.leaf(1, 1));
}
