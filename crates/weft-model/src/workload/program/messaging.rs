//! The messaging layer of the hosts: how messages become packets, and what that costs.

use super::error::ProgramError;
use crate::workload::random::whole;

/// Parameters of the messaging layer in physical units. [`MESSAGING`] says what each is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessagingParameters {
    /// Payload of a packet, at most.
    pub packet_bytes: u32,
    /// Whether packets are acknowledged: 0 no, 1 each, and the next waits for it.
    pub acknowledged: bool,
    /// Payload of an acknowledgement.
    pub acknowledgement_bytes: u32,
    /// From the delivery of a packet to the generation of its acknowledgement.
    pub acknowledge_ns: f64,
    /// From the delivery of an acknowledgement to the generation of the next packet.
    pub next_packet_ns: f64,
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
            acknowledged: false,
            acknowledgement_bytes: 8,
            acknowledge_ns: 0.0,
            next_packet_ns: 0.0,
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
    /// This is the parameter's value.
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
        expected: "0 or 1",
        summary: "Whether every packet is acknowledged by one of its own, and a host sends its \
                  next packet after that.",
        set: |parameters, value| {
            let found = counted(value, 0.0, 1.0);
            if let Some(found) = found {
                parameters.acknowledged = found == 1;
            }
            found.is_some()
        },
        get: |parameters| f64::from(u8::from(parameters.acknowledged)),
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
        "Time from the delivery of a packet to the generation of its acknowledgement."
    ),
    number!(
        next_packet_ns,
        LONGEST_NS,
        "0 ns to 1e12 ns",
        "Time from the delivery of an acknowledgement to the generation of the next packet."
    ),
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
    /// This changes one parameter; false if there is none of that name.
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

    /// This checks all parameters.
    fn check(&self) -> Result<(), ProgramError> {
        let mut copy = *self;
        for parameter in MESSAGING {
            copy.set(parameter.name, parameter.value(self))?;
        }
        Ok(())
    }
}

/// Processor time of a message, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Overhead {
    message: f64,
    byte: f64,
}

impl Overhead {
    fn cycles(self, bytes: u64) -> u64 {
        whole((self.message + self.byte * bytes as f64).round())
    }
}

/// The messaging layer in the hardware's clock.
///
/// A time becomes the nearest whole number of cycles, the time of a message as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Messaging {
    pub(super) packet_bytes: u32,
    pub(super) acknowledged: bool,
    pub(super) acknowledgement_bytes: u32,
    pub(super) acknowledge_cycles: u64,
    pub(super) next_packet_cycles: u64,
    pub(super) eager_bytes: u64,
    pub(super) control_bytes: u32,
    send: Overhead,
    receive: Overhead,
    compute_cycles_per_ns: f64,
}

impl Messaging {
    /// This puts parameters in cycles of a clock.
    ///
    /// # Errors
    /// [`ProgramError::Messaging`] when one is out of range.
    pub fn new(parameters: &MessagingParameters, cycle_ns: f64) -> Result<Self, ProgramError> {
        parameters.check()?;
        let cycles = |ns: f64| whole((ns / cycle_ns).round());
        let overhead = |message: f64, byte: f64| Overhead {
            message: message / cycle_ns,
            byte: byte / cycle_ns,
        };
        Ok(Self {
            packet_bytes: parameters.packet_bytes,
            acknowledged: parameters.acknowledged,
            acknowledgement_bytes: parameters.acknowledgement_bytes,
            acknowledge_cycles: cycles(parameters.acknowledge_ns),
            next_packet_cycles: cycles(parameters.next_packet_ns),
            eager_bytes: parameters.eager_bytes,
            control_bytes: parameters.control_bytes,
            send: overhead(parameters.send_message_ns, parameters.send_byte_ns),
            receive: overhead(parameters.receive_message_ns, parameters.receive_byte_ns),
            compute_cycles_per_ns: parameters.compute_scale / cycle_ns,
        })
    }

    pub(super) fn compute_cycles(&self, ns: f64) -> u64 {
        whole((ns * self.compute_cycles_per_ns).round())
    }

    pub(super) fn send_cycles(&self, bytes: u64) -> u64 {
        self.send.cycles(bytes)
    }

    pub(super) fn receive_cycles(&self, bytes: u64) -> u64 {
        self.receive.cycles(bytes)
    }

    /// The packets a message of this length is split into; an empty one takes one, too.
    pub(super) fn packets(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.packet_bytes)).max(1)
    }

    /// The largest payload of a packet.
    pub(super) fn most_payload_bytes(&self) -> u32 {
        let acknowledgement = if self.acknowledged {
            self.acknowledgement_bytes
        } else {
            0
        };
        // Announcements are messages and split like others.
        self.packet_bytes.max(acknowledgement)
    }
}
