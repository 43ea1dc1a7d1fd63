//! The parameters of the messaging layer, by name and in physical units.

use weft_registry::{Field, Kind, RegistryError, field, words};

/// Whether packets are acknowledged by packets of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acknowledged {
    /// They are not.
    #[default]
    No,
    /// Each is, and the host's next waits for it: ack-wait.
    Waited,
    /// Each is, and none waits: no-ack-wait.
    Unwaited,
}

words!(Acknowledged {
    No = "0",
    Waited = "1",
    Unwaited = "2",
});

/// Parameters of the messaging layer in physical units. [`MESSAGING`] says what each is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessagingParameters {
    /// Payload of a packet, at most.
    pub packet_bytes: u32,
    /// Whether packets are acknowledged, and whether the next waits for that.
    pub acknowledged: Acknowledged,
    /// Payload of an acknowledgement.
    pub acknowledgement_bytes: u32,
    /// From the storing of a packet to the generation of its acknowledgement.
    pub acknowledge_ns: f64,
    /// From the delivery of an acknowledgement to the generation of the next packet.
    pub next_packet_ns: f64,
    /// Whether a send is over when its last packet is acknowledged, not with its overhead.
    pub blocking: bool,
    /// Messages up to this length are written to the NIC by the processor.
    pub pio_bytes: u64,
    /// Preparing of a packet that the NIC fetches from memory.
    pub push_packet_ns: f64,
    /// Rate of the bus between memory and NIC; 0 for none.
    pub bus_gbit_per_s: f64,
    /// Messages up to this length are sent at once.
    pub eager_bytes: u64,
    /// Payload of the packets that announce a longer message and call for it.
    pub control_bytes: u32,
    /// Processor time of a message at its sender.
    pub send_message_ns: f64,
    /// Processor time of a byte at its sender.
    pub send_byte_ns: f64,
    /// Processor time of a message at its receiver.
    pub receive_message_ns: f64,
    /// Processor time of a byte at its receiver.
    pub receive_byte_ns: f64,
    /// Factor of all times of computing.
    pub compute_scale: f64,
}

/// The longest time of one overhead, 1,000 s: beyond, a unit was mistaken.
const OVERHEAD: Kind = Kind::number(0.0, 1e12);

/// The longest packet.
const LONGEST_PACKET: u64 = 1 << 20;

/// The longest message that can be asked for is a number that `f64` holds exactly.
const MESSAGE: Kind = Kind::count(0, 1_000_000_000_000_000);

/// What the parameters belong to, in errors.
const OWNER: &str = "the messaging layer";

