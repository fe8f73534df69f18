//! What lies below a prefix of an object store?
//!
//! Stores are reached by the variables that their own tools read. Small objects
//! are fetched several at once, large ones one after the other in pieces, so
//! that memory is bounded whatever lies there.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use tokio::runtime::Runtime;

use super::{Entry, PlaceError, Walked};

/// A prefix of a bucket.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    store: Arc<dyn ObjectStore>,
    runtime: Arc<Runtime>,
    prefix: Path,
}

/// Requests that are under way at once.
const REQUESTS: usize = 32;

/// Up to here an object is fetched whole, beside others.
const SMALL_BYTES: u64 = 1 << 20;

/// How often a request is sent again: a store that stays away for longer is
/// told, and asked again at the next look.
const RETRIES: usize = 3;
const RETRY_SECONDS: u64 = 30;

impl Remote {
    pub(super) fn named(
        text: &str,
        scheme: &str,
        rest: &str,
        variables: &[(String, String)],
    ) -> Result<Remote, PlaceError> {
        let no_location = || PlaceError::Url(text.to_owned());
        let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(no_location());
        }
        let prefix = Path::parse(path.trim_end_matches('/')).map_err(|_| no_location())?;
        let url = format!("{scheme}://{bucket}");
        let store = match scheme {
            "s3" | "s3a" => amazon(&url, variables),
            "gs" => google(&url, variables),
            "az" | "azure" | "adl" | "abfs" | "abfss" => azure(&url, variables),
            _ => return Err(PlaceError::Scheme(scheme.to_owned())),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Remote {
            store: store.map_err(from_store)?,
            runtime: Arc::new(runtime),
            prefix,
        })
    }

    #[cfg(test)]
    pub(super) fn prefix(&self) -> &Path {
        &self.prefix
    }

    pub(super) fn folder(&self, name: &str) -> Remote {
        Remote {
            prefix: self.at(name),
            ..self.clone()
        }
    }

    pub(super) fn list(&self, after: Option<&str>) -> Result<Vec<Entry>, PlaceError> {
        let found = match after {
            Some(after) => {
                let offset = self.at(after);
                self.store.list_with_offset(Some(&self.prefix), &offset)
            }
            None => self.store.list(Some(&self.prefix)),
        };
        let mut entries = Vec::new();
        self.each_of(found, &mut |entry| {
            if !entry.name.contains('/') {
                entries.push(entry);
            }
        })?;
        match entries.is_empty() && after.is_none() {
            // Without an object there is no folder.
            true => Err(PlaceError::NotFound),
            false => Ok(entries),
        }
    }

    pub(super) fn entry(&self, name: &str) -> Result<Entry, PlaceError> {
        let object = self.runtime.block_on(self.store.head(&self.at(name)));
        let object = object.map_err(from_store)?;
        Ok(Entry {
            name: name.to_owned(),
            bytes: object.size,
            modified: object.last_modified.timestamp(),
        })
    }

    pub(super) fn walk(&self, each: &mut dyn FnMut(Walked)) -> Result<(), PlaceError> {
        let found = self.store.list(Some(&self.prefix));
        self.each_of(found, &mut |entry| each(Walked::File(entry)))
    }

    pub(super) fn read_each<T, E: From<PlaceError>>(
        &self,
        entries: &[Entry],
        work: &impl Fn(&Entry, &mut dyn Read) -> Result<T, E>,
    ) -> Vec<Result<T, E>> {
        let mut found = Vec::with_capacity(entries.len());
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let n_small = rest
                .iter()
                .take_while(|entry| entry.bytes <= SMALL_BYTES)
                .count();
            let (taken, later) = rest.split_at(n_small.max(1));
            rest = later;
            if n_small == 0 {
                let reader = self.open(&first.name);
                found.push(
                    reader
                        .map_err(E::from)
                        .and_then(|mut reader| work(first, &mut reader)),
                );
                continue;
            }
            let fetched = taken.iter().map(|entry| async move {
                let object = self
                    .store
                    .get(&self.at(&entry.name))
                    .await
                    .map_err(from_store)?;
                // What grew since it was listed might not fit beside others.
                if object.meta.size > SMALL_BYTES {
                    let what = "an object was changed while it was read".to_owned();
                    return Err(PlaceError::Store(what));
                }
                Ok((entry, object.bytes().await.map_err(from_store)?))
            });
            let fetched = stream::iter(fetched).buffered(REQUESTS);
            self.runtime.block_on(fetched.for_each(|fetched| {
                let fetched = fetched.map_err(E::from);
                found.push(fetched.and_then(|(entry, bytes)| work(entry, &mut Cursor::new(bytes))));
                std::future::ready(())
            }));
        }
        found
    }

    fn open(&self, name: &str) -> Result<Pieces<'_>, PlaceError> {
        let object = self.runtime.block_on(self.store.get(&self.at(name)));
        Ok(Pieces {
            runtime: &self.runtime,
            stream: object.map_err(from_store)?.into_stream(),
            piece: Bytes::new(),
        })
    }

    fn each_of(
        &self,
        mut found: BoxStream<'_, object_store::Result<ObjectMeta>>,
        each: &mut dyn FnMut(Entry),
    ) -> Result<(), PlaceError> {
        let skip = self.prefix.as_ref().len();
        self.runtime.block_on(async {
            while let Some(object) = found.try_next().await.map_err(from_store)? {
                let ObjectMeta {
                    location,
                    last_modified,
                    size,
                    ..
                } = object;
                let name = location.as_ref().get(skip..).unwrap_or_default();
                each(Entry {
                    name: name.trim_start_matches('/').to_owned(),
                    bytes: size,
                    modified: last_modified.timestamp(),
                });
            }
            Ok(())
        })
    }

    /// What is called so below the prefix.
    fn at(&self, name: &str) -> Path {
        // Names come from listings and from us, so nothing in them needs escapes.
        match self.prefix.as_ref() {
            "" => Path::parse(name),
            prefix => Path::parse(format!("{prefix}/{name}")),
        }
        .unwrap_or_else(|_| self.prefix.clone().join(name))
    }
}

