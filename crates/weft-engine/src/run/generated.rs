//! What hosts generate, slice by slice: their streams read a second time, as a simulator takes packets from
//! them only when they are sent.

use crate::statistics::{BatchSeries, Observation};
use weft_fabric::HostId;
use weft_model::workload::{HostStream, Packet, Workload};

struct Reader {
    stream: HostStream,
    /// The first packet not read.
    next: Option<Packet>,
}

/// What is generated in a window.
pub(super) struct Generated<'a> {
    workload: &'a Workload,
    readers: Vec<Reader>,
    slice_cycles: u64,
    /// End of the last slice that was read.
    end_cycle: u64,
    /// Payload bytes generated per cycle.
    pub(super) series: BatchSeries,
}

impl<'a> Generated<'a> {
    /// Of a window that begins at a cycle, in slices of so many.
    pub(super) fn since(
        cycle: u64,
        slice_cycles: u64,
        workload: &'a Workload,
        host_count: usize,
    ) -> Self {
        let reader = |host| {
            let mut stream = workload.stream(HostId::from_index(host));
            let mut next = workload.next_packet(&mut stream);
            while next.is_some_and(|packet| packet.generation_cycle < cycle) {
                next = workload.next_packet(&mut stream);
            }
            Reader { stream, next }
        };
        Self {
            workload,
            readers: (0..host_count).map(reader).collect(),
            slice_cycles,
            end_cycle: cycle,
            series: BatchSeries::default(),
        }
    }

    /// Reads all slices that end by a cycle.
    pub(super) fn read_until(&mut self, cycle: u64) {
        while self.end_cycle + self.slice_cycles <= cycle {
            self.end_cycle += self.slice_cycles;
            let bytes = self.next_slice();
            self.series.push(Observation {
                total: bytes as f64,
                weight: self.slice_cycles as f64,
            });
        }
    }

    /// Payload bytes up to the end of the slice.
    fn next_slice(&mut self) -> u64 {
        let mut bytes = 0;
        for reader in &mut self.readers {
            while let Some(packet) = reader.next
                && packet.generation_cycle < self.end_cycle
            {
                bytes += u64::from(packet.payload_bytes);
                reader.next = self.workload.next_packet(&mut reader.stream);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_model::workload::PacketList;

    #[test]
    fn what_is_generated_counts_in_the_slice_of_its_cycle_from_the_window_on() {
        let packet = |&(source, generation_cycle, payload_bytes): &(usize, u64, u32)| {
            let packet = Packet {
                generation_cycle,
                destination: HostId::from_index(1 - source),
                payload_bytes,
                is_control: false,
                is_urgent: false,
                queue_pair: 0,
            };
            (HostId::from_index(source), packet)
        };
        let packets = [
            (0, 5, 1000),
            (1, 9, 2000),
            (0, 10, 100),
            (1, 19, 200),
            (1, 20, 10),
            (0, 30, 40),
            (0, 40, 9000),
        ];
        let packets: Vec<_> = packets.iter().map(packet).collect();
        let workload = Workload::Listed(PacketList::new(2, &packets).unwrap());
        let mut generated = Generated::since(10, 10, &workload, 2);
        let mut mean_until = |cycle| {
            generated.read_until(cycle);
            generated.series.estimate().mean
        };
        assert!(mean_until(19).is_nan(), "no slice has ended");
        for (cycle, expected) in [(29, 300.0 / 10.0), (30, 310.0 / 20.0), (49, 350.0 / 30.0)] {
            let found = mean_until(cycle);
            assert!((found - expected).abs() < 1e-9, "{cycle}: {found}");
        }
    }
}
