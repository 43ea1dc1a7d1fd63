//! The parameters of the messaging layer, by name and in physical units.

use super::error::ProgramError;

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

impl Acknowledged {
    const ALL: [Self; 3] = [Self::No, Self::Waited, Self::Unwaited];
}

/// The longest message that can be asked for, as a number that `f64` holds exactly.
const MOST_BYTES: u64 = 1_000_000_000_000_000;

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

impl Default for MessagingParameters {
    fn default() -> Self {
        Self {
            packet_bytes: 1024,
            acknowledged: Acknowledged::No,
            acknowledgement_bytes: 8,
            acknowledge_ns: 0.0,
            next_packet_ns: 0.0,
            blocking: false,
            pio_bytes: MOST_BYTES,
            push_packet_ns: 0.0,
            bus_gbit_per_s: 0.0,
            eager_bytes: 65_536,
            control_bytes: 32,
            send_message_ns: 0.0,
            send_byte_ns: 0.0,
            receive_message_ns: 0.0,
            receive_byte_ns: 0.0,
            compute_scale: 1.0,
        }
    }
}

/// A parameter of the messaging layer.
#[derive(Clone, Copy, Debug)]
pub struct MessagingParameter {
    /// Its name.
    pub name: &'static str,
    /// What values it may have.
    pub expected: &'static str,
    /// What it decides, in one sentence.
    pub summary: &'static str,
    set: fn(&mut MessagingParameters, f64) -> bool,
    get: fn(&MessagingParameters) -> f64,
}

impl MessagingParameter {
    /// The parameter's value.
    pub fn value(&self, parameters: &MessagingParameters) -> f64 {
        (self.get)(parameters)
    }
}

/// A whole number from `least` to `most`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, and within the range of the type"
)]
fn counted(value: f64, least: f64, most: f64) -> Option<u64> {
    (value.fract() == 0.0 && (least..=most).contains(&value)).then_some(value as u64)
}

macro_rules! number {
    ($name:ident, $most:expr, $expected:literal, $summary:literal) => {
        MessagingParameter {
            name: stringify!($name),
            expected: $expected,
            summary: $summary,
            set: |parameters, value| {
                let fits = (0.0..=$most).contains(&value);
                if fits {
                    parameters.$name = value;
                }
                fits
            },
            get: |parameters| parameters.$name,
        }
    };
}

macro_rules! bytes {
    ($name:ident, $get:expr, $least:expr, $most:expr, $expected:literal, $summary:literal) => {
        MessagingParameter {
            name: stringify!($name),
            expected: $expected,
            summary: $summary,
            set: |parameters, value| {
                let found = counted(value, $least, $most);
                let found = found.and_then(|found| found.try_into().ok());
                if let Some(found) = found {
                    parameters.$name = found;
                }
                found.is_some()
            },
            get: $get,
        }
    };
}

/// The longest time of one overhead, 1,000 s: beyond, a unit was mistaken.
const LONGEST_NS: f64 = 1e12;

/// The longest packet.
const LONGEST_PACKET: f64 = 1_048_576.0;