/// All parameters of the messaging layer.
pub const MESSAGING: &[Field<MessagingParameters>] = &[
    field!(
        packet_bytes,
        Kind::count(1, LONGEST_PACKET),
        "bytes",
        "1024",
        "Payload of a packet; a longer message is split.",
        ""
    ),
    field!(
        acknowledged,
        Kind::Choice(&Acknowledged::NAMES),
        "",
        "0",
        "Whether every packet is acknowledged by one of its own: 0 no; 1 yes, and a host \
                  sends its next packet after that (ack-wait); 2 yes, and none waits \
                  (no-ack-wait).",
        ""
    ),
    field!(
        acknowledgement_bytes,
        Kind::count(0, LONGEST_PACKET),
        "bytes",
        "8",
        "Payload of an acknowledgement.",
        ""
    ),
    field!(
        acknowledge_ns,
        OVERHEAD,
        "ns",
        "0",
        "Time from the storing of a packet to the generation of its acknowledgement.",
        ""
    ),
    field!(
        next_packet_ns,
        OVERHEAD,
        "ns",
        "0",
        "With ack-wait: time from the delivery of an acknowledgement to the taking of the next \
         packet.",
        ""
    ),
    field!(
        blocking,
        Kind::Choice(&["0", "1"]),
        "",
        "0",
        "Whether a send is over when its last packet is acknowledged (1), not with its \
                  overhead (0).",
        ""
    ),
    field!(
        pio_bytes,
        MESSAGE,
        "bytes",
        "1000000000000000",
        "Length up to which the processor writes a message to the NIC (PIO), as part of the \
         overhead of sending; packets of a longer one are fetched from memory (PUSH).",
        ""
    ),
    field!(
        push_packet_ns,
        OVERHEAD,
        "ns",
        "0",
        "PUSH: time from the taking of a packet until it may cross the bus, for setting up the \
         DMA and translating addresses.",
        ""
    ),
    field!(
        bus_gbit_per_s,
        Kind::Or("0", &Kind::number(0.001, 1e6)),
        "Gbit/s",
        "0",
        "Rate of the bus between a host's memory and its NIC, shared by both \
                  directions; 0: packets cross in no time.",
        ""
    ),
    field!(
        eager_bytes,
        MESSAGE,
        "bytes",
        "65536",
        "Length up to which a message is sent at once; a longer one is announced, and sent when \
         its receive is there.",
        ""
    ),
    field!(
        control_bytes,
        Kind::count(0, LONGEST_PACKET),
        "bytes",
        "32",
        "Payload of the packets that announce a longer message and that call for it.",
        ""
    ),
    field!(
        send_message_ns,
        OVERHEAD,
        "ns",
        "0",
        "Processor time of a message at its sender.",
        ""
    ),
    field!(
        send_byte_ns,
        OVERHEAD,
        "ns",
        "0",
        "Processor time of each byte of a message at its sender.",
        ""
    ),
    field!(
        receive_message_ns,
        OVERHEAD,
        "ns",
        "0",
        "Processor time of a message at its receiver.",
        ""
    ),
    field!(
        receive_byte_ns,
        OVERHEAD,
        "ns",
        "0",
        "Processor time of each byte of a message at its receiver.",
        ""
    ),
    field!(
        compute_scale,
        Kind::number(0.0, 1e4),
        "",
        "1",
        "Factor of all times of computing; 0 leaves them out.",
        ""
    ),
];

impl Default for MessagingParameters {
    fn default() -> Self {
        Self::of_preset(std::iter::empty())
    }
}

impl MessagingParameters {
    /// Has no parameter set yet.
    const BLANK: Self = Self {
        packet_bytes: 0,
        acknowledged: Acknowledged::No,
        acknowledgement_bytes: 0,
        acknowledge_ns: 0.0,
        next_packet_ns: 0.0,
        blocking: false,
        pio_bytes: 0,
        push_packet_ns: 0.0,
        bus_gbit_per_s: 0.0,
        eager_bytes: 0,
        control_bytes: 0,
        send_message_ns: 0.0,
        send_byte_ns: 0.0,
        receive_message_ns: 0.0,
        receive_byte_ns: 0.0,
        compute_scale: 0.0,
    };

    /// The defaults, but for what a preset says: values by name.
    pub(crate) fn of_preset<'a>(changes: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut parameters = Self::BLANK;
        let defaults = MESSAGING
            .iter()
            .map(|field| (field.spec.name, field.spec.default));
        let defaults = defaults.filter_map(|(name, text)| Some((name, text?)));
        for (name, text) in defaults.chain(changes) {
            let set = parameters.set(name, text);
            // Invariant: defaults and constants of presets are values of parameters there are.
            set.unwrap_or_else(|error| unreachable!("{error}"));
        }
        parameters
    }

    /// Changes one parameter.
    ///
    /// # Errors
    /// [`RegistryError`]: there is none of that name, or the value is out of range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), RegistryError> {
        let names = || MESSAGING.iter().map(|field| field.spec.name);
        let field = MESSAGING.iter().find(|field| field.spec.name == name);
        let field = field.ok_or_else(|| RegistryError::unknown_parameter(OWNER, name, names()))?;
        field.read(OWNER, self, text)
    }

    /// Checks all parameters.
    pub(super) fn check(&self) -> Result<(), RegistryError> {
        MESSAGING
            .iter()
            .try_for_each(|field| field.check(OWNER, self))
    }
}