/// A large object, piece by piece.
struct Pieces<'a> {
    runtime: &'a Runtime,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    piece: Bytes,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.runtime.block_on(self.stream.try_next()) {
                Ok(Some(piece)) => self.piece = piece,
                Ok(None) => return Ok(0),
                Err(error) => return Err(io::Error::other(from_store(error))),
            }
        }
        let n = into.len().min(self.piece.len());
        into[..n].copy_from_slice(&self.piece.split_to(n));
        Ok(n)
    }
}

type Built = object_store::Result<Arc<dyn ObjectStore>>;

fn amazon(url: &str, variables: &[(String, String)]) -> Built {
    let mut builder = AmazonS3Builder::new().with_url(url).with_retry(retry());
    for (name, value) in of_family(variables, "AWS_") {
        if let Ok(key) = name.parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(key, value);
        }
        // Who names an endpoint without TLS means it.
        if name.starts_with("aws_endpoint") && value.starts_with("http://") {
            builder = builder.with_allow_http(true);
        }
    }
    Ok(Arc::new(builder.build()?))
}

fn google(url: &str, variables: &[(String, String)]) -> Built {
    let mut builder = GoogleCloudStorageBuilder::new()
        .with_url(url)
        .with_retry(retry());
    for (name, value) in of_family(variables, "GOOGLE_") {
        if let Ok(key) = name.parse::<GoogleConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    Ok(Arc::new(builder.build()?))
}

fn azure(url: &str, variables: &[(String, String)]) -> Built {
    let mut builder = MicrosoftAzureBuilder::new()
        .with_url(url)
        .with_retry(retry());
    for (name, value) in of_family(variables, "AZURE_") {
        if let Ok(key) = name.parse::<AzureConfigKey>() {
            builder = builder.with_config(key, value);
        }
        if name.starts_with("azure_") && name.ends_with("endpoint") && value.starts_with("http://")
        {
            builder = builder.with_allow_http(true);
        }
    }
    Ok(Arc::new(builder.build()?))
}

fn of_family<'a>(
    variables: &'a [(String, String)],
    prefix: &'a str,
) -> impl Iterator<Item = (String, &'a str)> {
    let own = variables
        .iter()
        .filter(move |(name, _)| name.starts_with(prefix));
    own.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
}

fn retry() -> RetryConfig {
    RetryConfig {
        max_retries: RETRIES,
        retry_timeout: Duration::from_secs(RETRY_SECONDS),
        ..RetryConfig::default()
    }
}

fn from_store(error: object_store::Error) -> PlaceError {
    match error {
        object_store::Error::NotFound { .. } => PlaceError::NotFound,
        object_store::Error::PermissionDenied { .. }
        | object_store::Error::Unauthenticated { .. } => PlaceError::Denied(shortened(&error)),
        error => PlaceError::Store(shortened(&error)),
    }
}

/// Its first words, without the queries of addresses: they may be signed.
fn shortened(error: &object_store::Error) -> String {
    const CHARS_MAX: usize = 300;
    let mut words = String::new();
    let mut in_query = false;
    for c in error.to_string().chars() {
        in_query = match c {
            '?' => true,
            ' ' | ')' | '"' | '\n' | '\'' => false,
            _ => in_query,
        };
        if !in_query {
            words.push(if c.is_control() { ' ' } else { c });
        }
    }
    match words.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
