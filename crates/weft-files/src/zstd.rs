//! What zstd packed: frames that follow one another, some of them to be skipped.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, Read};

/// Unpacks all frames of a source.
pub(crate) struct Frames<R> {
    decoder: FrameDecoder,
    source: R,
    is_in_frame: bool,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            decoder: FrameDecoder::new(),
            source,
            is_in_frame: false,
        }
    }

    /// Begins the next frame; false where there is none.
    fn next(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = &mut self.source.by_ref().take(u64::from(length));
                    if io::copy(skipped, &mut io::sink())? < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
                    return Err(io::ErrorKind::OutOfMemory.into());
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    fn check_end(&self) -> io::Result<()> {
        let (told, found) = (
            self.decoder.get_checksum_from_data(),
            self.decoder.get_calculated_checksum(),
        );
        if told.is_some() && told != found {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_in_frame {
                if !self.next()? {
                    return Ok(0);
                }
                self.is_in_frame = true;
            }
            // One block may give nothing yet, as its bytes are the window of the next.
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.check_end()?;
            self.is_in_frame = false;
        }
    }
}
