//! A machine room, written as `ibnetdiscover` would find it.

use super::Draw;
use std::collections::BTreeMap;
use std::fmt::Write;
use weft_fabric::Fabric;
use weft_fabric::formats::read;

/// A switch or an adapter, by its place in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Device(usize);

/// A port of a device.
pub type Plug = (Device, u8);

#[derive(Debug)]
struct Record {
    description: String,
    ports: u8,
    is_switch: bool,
    guid: u64,
    /// That of the switch which an adapter is part of.
    image: u64,
    device: u16,
    lid: u32,
}

/// Devices and cables, and what is found where.
#[derive(Debug)]
pub struct Room {
    name: String,
    records: Vec<Record>,
    cables: BTreeMap<Plug, (Plug, &'static str)>,
    first_lid: u32,
}

impl Room {
    /// An empty one.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            records: Vec::new(),
            cables: BTreeMap::new(),
            first_lid: 1,
        }
    }

    /// LIDs start there.
    pub fn lids_from(&mut self, first: u32) {
        self.first_lid = first;
    }

    fn add(&mut self, description: String, ports: u8, is_switch: bool, device: u16) -> Device {
        let number = self.records.len() as u64;
        let guid = if is_switch {
            0x2c5e_ab03_00b8_0000 + 64 * number
        } else {
            0xe09d_7303_0085_0000 + 4 * number
        };
        let lid = self.first_lid + u32::try_from(number).unwrap();
        self.records.push(Record {
            description,
            ports,
            is_switch,
            guid,
            image: guid,
            device,
            lid,
        });
        Device(self.records.len() - 1)
    }

    /// A switch of so many ports.
    pub fn switch(&mut self, description: String, ports: u8) -> Device {
        self.add(description, ports, true, 0xd2f2)
    }

    /// An adapter with one port.
    pub fn adapter(&mut self, description: String) -> Device {
        self.add(description, 1, false, 0x1021)
    }

    /// An adapter in a port of a switch.
    pub fn host(&mut self, description: String, at: Plug, rate: &'static str) {
        let adapter = self.adapter(description);
        self.cable((adapter, 1), at, rate);
    }

    /// The adapter inside a switch, in its last port.
    pub fn aggregation(&mut self, switch: Device, rate: &'static str) {
        let description = "Mellanox Technologies Aggregation Node".to_owned();
        let adapter = self.add(description, 1, false, 0xcf09);
        self.records[adapter.0].image = self.records[switch.0].image;
        let last = self.records[switch.0].ports;
        self.cable((adapter, 1), (switch, last), rate);
    }

    /// Lays a cable.
    pub fn cable(&mut self, a: Plug, b: Plug, rate: &'static str) {
        for (from, to) in [(a, b), (b, a)] {
            let before = self.cables.insert(from, (to, rate));
            assert_eq!(before, None, "a port takes one cable");
        }
    }

    /// Pulls the cable in a port.
    pub fn pull(&mut self, from: Plug) {
        let (to, _) = self.cables.remove(&from).unwrap();
        self.cables.remove(&to).unwrap();
    }

    /// Gives the cable in a port another rate.
    pub fn slow(&mut self, from: Plug, rate: &'static str) {
        let (to, _) = self.cables[&from];
        for end in [from, to] {
            self.cables.get_mut(&end).unwrap().1 = rate;
        }
    }

    /// The cables between switches, each once, by the lower plug.
    pub fn trunks(&self) -> Vec<[Plug; 2]> {
        let is_switch = |plug: Plug| self.records[plug.0.0].is_switch;
        let all = self.cables.iter().map(|(&from, &(to, _))| [from, to]);
        all.filter(|[a, b]| a < b && is_switch(*a) && is_switch(*b))
            .collect()
    }

    /// The lowest port without a cable.
    pub fn next(&self, device: Device) -> Plug {
        let ports = 1..=self.records[device.0].ports;
        let free = ports.map(|port| (device, port));
        free.into_iter()
            .find(|plug| !self.cables.contains_key(plug))
            .unwrap()
    }

    /// Lays so many cables between the lowest free ports of two devices.
    pub fn join(&mut self, a: Device, b: Device, count: usize, rate: &'static str) {
        for _ in 0..count {
            self.cable(self.next(a), self.next(b), rate);
        }
    }

    /// The cables of hosts, without those inside switches.
    pub fn host_cables(&self) -> Vec<[Plug; 2]> {
        let is_host = |plug: Plug| self.records[plug.0.0].device == 0x1021;
        let all = self.cables.iter().map(|(&from, &(to, _))| [from, to]);
        all.filter(|[a, _]| is_host(*a)).collect()
    }

    /// The switches in the order in which they were added.
    pub fn switches(&self) -> impl Iterator<Item = Device> {
        let all = (0..self.records.len()).map(Device);
        all.filter(|device| self.records[device.0].is_switch)
    }

    /// Both ends of the cable in a port.
    pub fn cable_at(&self, plug: Plug) -> [Plug; 2] {
        [plug, self.cables[&plug].0]
    }

    /// What a device is called.
    pub fn name_of(&self, device: Device) -> &str {
        &self.records[device.0].description
    }

    fn reference(&self, (device, port): Plug) -> String {
        let record = &self.records[device.0];
        if record.is_switch {
            format!("\"S-{:016x}\"[{port}]", record.guid)
        } else {
            format!("\"H-{0:016x}\"[{port}]({0:x}) ", record.guid)
        }
    }

    fn record(&self, device: Device, text: &mut String) {
        let record = &self.records[device.0];
        let Record {
            description,
            ports,
            guid,
            image,
            lid,
            ..
        } = record;
        writeln!(text, "vendid=0x2c9\ndevid=0x{:x}", record.device).unwrap();
        if record.is_switch {
            write!(
                text,
                "sysimgguid=0x{image:x}\nswitchguid=0x{guid:x}({guid:x})\nSwitch\t{ports} \
                 \"S-{guid:016x}\"\t\t# \"{description}\" enhanced port 0 lid {lid} lmc 0\n"
            )
            .unwrap();
        } else {
            write!(
                text,
                "sysimgguid=0x{image:x}\ncaguid=0x{guid:x}\nCa\t{ports} \"H-{guid:016x}\"\t\t# \
                 \"{description}\"\n"
            )
            .unwrap();
        }
        for (&(_, port), &(to, rate)) in self.cables.range((device, 0)..=(device, u8::MAX)) {
            let far = &self.records[to.0.0];
            let to_text = self.reference(to);
            let (far_name, far_lid) = (&far.description, far.lid);
            if record.is_switch {
                writeln!(
                    text,
                    "[{port}]\t{to_text}\t\t# \"{far_name}\" lid {far_lid} {rate}"
                )
                .unwrap();
            } else {
                writeln!(
                    text,
                    "[{port}]({guid:x}) \t{to_text}\t\t# lid {lid} lmc 0 \"{far_name}\" lid \
                     {far_lid} {rate}"
                )
                .unwrap();
            }
        }
        text.push('\n');
    }

    /// The whole dump: switches in a drawn order, then adapters in one.
    fn text(&self, seed: u64) -> String {
        let mut text =
            "#\n# Topology file: generated on Wed Aug  6 16:11:23 2025\n#\n\n".to_owned();
        let mut draw = Draw::new(seed);
        for is_switch in [true, false] {
            let of_kind = |&at: &usize| self.records[at].is_switch == is_switch;
            let mut order: Vec<usize> = (0..self.records.len()).filter(of_kind).collect();
            for at in (1..order.len()).rev() {
                order.swap(at, draw.below(at + 1));
            }
            for at in order {
                self.record(Device(at), &mut text);
            }
        }
        text
    }

    /// What a reader makes of the dump.
    pub fn fabric(&self) -> Fabric {
        self.fabric_in_order(5)
    }

    /// What it makes of the dump with its records in an order so drawn.
    pub fn fabric_in_order(&self, seed: u64) -> Fabric {
        read(self.text(seed).as_bytes(), &self.name).unwrap().fabric
    }
}
