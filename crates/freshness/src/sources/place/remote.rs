//! What lies below a prefix of an object store?
//!
//! Small objects are fetched several at once, large ones one after the other in
//! pieces, so that memory is bounded whatever lies there.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio::runtime::Runtime;

use super::{Entry, PlaceError, StoreKind, Walked, refusal};

/// A prefix of a bucket.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    kind: StoreKind,
    bucket: Arc<str>,
    store: Arc<dyn ObjectStore>,
    runtime: Arc<Runtime>,
    prefix: Path,
}

/// Requests that are under way at once.
const REQUESTS: usize = 32;

/// Up to here an object is fetched whole, beside others.
const SMALL_BYTES: u64 = 1 << 20;

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
        let kind = StoreKind::of(scheme).ok_or_else(|| PlaceError::Scheme(scheme.to_owned()))?;
        let store = kind.open(&format!("{scheme}://{bucket}"), variables)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Remote {
            kind,
            // Azure's may be followed by the account.
            bucket: bucket.split('@').next().unwrap_or(bucket).into(),
            store,
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
            // A store may know nothing of where a list is to begin.
            let wanted = after.is_none_or(|after| entry.name.as_str() > after);
            if wanted && !entry.name.contains('/') {
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
        let object = object.map_err(|error| self.refused(&error))?;
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
                    .map_err(|error| self.refused(&error))?;
                // What grew since it was listed might not fit beside others.
                if object.meta.size > SMALL_BYTES {
                    let what = "an object was changed while it was read".to_owned();
                    return Err(PlaceError::Store(self.kind, what));
                }
                let bytes = object.bytes().await;
                Ok((entry, bytes.map_err(|error| self.refused(&error))?))
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
        let object = object.map_err(|error| self.refused(&error))?;
        Ok(Pieces {
            remote: self,
            stream: object.into_stream(),
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
            let mut next = async || found.try_next().await.map_err(|error| self.refused(&error));
            while let Some(object) = next().await? {
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

    fn refused(&self, error: &object_store::Error) -> PlaceError {
        refusal::of_request(self.kind, &self.bucket, error)
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
    remote: &'a Remote,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    piece: Bytes,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.remote.runtime.block_on(self.stream.try_next()) {
                Ok(Some(piece)) => self.piece = piece,
                Ok(None) => return Ok(0),
                Err(error) => return Err(io::Error::other(self.remote.refused(&error))),
            }
        }
        let n = into.len().min(self.piece.len());
        into[..n].copy_from_slice(&self.piece.split_to(n));
        Ok(n)
    }
}
