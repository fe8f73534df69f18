"""A warehouse small enough to be materialised in a test."""

from dagster import (
    AssetExecutionContext, DailyPartitionsDefinition, Definitions, MaterializeResult, asset,
)

days = DailyPartitionsDefinition(start_date="2026-03-01")


@asset(owners=["ann@example.com"], partitions_def=days)
def orders(context: AssetExecutionContext) -> MaterializeResult:
    return MaterializeResult(metadata={"dagster/row_count": 42})


@asset(key_prefix="shop", deps=[orders])
def revenue() -> MaterializeResult:
    return MaterializeResult(metadata={"dagster/partition_row_count": 7})


@asset
def broken() -> None:
    raise ValueError("not today")


definitions = Definitions(assets=[orders, revenue, broken])
