"""Plays days of a small warehouse with OpenLineage's own Python client, and with
dbt and the wrapper that tells of its runs, and writes the events that they make.

    play.py client EVENTS
    play.py dbt SHOP EVENTS

EVENTS is a file; SHOP is a folder with a dbt project, which is written to. What is
played stands in `days`, and at the end of this file for the client.
"""

import os
import subprocess
import sys
import uuid
from datetime import datetime
from pathlib import Path


def main() -> None:
    what, *paths = sys.argv[1:]
    paths = [Path(path).resolve() for path in paths]
    os.environ["OPENLINEAGE__TRANSPORT__TYPE"] = "file"
    os.environ["OPENLINEAGE__TRANSPORT__LOG_FILE_PATH"] = str(paths[-1])
    os.environ["OPENLINEAGE__TRANSPORT__APPEND"] = "true"
    if what == "client":
        client_days()
    else:
        dbt_days(paths[0])


def dbt_days(shop: Path) -> None:
    """Three days of dbt: all is well, a model fails and the next is skipped, all is
    well again. It is the time of each day for Python, dbt and the wrapper."""
    import time_machine
    from dbt.cli.main import dbtRunner
    from openlineage.dbt import main as tell

    os.environ["SHOP_DATABASE"] = str(shop / "shop.duckdb")
    os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
    os.environ["OPENLINEAGE_NAMESPACE"] = "shop"
    os.chdir(shop)
    for at, divisor, command in [
        ("2026-03-02T05:00:00+00:00", "1", "seed"),
        ("2026-03-02T06:00:00+00:00", "1", "run"),
        ("2026-03-02T06:30:00+00:00", "1", "test"),
        ("2026-03-03T06:00:00+00:00", "nothing", "run"),
        ("2026-03-04T06:00:00+00:00", "1", "run"),
    ]:
        os.environ["SHOP_DIVISOR"] = divisor
        with time_machine.travel(datetime.fromisoformat(at), tick=True):
            arguments = [command, "--project-dir", ".", "--profiles-dir", "."]
            # The wrapper reads what was typed.
            sys.argv = ["dbt", *arguments]
            dbtRunner().invoke([*arguments, "--quiet"])
            sys.argv = ["dbt-ol", "send-events", *arguments]
            tell()


