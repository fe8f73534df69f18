"""Makes a Delta and an Iceberg table with the tools that people make them with.

    lake.py FOLDER first|then|loads CLOCK

`first` works on them for a week; `then` lets a checkpoint, a clean-up and an
expiry take away most of what the logs say of it, and goes on. `loads` makes tables
whose loader commits a few rows at a time. What was done is
written to FOLDER/done.json, a step each: when, what, and what came by it, rows
by day (nothing, if it brought nothing). CLOCK is the file that tells the time.
"""

import datetime
import json
import os
import sys

import deltalake
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType

folder, stage, clock = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
steps = []


def step(at, table, what, came=None):
    """The time is `at` from here on."""
    with open(clock, "w") as file:
        file.write(at)
    steps.append({"table": table, "at": at.replace(" ", "T") + "Z", "what": what, "came": came})


def rows(day, first, n, noted=False):
    columns = {
        "id": pa.array(range(first, first + n), pa.int64()),
        "day": pa.array([day] * n, pa.string()),
        "amount": pa.array([1.5] * n, pa.float64()),
    }
    if noted:
        columns["note"] = pa.array(["-"] * n, pa.string())
    return pa.table(columns)


ORDERS = "orders"


def delta_written():
    """The files of the log are as old as what they say."""
    log = os.path.join(ORDERS, "_delta_log")
    for name in os.listdir(log):
        if name.endswith(".json") and name[:20].isdigit():
            with open(os.path.join(log, name)) as file:
                at = json.loads(file.readline())["commitInfo"]["timestamp"] / 1000
            os.utime(os.path.join(log, name), (at, at))


def delta_first():
    d1, d2, d3, d4, d5 = (f"2026-09-0{day}" for day in range(1, 6))
    step("2026-09-01 05:10:00", ORDERS, "create and load", {d1: 3})
    keep = {"delta.logRetentionDuration": "interval 1 day"}
    write_deltalake(ORDERS, rows(d1, 0, 3), partition_by=["day"], configuration=keep)
    step("2026-09-02 05:12:00", ORDERS, "load", {d2: 4})
    write_deltalake(ORDERS, rows(d2, 10, 4), mode="append")
    step("2026-09-02 06:00:00", ORDERS, "change the schema")
    note = deltalake.Field("note", deltalake.schema.PrimitiveType("string"))
    DeltaTable(ORDERS).alter.add_columns(note)
    step("2026-09-03 07:40:00", ORDERS, "load, late", {d3: 5})
    write_deltalake(ORDERS, rows(d3, 20, 5, True), mode="append")
    step("2026-09-03 08:00:00", ORDERS, "load the rest", {d3: 1})
    write_deltalake(ORDERS, rows(d3, 30, 1, True), mode="append")
    step("2026-09-03 09:00:00", ORDERS, "optimize")
    assert DeltaTable(ORDERS).optimize.compact()["numFilesAdded"] == 1
    step("2026-09-03 10:00:00", ORDERS, "vacuum")
    DeltaTable(ORDERS).vacuum(0, dry_run=False, enforce_retention_duration=False)
    source = pa.concat_tables([rows(d3, 20, 1, True), rows(d4, 40, 2, True)])

    def merge():
        return DeltaTable(ORDERS).merge(
            source, "t.id = s.id", source_alias="s", target_alias="t"
        )

    # One day was not there before. Of the other a row was changed: none came.
    step("2026-09-04 05:05:00", ORDERS, "merge", {d4: 2})
    merge().when_matched_update_all().when_not_matched_insert_all().execute()
    before = DeltaTable(ORDERS).version()
    step("2026-09-04 06:00:00", ORDERS, "delete a row, so that a file is rewritten")
    assert DeltaTable(ORDERS).delete("id = 21")["num_added_files"] == 1
    step("2026-09-04 06:10:00", ORDERS, "delete a day")
    DeltaTable(ORDERS).delete(f"day = '{d1}'")
    step("2026-09-04 07:00:00", ORDERS, "restore")
    assert DeltaTable(ORDERS).restore(before)["numRestoredFile"] == 2
    step("2026-09-04 07:30:00", ORDERS, "update")
    DeltaTable(ORDERS).update(updates={"amount": "2.0"}, predicate="id = 22")
    step("2026-09-04 07:45:00", ORDERS, "set a property")
    DeltaTable(ORDERS).alter.set_table_properties({"delta.appendOnly": "false"})
    step("2026-09-05 05:11:00", ORDERS, "overwrite a day", {d5: 6})
    write_deltalake(
        ORDERS, rows(d5, 50, 6, True), mode="overwrite", predicate=f"day = '{d5}'"
    )
    step("2026-09-05 05:20:00", ORDERS, "fill old days", {d1: 2, d2: 3})
    old = pa.concat_tables([rows(d1, 60, 2, True), rows(d2, 70, 3, True)])
    write_deltalake(ORDERS, old, mode="append")
    step("2026-09-05 05:30:00", ORDERS, "load nothing")
    write_deltalake(ORDERS, rows(d5, 0, 0, True), mode="append")
    step("2026-09-05 05:40:00", ORDERS, "merge that deletes")
    merge().when_matched_delete().execute()
    delta_written()


