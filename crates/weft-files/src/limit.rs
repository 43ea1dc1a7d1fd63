//! How much may come out of what does not tell it: packed bytes, pipes and devices.

use crate::packing::Packing;
use crate::refused;
use crate::source::Watched;
use std::io::{self, Read};

/// Bytes that anything packed may hold, however short it is.
pub const MOST_UNPACKED_BYTES: u64 = 32 << 20;

/// How many times their length packed bytes may hold beyond [`MOST_UNPACKED_BYTES`]. Traces and
/// dumps of clusters hold 10 to 30 times theirs.
pub const MOST_GROWTH: u64 = 100;

/// Bytes that may come out of a pipe or a device.
pub const MOST_BYTES_WITHOUT_END: u64 = 256 << 20;

const MIB: u64 = 1 << 20;

/// What a decoder gives, as far as it is allowed to; its errors in the words of a user.
pub(crate) struct Growth<R> {
    decoder: R,
    packing: Packing,
    source: Watched,
    given: u64,
}

impl<R: Read> Growth<R> {
    pub(crate) fn new(decoder: R, packing: Packing, source: Watched) -> Self {
        Self {
            decoder,
            packing,
            source,
            given: 0,
        }
    }

    fn problem(&self, error: &io::Error) -> io::Error {
        let packing = self.packing;
        if let Some(failure) = self.source.failure() {
            return failure;
        }
        if error.kind() == io::ErrorKind::OutOfMemory {
            return refused(format!(
                "{packing} needs more memory to unpack it than a file of its size should; unpack it \
                 first ({})",
                packing.command()
            ));
        }
        refused(if self.source.is_at_end() {
            format!("what {packing} packed is cut short, copy it again in full")
        } else {
            format!("what {packing} packed is damaged, copy it again")
        })
    }
}

impl<R: Read> Read for Growth<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer);
        let count = count.map_err(|error| self.problem(&error))?;
        self.given += count as u64;
        let allowed = MOST_UNPACKED_BYTES.max(MOST_GROWTH * self.source.taken());
        if self.given > allowed {
            return Err(refused(format!(
                "what {} packed grows to more than {} MiB, {MOST_GROWTH} times its length; if it is \
                 what it should be, unpack it first ({})",
                self.packing,
                allowed / MIB,
                self.packing.command()
            )));
        }
        Ok(count)
    }
}

/// A pipe or a device, read as far as one may.
pub(crate) struct WithoutEnd<R> {
    input: R,
    given: u64,
}

impl<R: Read> WithoutEnd<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, given: 0 }
    }
}

impl<R: Read> Read for WithoutEnd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.given += count as u64;
        if self.given > MOST_BYTES_WITHOUT_END {
            return Err(refused(format!(
                "no file on disk, and no end within {} MiB; what is as long must be a file on disk",
                MOST_BYTES_WITHOUT_END / MIB
            )));
        }
        Ok(count)
    }
}
