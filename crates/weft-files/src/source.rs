//! What a decoder reads, watched: how much it took, and whether it came to the end.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// What is known of a source while a decoder has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched(Rc<State>);

#[derive(Debug, Default)]
struct State {
    taken: Cell<u64>,
    is_at_end: Cell<bool>,
    failure: RefCell<Option<io::Error>>,
}

impl Watched {
    /// Bytes that were read.
    pub(crate) fn taken(&self) -> u64 {
        self.0.taken.get()
    }

    /// Whether there are no more.
    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_at_end.get()
    }

    /// Why reading failed, if it did: no fault of what is packed.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        self.0.failure.take()
    }
}

/// A source that can be [`Watched`].
pub(crate) struct Source<R> {
    input: R,
    watched: Watched,
}

impl<R: BufRead> Source<R> {
    pub(crate) fn new(input: R, watched: Watched) -> Self {
        Self { input, watched }
    }
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let state = &self.watched.0;
        // A signal is no reason for a decoder to stop in the middle.
        while let Err(error) = self.input.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                let kind = error.kind();
                *state.failure.borrow_mut() = Some(error);
                return Err(kind.into());
            }
        }
        let bytes = self.input.fill_buf()?;
        state.is_at_end.set(bytes.is_empty());
        Ok(bytes)
    }

    fn consume(&mut self, count: usize) {
        let taken = &self.watched.0.taken;
        taken.set(taken.get() + count as u64);
        self.input.consume(count);
    }
}

impl<R: BufRead> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = self.fill_buf()?;
        let count = bytes.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}
