//! Bytes of files as they are read: unpacked where they are packed, with a limit on what has no end.
//!
//! ```text
//! file ─► limit, unless it is one on disk ─► gzip, xz or zstd, by its first bytes ─► limit ─► reader
//! ```
//!
//! What a limit refuses, and what is cut short or damaged, is an [`io::Error`] of the kind
//! [`InvalidData`](io::ErrorKind::InvalidData) whose text is for the user.

mod limit;
mod packing;
mod source;
mod zstd;

pub use limit::{MOST_BYTES_WITHOUT_END, MOST_GROWTH, MOST_UNPACKED_BYTES};

use limit::{Growth, WithoutEnd};
use packing::Packing;
use source::{Source, Watched};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Opens a file to be read to its end, unpacked.
///
/// # Errors
/// The system's, and those of [`unpacked`].
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file = File::open(path)?;
    if file.metadata()?.is_file() {
        unpacked(BufReader::new(file))
    } else {
        unpacked(BufReader::new(WithoutEnd::new(file)))
    }
}

/// The bytes that were packed, or those of `input` where nothing is.
///
/// # Errors
/// Those of `input`, and [`InvalidData`](io::ErrorKind::InvalidData) where what is packed is packed
/// again; so does the reader where what was packed is cut short or damaged, or longer than
/// [`MOST_UNPACKED_BYTES`] and [`MOST_GROWTH`] times what is read.
pub fn unpacked<'a>(input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let (packing, input) = recognised(input)?;
    let Some(packing) = packing else {
        return Ok(Box::new(input));
    };
    let watched = Watched::default();
    let decoder = packing.decoder(Source::new(input, watched.clone()));
    let (inner, input) = recognised(BufReader::new(Growth::new(decoder, packing, watched)))?;
    match inner {
        None => Ok(Box::new(input)),
        Some(inner) => Err(refused(format!(
            "what {packing} packed is packed again, by {inner}; unpack it first ({})",
            packing.command()
        ))),
    }
}

/// The bytes of a whole file unpacked; `None` where they are not packed.
///
/// # Errors
/// Those of [`unpacked`] and its reader.
pub fn unpack(content: &[u8]) -> io::Result<Option<Vec<u8>>> {
    if Packing::of(content).is_none() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    unpacked(content)?.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// How bytes are packed, by the first of them, and all of them.
fn recognised(mut input: impl BufRead) -> io::Result<(Option<Packing>, impl BufRead)> {
    let mut head = Vec::new();
    input
        .by_ref()
        .take(Packing::LONGEST_MARK as u64)
        .read_to_end(&mut head)?;
    Ok((Packing::of(&head), Cursor::new(head).chain(input)))
}

fn refused(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
