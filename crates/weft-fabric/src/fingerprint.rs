//! A short number that tells fabrics apart, the same on every machine and in every release.

use crate::{Cable, Fabric, Layout, Node, PortKind};

impl Fabric {
    /// A 64-bit hash (FNV-1a) of everything the fabric consists of: name, layout,
    /// switches, hosts and links in their order. Equal fabrics have equal fingerprints.
    ///
    /// LIDs and the GUIDs of adapters and systems are left out: a subnet manager may give other LIDs at
    /// any time, and none tells anything of the wiring that the rest does not.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Hash::new();
        hash.text("weft-fabric 1");
        hash.text(self.name());
        match self.layout() {
            Layout::Unstructured => hash.number(0),
            Layout::Grid { extents } => {
                hash.number(1);
                hash.length(extents.len());
                for &extent in extents {
                    hash.number(extent.into());
                }
            }
        }
        hash.length(self.switch_count());
        for switch in self.switch_ids().map(|id| self.switch(id)) {
            hash.text(&switch.name);
            hash.number(switch.port_count.into());
            hash.optional(switch.guid);
        }
        hash.length(self.host_count());
        for host in self.host_ids().map(|id| self.host(id)) {
            hash.text(&host.name);
            hash.optional(host.guid);
        }
        hash.length(self.link_count());
        for link in self.link_ids().map(|id| self.link(id)) {
            for end in link.ends {
                let (kind, number) = match end.node {
                    Node::Switch(id) => (0, id.number()),
                    Node::Host(id) => (1, id.number()),
                };
                hash.number(kind);
                hash.number(number.into());
                hash.number(end.port.number().into());
            }
            match link.cable.rate {
                None => hash.text(""),
                Some(rate) => hash.text(&rate.to_string()),
            }
        }
        // Links of which more is known come at the end, so that the others count as they always did.
        for id in self.link_ids() {
            let Cable {
                length, port_kind, ..
            } = self.link(id).cable;
            if length.is_some() || port_kind.is_some() {
                hash.number(id.number().into());
                hash.optional(length.map(|length| length.millimetres().into()));
                hash.text(port_kind.map_or("", PortKind::name));
            }
        }
        for id in self.host_ids() {
            if let Some(reason) = self.host(id).service {
                hash.number(id.number().into());
                hash.text(reason.name());
            }
        }
        hash.0
    }
}

/// FNV-1a over a serialisation in which every part's length is plain, so that no two fabrics
/// serialise alike.
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    /// Source: Fowler, Noll, Vo; constants of the 64-bit variant.
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn length(&mut self, length: usize) {
        self.number(length as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes(text.as_bytes());
    }

    fn optional(&mut self, number: Option<u64>) {
        self.number(u64::from(number.is_some()));
        self.number(number.unwrap_or(0));
    }
}
