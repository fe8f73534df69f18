#!/usr/bin/env python3
"""Which arrivals does `freshness demo` bundle?

Usage: scripts/trim-demo-data.py FOLDER

FOLDER holds `arrivals.csv.gz` (dataset_id, arrived_at) and `lineage.csv`
(upstream_id, downstream_id). Written to crates/freshness/demo:

    arrivals.csv.gz   the arrivals of each dataset below, from its start up to
                      the instant at which the demo pins its clock
    afterwards.csv    the first arrival of each after that instant: what later
                      happened, never imported
    lineage.csv       the edges between them

No time is shifted, and nothing within a window is left out. Running it twice
writes the same bytes. datasets.csv in that folder is written by hand.
"""

import csv
import gzip
import sys
from pathlib import Path

INSTANT = "2022-09-06T12:00:00Z"

# Where each history starts; README.md in the demo's folder says why.
STARTS = {
    "baseball_register": "2020-09-01",
    "china_ip_17mon": "2015-04-28",
    "chnroutes_mmdb": "2022-03-01",
    "chnroutes_txt": "2022-03-01",
    "covid_ts_combined": "2021-07-01",
    "dotgov_full": "2021-12-21",
    "ghrank_data": "2021-12-28",
    "ipr_all": "2021-11-22",
    "nyc_summary": "2022-03-28",
    "proxy_list": "2021-01-01",
    "rki_vacc_states": "2021-07-21",
    "trackers_all": "2021-07-06",
}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = Path(sys.argv[1])
    target = Path(__file__).parent.parent / "crates/freshness/demo"

    kept, afterwards = [], {}
    with gzip.open(source / "arrivals.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            dataset, at = row["dataset_id"], row["arrived_at"]
            if dataset not in STARTS or at < STARTS[dataset]:
                continue
            if at <= INSTANT:
                kept.append((dataset, at))
            else:
                afterwards[dataset] = min(at, afterwards.get(dataset, at))
    kept.sort()
    text = "dataset_id,arrived_at\n" + "".join(f"{d},{at}\n" for d, at in kept)
    packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
    (target / "arrivals.csv.gz").write_bytes(packed)

    with open(target / "afterwards.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["dataset_id", "arrived_at"])
        writer.writerows(sorted(afterwards.items()))

    with open(source / "lineage.csv", newline="") as file:
        edges = [tuple(row.values()) for row in csv.DictReader(file)]
    with open(target / "lineage.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["upstream_id", "downstream_id"])
        writer.writerows(e for e in edges if e[0] in STARTS and e[1] in STARTS)

    print(f"{len(kept)} arrivals of {len({d for d, _ in kept})} datasets")


if __name__ == "__main__":
    main()