def delta_then():
    step("2026-09-06 05:09:00", ORDERS, "load", {"2026-09-06": 2})
    write_deltalake(ORDERS, rows("2026-09-06", 80, 2, True), mode="append")
    delta_written()
    step("2026-09-06 12:00:00", ORDERS, "checkpoint, and clean the log up")
    DeltaTable(ORDERS).create_checkpoint()
    DeltaTable(ORDERS).cleanup_metadata()
    assert not os.path.exists(f"{ORDERS}/_delta_log/{0:020}.json")


def small_commits():
    """The rows of a day, one by one: when the first came, and when the last."""
    for day, n, seconds in [("2026-09-01", 200, 20), ("2026-09-02", 30, 60)]:
        begin = datetime.datetime.fromisoformat(f"{day}T05:00:00")
        for i in range(n):
            at = begin + datetime.timedelta(seconds=i * seconds)
            yield day, i, str(at), {day: n} if i == n - 1 else None


def delta_loads():
    for day, i, at, came in small_commits():
        step(at, ORDERS, "load a row", came)
        write_deltalake(ORDERS, rows(day, i, 1), mode="append", partition_by=["day"])
    delta_written()


def iceberg_loads():
    table = iceberg_table()
    for day, i, at, came in small_commits():
        if i % 10 == 0 or came:
            n = 1 if came else 10
            step(at, PAYMENTS, "load some rows", came)
            table.append(rows(day, i, n))


def iceberg_catalog():
    return SqlCatalog(
        "lake", uri="sqlite:///catalog.db", warehouse="file://" + os.path.abspath("iceberg")
    )


PAYMENTS = "payments"


def iceberg_table():
    os.makedirs("iceberg", exist_ok=True)
    step("2026-09-01 05:00:00", PAYMENTS, "create")
    catalog = iceberg_catalog()
    catalog.create_namespace("shop")
    return catalog.create_table(
        f"shop.{PAYMENTS}",
        Schema(
            NestedField(1, "id", LongType()),
            NestedField(2, "day", StringType()),
            NestedField(3, "amount", DoubleType()),
        ),
        partition_spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day")),
        properties={"write.summary.partition-limit": "100"},
    )


def iceberg_first():
    d1, d2, d3, d4 = (f"2026-09-0{day}" for day in range(1, 5))
    table = iceberg_table()
    step("2026-09-01 05:10:00", PAYMENTS, "load", {d1: 3})
    table.append(rows(d1, 0, 3))
    step("2026-09-02 05:12:00", PAYMENTS, "load", {d2: 4})
    table.append(rows(d2, 10, 4))
    step("2026-09-02 05:30:00", PAYMENTS, "change the schema")
    with table.update_schema() as update:
        update.add_column("note", StringType())
    # A delete that rewrites a file calls itself an overwrite: what stays of the
    # day looks as if it had come.
    step("2026-09-02 06:00:00", PAYMENTS, "delete a row, so that a file is rewritten", {d2: 3})
    table.delete("id = 10")
    assert table.current_snapshot().summary.operation.value == "overwrite"
    step("2026-09-02 06:10:00", PAYMENTS, "delete a day")
    table.delete(f"day = '{d1}'")
    assert table.current_snapshot().summary.operation.value == "delete"
    step("2026-09-03 05:12:00", PAYMENTS, "overwrite a day", {d2: 5})
    table.overwrite(rows(d2, 20, 5, True), overwrite_filter=f"day = '{d2}'")
    good = table.current_snapshot().snapshot_id
    step("2026-09-03 06:12:00", PAYMENTS, "load", {d3: 2})
    table.append(rows(d3, 30, 2, True))
    step("2026-09-03 07:00:00", PAYMENTS, "go back to before the load")
    table.manage_snapshots().rollback_to_snapshot(good).commit()
    step("2026-09-03 08:00:00", PAYMENTS, "load again", {d3: 3})
    table.append(rows(d3, 40, 3, True))
    step("2026-09-03 08:30:00", PAYMENTS, "make a branch")
    head = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_branch(head, "audit").commit()
    step("2026-09-03 09:00:00", PAYMENTS, "load into the branch")
    table.append(rows(d3, 50, 7, True), branch="audit")
    step("2026-09-04 05:00:00", PAYMENTS, "load nothing")
    table.append(rows(d4, 60, 0, True))


def iceberg_then():
    table = iceberg_catalog().load_table(f"shop.{PAYMENTS}")
    step("2026-09-05 05:11:00", PAYMENTS, "load, and expire", {"2026-09-05": 2})
    table.append(rows("2026-09-05", 70, 2, True))
    n_before = len(table.snapshots())
    cut = datetime.datetime(2026, 9, 3, 7, 30)
    table.maintenance.expire_snapshots().older_than(cut).commit()
    assert len(table.snapshots()) < n_before


if stage == "first":
    delta_first()
    iceberg_first()
elif stage == "then":
    delta_then()
    iceberg_then()
else:
    delta_loads()
    iceberg_loads()
with open("done.json", "w") as file:
    json.dump(steps, file, indent=1)
