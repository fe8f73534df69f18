//! Is it a file, or something that a read of may never end?
//!
//! Opening a named pipe waits for whoever writes into it, and a device may send bytes for
//! ever. What is configured is read by a service that nobody watches, so only files are;
//! on a command line `-` and `/dev/fd/N`, which shells write for `<(…)`, are read too.

use std::fs::Metadata;
use std::path::Path;

/// What it is instead of a file or a folder; `None` if it is one of them.
pub(crate) fn irregular(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() || metadata.is_dir() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = metadata.file_type();
        if kind.is_fifo() {
            return Some("a named pipe, not a file");
        }
        if kind.is_socket() {
            return Some("a socket, not a file");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device, not a file");
        }
    }
    Some("not a file")
}

/// Was it handed over by whoever started this process, already open?
pub(super) fn is_handed_over(path: &Path) -> bool {
    let is_below = |folder: &str| path.starts_with(folder);
    path == Path::new("/dev/stdin") || is_below("/dev/fd") || is_below("/proc/self/fd")
}
