//! How is an answer in JSON got over the web?
//!
//! One request at a time, with a limit on how long it takes and how large the answer
//! is. What is said when it fails names the server and the status, and nothing of
//! what was sent or of what came back: either may hold a secret.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};

use super::collect::NotCollected;

/// The largest answer. A page of a hundred rows takes a hundredth.
const ANSWER_MIB_MAX: usize = 64;

/// A server moves its pages once or twice, and not in a circle.
const REDIRECTS_MAX: usize = 3;

/// A server that answers in JSON.
pub(super) struct Web {
    base: Url,
    client: Client,
    runtime: Runtime,
    headers: HeaderMap,
}

impl Web {
    /// A server by its address, `https://airflow.example/prefix`.
    pub(super) fn new(address: &str, timeout: Duration) -> Result<Web, NotCollected> {
        let mut base = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| NotCollected::new("not an address (expected https://host/path)"))?;
        if !base.username().is_empty() || base.password().is_some() {
            return Err(NotCollected::with_hint(
                "a password in an address",
                Some("name the variable or the file that holds it"),
            ));
        }
        // Paths are joined to what stands before the last slash.
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        base.set_query(None);
        let client = Client::builder()
            .timeout(timeout)
            .redirect(Policy::limited(REDIRECTS_MAX))
            .build();
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Web {
            base,
            client: client.map_err(|_| NotCollected::new("no certificates can be read"))?,
            runtime: runtime.map_err(NotCollected::new)?,
            headers: HeaderMap::new(),
        })
    }

    /// Sends a secret with every request from now on.
    pub(super) fn set_secret(
        &mut self,
        header: &'static str,
        value: &str,
    ) -> Result<(), NotCollected> {
        let value = HeaderValue::from_str(value);
        let mut value = value.map_err(|_| NotCollected::new("a token with control characters"))?;
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(())
    }

    /// Gets a page.
    pub(super) fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, NotCollected> {
        let mut url = self.url(path)?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.answer(path, self.client.get(url))
    }

    /// Sends a document and gets the answer.
    pub(super) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> Result<T, NotCollected> {
        let request = self.client.post(self.url(path)?);
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        self.answer(path, request)
    }

    fn url(&self, path: &str) -> Result<Url, NotCollected> {
        self.base.join(path).map_err(NotCollected::new)
    }

    fn answer<T: DeserializeOwned>(
        &self,
        path: &str,
        request: RequestBuilder,
    ) -> Result<T, NotCollected> {
        let request = request
            .headers(self.headers.clone())
            .header(ACCEPT, "application/json");
        let bytes = self.runtime.block_on(async {
            let failed = |error: &reqwest::Error| self.failed(path, error);
            let mut response = request.send().await.map_err(|error| failed(&error))?;
            let status = response.status();
            if !status.is_success() {
                return Err(self.refused(path, status));
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error))? {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > ANSWER_MIB_MAX << 20 {
                    return Err(self.says(path, format!("more than {ANSWER_MIB_MAX} MiB")));
                }
            }
            Ok(bytes)
        })?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let what = match error.classify() {
                serde_json::error::Category::Data => "JSON of another kind",
                _ => "no JSON",
            };
            let place = format!("line {} column {}", error.line(), error.column());
            self.says(path, format!("{what} ({place})"))
        })
    }

    fn says(&self, path: &str, what: impl std::fmt::Display) -> NotCollected {
        NotCollected::new(format_args!(
            "{} answers /{path} with {what}",
            self.server()
        ))
    }

    fn refused(&self, path: &str, status: StatusCode) -> NotCollected {
        let hint = match status {
            StatusCode::UNAUTHORIZED => Some("is the user, password or token right?"),
            StatusCode::FORBIDDEN => Some("the user may not read this"),
            StatusCode::NOT_FOUND => Some("is the address right, with its path?"),
            _ => None,
        };
        NotCollected::with_hint(self.says(path, status).what, hint)
    }

    fn failed(&self, path: &str, error: &reqwest::Error) -> NotCollected {
        let server = self.server();
        if error.is_timeout() {
            return NotCollected::new(format_args!("{server} does not answer /{path} in time"));
        }
        if error.is_redirect() {
            return self.says(path, "too many redirections");
        }
        match error.is_connect() {
            true => NotCollected::new(format_args!("cannot reach {server}")),
            false => NotCollected::new(format_args!("{server} broke off its answer to /{path}")),
        }
    }

    /// The server in messages.
    fn server(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        match self.base.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    /// What comes of asking a server that says this, once.
    fn asked(says: &'static [u8]) -> Result<Vec<u64>, NotCollected> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/api", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4_096];
            let n = stream.read(&mut request).unwrap();
            stream.write_all(says).unwrap();
            if says.is_empty() {
                // It never says anything until the client gives up.
                drop(stream.read(&mut request));
            }
            String::from_utf8_lossy(&request[..n]).into_owned()
        });
        let mut web = Web::new(&address, Duration::from_millis(300)).unwrap();
        web.set_secret("Authorization", "Bearer hush").unwrap();
        let answer = web.get("v2/rows", &[("at", "2026-03-01T00:00:00+01:00")]);
        // Connections that were given up are closed with it.
        drop(web);
        let request = server.join().unwrap();
        assert!(
            request.starts_with("GET /api/v2/rows?at=2026-03-01T00%3A00%3A00%2B01%3A00 "),
            "{request}"
        );
        assert!(request.contains("Bearer hush"), "{request}");
        answer
    }

    #[track_caller]
    fn check_fails(says: &'static [u8], message: &str) {
        let what = asked(says).unwrap_err().what;
        let (server, rest) = what.split_once(' ').unwrap();
        assert!(server.starts_with("127.0.0.1:"), "{what}");
        assert_eq!(rest, message);
    }

    #[test]
    fn an_answer_is_read_and_a_failure_said_without_what_was_sent_or_came_back() {
        let good = asked(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n[1, 2]");
        assert_eq!(good.unwrap(), [1, 2]);
        check_fails(
            b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n\r\nsecret",
            "answers /v2/rows with 401 Unauthorized",
        );
        check_fails(
            b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
            "answers /v2/rows with no JSON (line 1 column 1)",
        );
        check_fails(
            b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[\"secret\"]",
            "answers /v2/rows with JSON of another kind (line 1 column 9)",
        );
        check_fails(
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1",
            "broke off its answer to /v2/rows",
        );
        check_fails(b"", "does not answer /v2/rows in time");
    }

    #[test]
    fn nobody_there_is_said() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let web = Web::new(&address, Duration::from_secs(5)).unwrap();
        let error = web.get::<u64>("x", &[]).unwrap_err();
        assert!(error.what.starts_with("cannot reach 127.0.0.1:"), "{error}");
    }

    #[test]
    fn what_is_no_address_is_refused_and_not_repeated() {
        for address in ["", "airflow.example", "ftp://a", "http://", "file:///etc"] {
            let error = Web::new(address, Duration::from_secs(1)).err().unwrap();
            assert!(error.what.starts_with("not an address"), "{address}");
        }
        let error = Web::new("http://ann:hush@host/", Duration::from_secs(1));
        assert_eq!(error.err().unwrap().what, "a password in an address");
    }
}
