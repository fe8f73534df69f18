//! Are any bytes at all either what dbt wrote, or an error?
#![no_main]

use freshness::sources::read_dbt_file;
use freshness_core::civil::Holidays;
use freshness_core::lineage::Lineage;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok((told, files)) = read_dbt_file("manifest.json", bytes.to_vec(), &Holidays::default())
    else {
        return;
    };
    assert!(files.n() <= 1);
    for house in told.houses {
        // A circle was refused.
        assert!(Lineage::new(house.edges).is_ok());
    }
});