def client_days() -> None:
    """What the wrapper does not tell: statistics, other names, renames, columns,
    failures, and events that come twice, late or in pieces."""
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import (
        DatasetEvent,
        InputDataset,
        Job,
        JobEvent,
        OutputDataset,
        Run,
        RunEvent,
        RunState,
        StaticDataset,
    )
    from openlineage.client.facet_v2 import (
        column_lineage_dataset,
        data_quality_assertions_dataset,
        data_quality_metrics_dataset,
        lifecycle_state_change_dataset,
        nominal_time_run,
        output_statistics_output_dataset,
        ownership_dataset,
        symlinks_dataset,
    )

    client = OpenLineageClient()
    producer = "https://example.com/loader"

    def run_id(name: str) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, name))

    def tell(state, name, at, inputs=(), outputs=(), cycle=None):
        facets = {}
        if cycle:
            facets["nominalTime"] = nominal_time_run.NominalTimeRunFacet(
                nominalStartTime=f"{cycle}T00:00:00Z"
            )
        client.emit(
            RunEvent(
                eventType=getattr(RunState, state),
                eventTime=f"2026-03-{at}:00.250Z",
                run=Run(run_id(name), facets),
                job=Job("loads", name.rstrip("0123456789")),
                inputs=list(inputs),
                outputs=list(outputs),
                producer=producer,
            )
        )

    def read(name):
        return InputDataset("postgres://db:5432", name)

    def written(name, facets=None, rows=None):
        statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet
        output = {} if rows is None else {"outputStatistics": statistics(rowCount=rows)}
        return OutputDataset(
            "s3://lake", name, facets=facets or {}, outputFacets=output
        )

    def changed(kind, previous=None):
        module = lifecycle_state_change_dataset
        facet = module.LifecycleStateChangeDatasetFacet(
            module.LifecycleStateChange[kind],
            previous
            and module.PreviousIdentifier(name=previous, namespace="s3://lake"),
        )
        return {"lifecycleStateChange": facet}

    # A load each day, told in pieces; on the second day the end comes twice and
    # before the start; on the third it fails.
    table = symlinks_dataset.SymlinksDatasetFacet(
        [symlinks_dataset.Identifier("hive://meta", "shop.orders", "TABLE")]
    )
    orders = {"symlinks": table}
    tell("START", "orders1", "02T05:00", [read("shop.public.orders")], (), "2026-03-01")
    tell("RUNNING", "orders1", "02T05:10", (), [written("/orders/dt=1", orders)])
    done = [written("/orders/dt=1", orders, 120)]
    tell("COMPLETE", "orders1", "02T05:20", (), done, "2026-03-01")
    done = [written("/orders/dt=2", orders, 80), written("/orders/dt=1", orders, 3)]
    for _ in range(2):
        tell("COMPLETE", "orders2", "03T05:25", (), done, "2026-03-02")
    tell("START", "orders2", "03T05:00", [read("shop.public.orders")])
    tell("START", "orders3", "04T05:00", [read("shop.public.orders")])
    tell("FAIL", "orders3", "04T05:21", (), [written("/orders/dt=3", orders)])
    tell("ABORT", "orders4", "04T06:21", (), [written("/orders/dt=3", orders)])

    # A backfill of the third, a day later.
    done = [written("/orders/dt=3", orders, 90)]
    tell("COMPLETE", "orders5", "05T09:00", (), done, "2026-03-03")

    # Columns come from one of two inputs; what was counted is good, then not.
    columns = column_lineage_dataset
    fields = {
        "revenue": columns.Fields(
            [columns.InputField("hive://meta", "shop.orders", "amount")]
        )
    }
    assertions = data_quality_assertions_dataset

    def counted(rows, success):
        metrics = data_quality_metrics_dataset.DataQualityMetricsDatasetFacet(
            columnMetrics={}, rowCount=rows
        )
        held = assertions.DataQualityAssertionsDatasetFacet(
            [assertions.Assertion("not_null", success, column="revenue")]
        )
        return {
            "columnLineage": columns.ColumnLineageDatasetFacet(fields),
            "dataQualityMetrics": metrics,
            "dataQualityAssertions": held,
        }

    inputs = [
        InputDataset("hive://meta", "shop.orders"),
        read("shop.public.settings"),
    ]
    for day, success in [("02", True), ("03", False)]:
        output = written("revenue", counted(40, success), 4)
        tell("COMPLETE", f"revenue{day}", f"{day}T06:00", inputs, [output])

    # What is no load: a new form, an empty table, a deletion, a new name.
    for i, kind in enumerate(["ALTER", "CREATE", "TRUNCATE", "DROP"]):
        output = written("revenue", changed(kind))
        tell("COMPLETE", f"keep{i}", f"06T0{i}:00", (), [output])
    tell("COMPLETE", "users1", "02T07:00", (), [written("members", None, 5)])
    output = written("users", changed("RENAME", "members"))
    tell("COMPLETE", "users2", "03T07:00", (), [output])
    tell("COMPLETE", "users3", "04T07:00", (), [written("users", None, 6)])

    # What is declared, and no run.
    owner = ownership_dataset.OwnershipDatasetFacet(
        [ownership_dataset.Owner("team:finance", "MAINTAINER")]
    )
    client.emit(
        DatasetEvent(
            eventTime="2026-03-02T08:00:00Z",
            dataset=StaticDataset("s3://lake", "revenue", facets={"ownership": owner}),
            producer=producer,
        )
    )
    client.emit(
        JobEvent(
            eventTime="2026-03-02T08:00:00Z",
            job=Job("loads", "board"),
            inputs=[InputDataset("s3://lake", "revenue")],
            outputs=[OutputDataset("s3://lake", "board")],
            producer=producer,
        )
    )
    client.close()


main()
