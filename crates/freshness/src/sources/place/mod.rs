//! In which folder do files lie, and how are they listed and read?
//!
//! A folder is on a disk (`local`) or below a prefix of an object store
//! (`remote`); who reads tables and files from it need not know which. Nothing
//! is ever written, and no name that a file mentions is followed: only what a
//! listing has named is opened.

mod local;
mod reached;
mod refusal;
mod remote;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

pub use local::Walked;
pub use reached::StoreKind;
use remote::Remote;

/// A folder, on a disk or in an object store.
#[derive(Debug, Clone)]
pub struct Place {
    /// As messages name it.
    shown: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Local(PathBuf),
    Remote(Remote),
}

/// A file in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name; with `/` if it lies deeper.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// When it was last written: UTC seconds.
    pub modified: i64,
}

/// Why a folder or a file cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PlaceError {
    #[error("no such file or folder")]
    NotFound,
    #[error("a file, not a folder")]
    NotAFolder,
    #[error("not a file")]
    NotAFile,
    #[error("unknown kind of location: {0}://")]
    Scheme(String),
    #[error("not a location: {0}")]
    Url(String),
    #[error("a link to nothing")]
    BrokenLink,
    #[error("no access: {0}")]
    Forbidden(io::Error),
    #[error("cannot be read: {0}")]
    Io(io::Error),
    #[error("cannot tell how {0} is reached: {1}")]
    Settings(StoreKind, String),
    #[error("cannot reach {0}: {1}")]
    Unreachable(StoreKind, String),
    #[error("{0} gives no access: {1}")]
    Denied(StoreKind, String),
    #[error("no such {what}: {name}")]
    NoBucket { what: &'static str, name: String },
    #[error("an object there has a name that is no path: {0}")]
    BadName(String),
    #[error("{0} does not answer as it should: {1}")]
    Store(StoreKind, String),
}

impl PlaceError {
    /// What helps, if it is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            PlaceError::Scheme(_) => {
                Some("a path on this machine, file://, s3://, gs://, az:// or abfss://")
            }
            PlaceError::Url(_) => Some("an object is named s3://BUCKET/PATH"),
            PlaceError::Settings(kind, _)
            | PlaceError::Unreachable(kind, _)
            | PlaceError::Denied(kind, _)
            | PlaceError::Store(kind, _) => Some(kind.hint()),
            PlaceError::BadName(_) => Some(
                "a part of it is empty, `.` or `..`, and no folder that holds such an object \
                     can be listed: name one below or beside it",
            ),
            PlaceError::Forbidden(_) => Some("may the user that runs this read it?"),
            PlaceError::NotFound
            | PlaceError::BrokenLink
            | PlaceError::NotAFolder
            | PlaceError::NotAFile
            | PlaceError::NoBucket { .. }
            | PlaceError::Io(_) => None,
        }
    }
}

impl From<io::Error> for PlaceError {
    fn from(error: io::Error) -> PlaceError {
        // What a reader of an object store had to say.
        let error = match error.downcast::<PlaceError>() {
            Ok(own) => return own,
            Err(error) => error,
        };
        match error.kind() {
            io::ErrorKind::NotFound => PlaceError::NotFound,
            io::ErrorKind::NotADirectory => PlaceError::NotAFolder,
            io::ErrorKind::PermissionDenied => PlaceError::Forbidden(error),
            _ => PlaceError::Io(error),
        }
    }
}

/// The own name of the folder that a path or a location names; of `.` and `..` the
/// one that it really has.
pub fn folder_name(text: &str) -> String {
    let text = text.trim_end_matches('/');
    let own = text.rsplit('/').next().unwrap_or(text);
    let real = match own {
        "" | "." | ".." if !text.contains("://") => {
            let path = if own.is_empty() { "/" } else { text };
            fs::canonicalize(Path::new(path)).ok()
        }
        _ => None,
    };
    let real = real.as_deref().and_then(Path::file_name);
    real.map_or_else(
        || own.to_owned(),
        |real| real.to_string_lossy().into_owned(),
    )
}

impl Place {
    /// The place that an argument names. `variables` are those of the
    /// environment that say how an object store is reached.
    pub fn named(text: &str, variables: &[(String, String)]) -> Result<Place, PlaceError> {
        let kind = match text.split_once("://") {
            None => Kind::Local(PathBuf::from(text)),
            Some(("file", rest)) => {
                let path = percent_decode_str(rest.strip_prefix("localhost").unwrap_or(rest));
                let path = path.decode_utf8().ok().filter(|path| path.starts_with('/'));
                let path = path.ok_or_else(|| PlaceError::Url(text.to_owned()))?;
                Kind::Local(PathBuf::from(path.into_owned()))
            }
            Some((scheme, rest)) => Kind::Remote(Remote::named(text, scheme, rest, variables)?),
        };
        let shown = text.trim_end_matches('/');
        Ok(Place {
            shown: if shown.is_empty() { text } else { shown }.to_owned(),
            kind,
        })
    }

