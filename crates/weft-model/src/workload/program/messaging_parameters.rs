//! The parameters of the messaging layer, by name and in physical units.

use weft_registry::{Field, Kind, RegistryError, parameters, words};

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

/// The longest time of one overhead, 1,000 s: beyond, a unit was mistaken.
const OVERHEAD: Kind = Kind::number(0.0, 1e12);

/// The longest packet.
const LONGEST_PACKET: u64 = 1 << 20;

/// The longest message that can be asked for is a number that `f64` holds exactly.
const MESSAGE: Kind = Kind::count(0, 1_000_000_000_000_000);

/// More room than this is room for all.
const MOST_MESSAGES: u64 = 1 << 32;

/// What the parameters belong to, in errors.
const OWNER: &str = "the messaging layer";

parameters! {
    /// Parameters of the messaging layer in physical units.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct MessagingParameters;

    /// All parameters of the messaging layer.
    pub const MESSAGING;

    packet_bytes: u32 = "1024" "bytes", Kind::count(1, LONGEST_PACKET),
        "Payload of a packet; a longer message is split.";
    acknowledged: Acknowledged = "0" "", Kind::Choice(&Acknowledged::NAMES),
        "Whether every packet is acknowledged by one of its own: 0 no; 1 yes, and a host sends its \
         next packet after that (ack-wait); 2 yes, and none waits (no-ack-wait).";
    acknowledgement_bytes: u32 = "8" "bytes", Kind::count(0, LONGEST_PACKET),
        "Payload of an acknowledgement.";
    acknowledge_ns: f64 = "0" "ns", OVERHEAD,
        "Time from the storing of a packet to the generation of its acknowledgement.";
    next_packet_ns: f64 = "0" "ns", OVERHEAD,
        "With ack-wait: time from the delivery of an acknowledgement to the taking of the next \
         packet.";
    blocking: bool = "0" "", Kind::Choice(&["0", "1"]),
        "Whether a send is over when its last packet is acknowledged (1), not with its overhead \
         (0).";
    pio_bytes: u64 = "1000000000000000" "bytes", MESSAGE,
        "Length up to which the processor writes a message to the NIC (PIO), as part of the \
         overhead of sending; packets of a longer one are fetched from memory (PUSH).";
    push_packet_ns: f64 = "0" "ns", OVERHEAD,
        "PUSH: time from the taking of a packet until it may cross the bus, for setting up the DMA \
         and translating addresses.";
    bus_gbit_per_s: f64 = "0" "Gbit/s", Kind::Or("0", &Kind::number(0.001, 1e6)),
        "Rate of the bus between a host's memory and its NIC, shared by both directions; 0: \
         packets cross in no time.";
    eager_bytes: u64 = "65536" "bytes", MESSAGE,
        "Length up to which a message is sent at once; a longer one is announced, and sent when \
         its receive is there.";
    control_bytes: u32 = "32" "bytes", Kind::count(0, LONGEST_PACKET),
        "Payload of the packets that announce a longer message and that call for it.";
    control_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time before a longer message is called for, at its receiver, and before what was \
         called for is sent, at its sender.";
    send_message_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time of a message at its sender.";
    send_byte_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time of each byte of a message at its sender.";
    receive_message_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time of a message at its receiver.";
    receive_byte_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time of each byte of a message at its receiver.";
    send_packet_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time of each packet of a message at its sender, beside that of the message and of its \
         bytes; unless 0, the NIC is handed packet by packet as the processor is done with each.";
    receive_packet_ns: f64 = "0" "ns", OVERHEAD,
        "Processor time of each packet of a message at its receiver, beside that of the message and of its \
         bytes; unless 0, the processor takes packet by packet as each comes.";
    reduce_byte_ns: f64 = "0" "ns", Kind::number(0.0, 1e6),
        "Time of computing that a byte which arrives in a reduction takes to be combined with the own data, \
         in collective operations that reduce; `compute_scale` applies. Not of what a trace tells itself.";
    receive_messages: u64 = "0" "", Kind::count(0, MOST_MESSAGES),
        "Messages a rank has room for that have come and were not taken by its processor: one that finds \
         none is refused by a packet like an acknowledgement, and sent again; 0: any number.";
    resend_ns: f64 = "1000000" "ns", OVERHEAD,
        "Time from the delivery of a refusal until its message is sent again.";
    quantum_bytes: u64 = "0" "bytes", MESSAGE,
        "Queue pairs, one for each host that a host sends to: they take turns, each until it has sent so \
         many bytes in whole packets, 1 for a packet each; 0: a host has one queue for all messages.";
    control_first: bool = "0" "", Kind::Choice(&["0", "1"]),
        "With queue pairs: whether announcements, calls, acknowledgements and messages without bytes go \
         before other packets.";
    inner_ns: f64 = "0" "ns", OVERHEAD,
        "Time from the sending of a message's last byte to its arrival at a rank of the same node, which it \
         reaches through memory or a network inside the node.";
    inner_gbit_per_s: f64 = "0" "Gbit/s", Kind::Or("0", &Kind::number(0.001, 1e6)),
        "Rate at which a rank sends to other ranks of its node, one message after another; 0: in no time.";
    inner_overhead: f64 = "1" "", Kind::number(0.0, 1.0),
        "Processor time of a message between ranks of a node, at each end, as a share of that of one that \
         takes the network.";
    compute_scale: f64 = "1" "", Kind::number(0.0, 1e4),
        "Factor of all times of computing; 0 leaves them out.";
}

impl Default for MessagingParameters {
    fn default() -> Self {
        Self::of_preset(std::iter::empty())
    }
}

impl MessagingParameters {
    /// The defaults, but for what a preset says: values by name.
    pub(crate) fn of_preset<'a>(changes: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut parameters = Self::blank();
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
        Field::check_all(MESSAGING, OWNER, self)
    }
}
