//! The programs that pack, by the first bytes of what they packed.

use crate::zstd::Frames;
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::io::{self, BufRead, Read};

/// What packed some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Xz,
    Zstd,
}

impl Packing {
    const ALL: [Self; 3] = [Self::Gzip, Self::Xz, Self::Zstd];

    /// Bytes that tell all of them.
    pub(crate) const LONGEST_MARK: usize = 6;

    /// What packed bytes that begin so.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|packing| head.starts_with(packing.mark()))
    }

    fn mark(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b\x08",
            Self::Xz => b"\xfd7zXZ\x00",
            Self::Zstd => b"\x28\xb5\x2f\xfd",
        }
    }

    /// The command that unpacks such a file.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Gzip => "gunzip",
            Self::Xz => "unxz",
            Self::Zstd => "unzstd",
        }
    }

    /// Unpacks all members that follow one another.
    pub(crate) fn decoder<'a>(self, source: impl BufRead + 'a) -> Box<dyn Read + 'a> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(source)),
            Self::Xz => xz(source),
            Self::Zstd => Box::new(Frames::new(source)),
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        })
    }
}

#[cfg(not(target_family = "wasm"))]
fn xz<'a>(source: impl BufRead + 'a) -> Box<dyn Read + 'a> {
    use liblzma::bufread::XzDecoder;
    use liblzma::stream::{CONCATENATED, Stream};

    /// Memory that unpacking may take: `xz -9` needs 65 MiB.
    const MOST_MEMORY_BYTES: u64 = 128 << 20;

    match Stream::new_stream_decoder(MOST_MEMORY_BYTES, CONCATENATED) {
        Ok(stream) => Box::new(XzDecoder::new_stream(source, stream)),
        Err(error) => Box::new(Never(Some(error.into()))),
    }
}

/// The library is in C, which is not compiled for browsers; there are no files either.
#[cfg(target_family = "wasm")]
fn xz<'a>(_: impl BufRead + 'a) -> Box<dyn Read + 'a> {
    Box::new(Never(Some(io::ErrorKind::Unsupported.into())))
}

/// A decoder that the machine has no memory for.
struct Never(Option<io::Error>);

impl Read for Never {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self
            .0
            .take()
            .unwrap_or_else(|| io::ErrorKind::OutOfMemory.into()))
    }
}