/// All parameters of the messaging layer.
pub const MESSAGING: &[MessagingParameter] = &[
    bytes!(
        packet_bytes,
        |parameters| f64::from(parameters.packet_bytes),
        1.0,
        LONGEST_PACKET,
        "a whole number of bytes, 1 to 1048576",
        "Payload of a packet; a longer message is split."
    ),
    MessagingParameter {
        name: "acknowledged",
        expected: "0, 1 or 2",
        summary: "Whether every packet is acknowledged by one of its own: 0 no; 1 yes, and a host \
                  sends its next packet after that (ack-wait); 2 yes, and none waits \
                  (no-ack-wait).",
        set: |parameters, value| {
            let number = counted(value, 0.0, 2.0).and_then(|number| usize::try_from(number).ok());
            let found = number.and_then(|number| Acknowledged::ALL.get(number).copied());
            parameters.acknowledged = found.unwrap_or(parameters.acknowledged);
            found.is_some()
        },
        get: |parameters| f64::from(parameters.acknowledged as u8),
    },
    bytes!(
        acknowledgement_bytes,
        |parameters| f64::from(parameters.acknowledgement_bytes),
        0.0,
        LONGEST_PACKET,
        "a whole number of bytes, 0 to 1048576",
        "Payload of an acknowledgement."
    ),
    number!(
        acknowledge_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "Time from the storing of a packet to the generation of its acknowledgement."
    ),
    number!(
        next_packet_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "With ack-wait: time from the delivery of an acknowledgement to the taking of the next \
         packet."
    ),
    MessagingParameter {
        name: "blocking",
        expected: "0 or 1",
        summary: "Whether a send is over when its last packet is acknowledged (1), not with its \
                  overhead (0).",
        set: |parameters, value| {
            let found = counted(value, 0.0, 1.0);
            if let Some(found) = found {
                parameters.blocking = found == 1;
            }
            found.is_some()
        },
        get: |parameters| f64::from(u8::from(parameters.blocking)),
    },
    bytes!(
        pio_bytes,
        |parameters| parameters.pio_bytes as f64,
        0.0,
        1e15,
        "a whole number of bytes, 0 to 1e15",
        "Length up to which the processor writes a message to the NIC (PIO), as part of the \
         overhead of sending; packets of a longer one are fetched from memory (PUSH)."
    ),
    number!(
        push_packet_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "PUSH: time from the taking of a packet until it may cross the bus, for setting up the \
         DMA and translating addresses."
    ),
    MessagingParameter {
        name: "bus_gbit_per_s",
        expected: "0, or 0.001 to 1e6 Gbit/s",
        summary: "Rate of the bus between a host's memory and its NIC, shared by both \
                  directions; 0: packets cross in no time.",
        set: |parameters, value| {
            let fits = value == 0.0 || (0.001..=1e6).contains(&value);
            if fits {
                parameters.bus_gbit_per_s = value;
            }
            fits
        },
        get: |parameters| parameters.bus_gbit_per_s,
    },
    bytes!(
        eager_bytes,
        |parameters| parameters.eager_bytes as f64,
        0.0,
        1e15,
        "a whole number of bytes, 0 to 1e15",
        "Length up to which a message is sent at once; a longer one is announced, and sent when \
         its receive is there."
    ),
    bytes!(
        control_bytes,
        |parameters| f64::from(parameters.control_bytes),
        0.0,
        LONGEST_PACKET,
        "a whole number of bytes, 0 to 1048576",
        "Payload of the packets that announce a longer message and that call for it."
    ),
    number!(
        send_message_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "Processor time of a message at its sender."
    ),
    number!(
        send_byte_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "Processor time of each byte of a message at its sender."
    ),
    number!(
        receive_message_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "Processor time of a message at its receiver."
    ),
    number!(
        receive_byte_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "Processor time of each byte of a message at its receiver."
    ),
    number!(
        compute_scale,
        1e4,
        "0 to 1e4",
        "Factor of all times of computing; 0 leaves them out."
    ),
];

impl MessagingParameters {
    /// Changes one parameter; false if there is none of that name.
    ///
    /// # Errors
    /// [`ProgramError::Messaging`] when the value is out of range.
    pub fn set(&mut self, name: &str, value: f64) -> Result<bool, ProgramError> {
        let Some(parameter) = MESSAGING.iter().find(|parameter| parameter.name == name) else {
            return Ok(false);
        };
        if (parameter.set)(self, value) {
            return Ok(true);
        }
        Err(ProgramError::Messaging {
            parameter: parameter.name,
            found: value.to_string(),
            expected: parameter.expected,
        })
    }

    /// Checks all parameters.
    pub(super) fn check(&self) -> Result<(), ProgramError> {
        let mut copy = *self;
        for parameter in MESSAGING {
            copy.set(parameter.name, parameter.value(self))?;
        }
        Ok(())
    }
}
