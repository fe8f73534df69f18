"""Writes that many events of OpenLineage, two for each run, as a busy Spark tells
them: `many.py 1000000 > events.ndjson`."""

import json
import random
import sys
import uuid
from datetime import datetime, timedelta, timezone

N_JOBS = 2_000
BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
COLUMNS = [f"column_{i}" for i in range(12)]
SPEC = "https://openlineage.io/spec"
SCHEMA = {
    "_producer": "https://example.com/spark",
    "_schemaURL": f"{SPEC}/facets/1-1-1/SchemaDatasetFacet.json",
    "fields": [{"name": name, "type": "string"} for name in COLUMNS],
}


def dataset(namespace, name, **facets):
    return {"namespace": namespace, "name": name, "facets": {"schema": SCHEMA, **facets}}


def table(number):
    return {"namespace": "postgres://db:5432", "name": f"shop.public.table_{number % 3_000}"}


def column_lineage(job):
    field = {"inputFields": [{**table(job * 7), "field": "x"}]}
    return {"columnLineage": {"fields": {name: field for name in COLUMNS[:6]}}}


def main():
    random.seed(1)
    for i in range(int(sys.argv[1]) // 2):
        job = i % N_JOBS
        run_id = str(uuid.UUID(int=random.getrandbits(128)))
        at = (BEGIN + timedelta(seconds=20 * i)).strftime("%Y-%m-%dT%H:%M:%S")
        output = dataset(
            "s3://lake", f"warehouse/table_{job}", **(column_lineage(job) if job % 2 else {})
        )
        output["outputFacets"] = {"outputStatistics": {"rowCount": i % 1_000, "size": 1_000}}
        inputs = [dataset(**table(job * 7 + k)) for k in range(2)]
        for kind, fraction in [("START", "001"), ("COMPLETE", "900")]:
            event = {
                "eventType": kind,
                "eventTime": f"{at}.{fraction}Z",
                "producer": "https://example.com/spark",
                "schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
                "run": {
                    "runId": run_id,
                    "facets": {"nominalTime": {"nominalStartTime": f"{at[:10]}T00:00:00Z"}},
                },
                "job": {"namespace": "prod", "name": f"job_{job}"},
                "inputs": inputs,
                "outputs": [output] if kind == "COMPLETE" else [],
            }
            print(json.dumps(event, separators=(",", ":")))


main()
