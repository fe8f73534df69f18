//! Real drivers of ADBC, from the packages that their users install.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::path::PathBuf;

/// The file of a driver, such as `sqlite`: in the folder that is named, or
/// in the one that `scripts/test` filled.
pub(crate) fn driver(name: &str) -> PathBuf {
    let folder = env::var_os("FRESHNESS_ADBC_DRIVERS").map_or_else(
        || {
            let test = env::current_exe().unwrap();
            // target/debug/deps/test
            test.ancestors().nth(3).unwrap().join("adbc")
        },
        PathBuf::from,
    );
    let file = folder.join(format!("adbc_driver_{name}/libadbc_driver_{name}.so"));
    assert!(
        file.exists(),
        "no such ADBC driver here: run scripts/test once, or name the folder that holds the \
         Python package adbc_driver_{name} in FRESHNESS_ADBC_DRIVERS"
    );
    file
}
