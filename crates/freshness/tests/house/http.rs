//! Requests to servers of the tests, in their plainest form.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use super::House;

/// A connection on which one request follows another.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn to(port: u16) -> Connection {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection {
            stream: BufReader::new(stream),
        }
    }

    /// Sends a request; the answer has to be a good one.
    pub(crate) fn send(&mut self, method: &str, url: &str, headers: &[&str], body: &[u8]) {
        let mut request = format!("{method} {url} HTTP/1.1\r\n").into_bytes();
        let port = self.stream.get_ref().peer_addr().unwrap().port();
        let length = format!(
            "Host: 127.0.0.1:{port}\r\nContent-Length: {}\r\n",
            body.len()
        );
        request.extend(length.bytes());
        for header in headers {
            request.extend(format!("{header}\r\n").bytes());
        }
        request.extend(b"\r\n");
        request.extend(body);
        self.stream.get_mut().write_all(&request).unwrap();
        let mut status = String::new();
        self.stream.read_line(&mut status).unwrap();
        let mut line = String::new();
        let (mut n_bytes, mut is_chunked) = (0, false);
        while line != "\r\n" {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            let header = line.to_ascii_lowercase();
            if let Some(length) = header.strip_prefix("content-length:") {
                n_bytes = length.trim().parse().unwrap();
            }
            is_chunked |= header.starts_with("transfer-encoding: chunked");
        }
        assert!(!is_chunked || n_bytes == 0);
        let mut answer = vec![0; n_bytes];
        self.stream.read_exact(&mut answer).unwrap();
        while is_chunked {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            let n_bytes = usize::from_str_radix(line.trim(), 16).unwrap();
            let mut piece = vec![0; n_bytes + 2];
            self.stream.read_exact(&mut piece).unwrap();
            answer.extend(piece);
            is_chunked = n_bytes > 0;
        }
        assert!(
            status.starts_with("HTTP/1.1 2"),
            "{url}: {status}{}",
            String::from_utf8_lossy(&answer)
        );
    }
}

/// A name as it stands in the path of an address.
pub(crate) fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                text.push(byte.into());
            }
            byte => write!(text, "%{byte:02X}").unwrap(),
        }
    }
    text
}

/// The files in and below a folder, named from it behind a prefix.
pub(crate) fn files_of(folder: &Path, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(files_of(&entry.path(), &name)),
            false => files.push((name, fs::read(entry.path()).unwrap())),
        }
    }
    files
}

/// A Delta table is put at a place in two parts, and each time `collect` reads what is new.
#[track_caller]
pub(crate) fn check_read_from_where_it_was_left(
    house: &House,
    place: &str,
    variables: &[(&str, String)],
    put: impl Fn(&[(String, Vec<u8>)]),
) {
    let text = format!("sources: {{lake: {{delta: {{tables: ['{place}/t/orders']}}}}}}\n");
    fs::write(house.path("freshness.yaml"), text).unwrap();
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lake/first/orders");
    let mut log = files_of(Path::new(table), "t/orders");
    log.sort();
    let (left, come) = log.split_at(9);
    for (commits, n_new) in [(left, 5), (come, 3), (&[], 0)] {
        put(commits);
        let line = "collect --format json --now 2026-09-07T12:00:00Z";
        let ran = house.run_with(variables, line).expect(0);
        for (key, n) in [("arrivals_new", n_new), ("arrivals_duplicate", 0)] {
            assert!(ran.stdout.contains(&format!("\"{key}\": {n}")), "{ran:?}");
        }
    }
}