    /// A folder in this one.
    pub fn folder(&self, name: &str) -> Place {
        Place {
            shown: self.shown_file(name),
            kind: match &self.kind {
                Kind::Local(path) => Kind::Local(path.join(name)),
                Kind::Remote(remote) => Kind::Remote(remote.folder(name)),
            },
        }
    }

    /// As messages name it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// As messages name a file in it.
    pub fn shown_file(&self, name: &str) -> String {
        match self.shown.ends_with('/') {
            true => format!("{}{name}", self.shown),
            false => format!("{}/{name}", self.shown),
        }
    }

    /// Is there no such folder? Of object stores, which have none, nobody knows.
    pub fn is_missing(&self) -> bool {
        matches!(&self.kind, Kind::Local(path) if fs::metadata(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound))
    }

    /// Is it in an object store, where a file is there at once or not at all?
    pub fn is_remote(&self) -> bool {
        matches!(self.kind, Kind::Remote(_))
    }

    /// The files that lie directly in the folder, by name, from the one after
    /// `after` on.
    pub fn list(&self, after: Option<&str>) -> Result<Vec<Entry>, PlaceError> {
        let mut found = match &self.kind {
            Kind::Local(path) => local::list(path, after)?,
            Kind::Remote(remote) => remote.list(after)?,
        };
        found.sort_unstable();
        Ok(found)
    }

    /// A file that lies in the folder.
    pub fn entry(&self, name: &str) -> Result<Entry, PlaceError> {
        match &self.kind {
            Kind::Local(path) => local::entry(path, name),
            Kind::Remote(remote) => remote.entry(name),
        }
    }

    /// All files in and below the folder, in any order. `enter` is asked before
    /// a folder is looked into, by its name from here: of a disk only, since
    /// object stores have no folders.
    pub fn walk(
        &self,
        enter: &dyn Fn(&str) -> bool,
        each: &mut dyn FnMut(Walked),
    ) -> Result<(), PlaceError> {
        match &self.kind {
            Kind::Local(path) => local::walk(path, enter, each),
            Kind::Remote(remote) => remote.walk(each),
        }
    }

    /// Reads files, several at once, and does `work` for each; results in the
    /// order of the entries. If several fail, the first of them is told.
    pub fn read_each<T: Send, E: Send + From<PlaceError>>(
        &self,
        entries: &[Entry],
        work: impl Fn(&Entry, &mut dyn Read) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, (usize, E)> {
        let found = match &self.kind {
            Kind::Local(path) => local::read_each(path, entries, &work),
            Kind::Remote(remote) => remote.read_each(entries, &work),
        };
        let numbered = found.into_iter().enumerate();
        numbered
            .map(|(i, result)| result.map_err(|error| (i, error)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_named(text: &str) -> String {
        match Place::named(text, &[]) {
            Ok(place) => match &place.kind {
                Kind::Local(path) => format!("disk {} {}", path.display(), place.shown()),
                Kind::Remote(remote) => format!("{} {}", remote.prefix(), place.shown()),
            },
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_place_is_a_path_or_a_location() {
        assert_eq!(check_named("lake/orders/"), "disk lake/orders/ lake/orders");
        assert_eq!(check_named("/"), "disk / /");
        assert_eq!(
            check_named("file:///lake/my%20orders"),
            "disk /lake/my orders file:///lake/my%20orders"
        );
        assert_eq!(
            check_named("s3://bucket/lake/orders/"),
            "lake/orders s3://bucket/lake/orders"
        );
        assert_eq!(check_named("gs://bucket"), " gs://bucket");
        assert_eq!(
            check_named("abfss://box@account.dfs.core.windows.net/lake"),
            "lake abfss://box@account.dfs.core.windows.net/lake"
        );
    }

    #[test]
    fn a_disk_that_gives_no_access_is_no_object_store() {
        let error = PlaceError::from(io::Error::from(io::ErrorKind::PermissionDenied));
        assert_eq!(error.hint(), Some("may the user that runs this read it?"));
    }

    #[test]
    fn what_names_no_place_is_refused() {
        assert_eq!(check_named("ftp://a/b"), "unknown kind of location: ftp://");
        assert_eq!(check_named("s3:///b"), "not a location: s3:///b");
        assert_eq!(
            check_named("s3://b/a/../c"),
            "not a location: s3://b/a/../c"
        );
        assert_eq!(
            check_named("file://host/b"),
            "not a location: file://host/b"
        );
    }
}
