//! What if nobody reads on?
//!
//! `freshness check | head -1` closes the pipe early. That is no error, and it
//! must not change the exit code: the verdict stands whether it is read or not.

use std::io::{self, BufWriter, ErrorKind, Write};

/// The process's stdout, buffered; what is written after the reader has gone
/// is dropped.
#[derive(Debug)]
pub struct Stdout {
    writer: BufWriter<io::Stdout>,
    closed: bool,
}

impl Stdout {
    pub(super) fn new() -> Stdout {
        Stdout {
            writer: BufWriter::new(io::stdout()),
            closed: false,
        }
    }

    fn unless_closed<T>(
        &mut self,
        dropped: T,
        write: impl FnOnce(&mut BufWriter<io::Stdout>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.closed {
            return Ok(dropped);
        }
        match write(&mut self.writer) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), BufWriter::flush)
    }
}
