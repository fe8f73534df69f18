"""A warehouse small enough to be loaded in a test: two loads, a table made from one of
them, and a board that waits for the table. The load of users fails on the third."""

import pendulum
from airflow.sdk import Asset, Metadata, dag, task

ORDERS = Asset("file:///lake/orders")
USERS = Asset("file:///lake/users")
REVENUE = Asset(name="revenue", uri="file:///lake/revenue")
BOARD = Asset("board")


@task(outlets=[ORDERS])
def orders():
    yield Metadata(ORDERS, {"rows": 42})


@task(outlets=[USERS])
def users(ds=None):
    if ds == "2026-03-03":
        raise ValueError("no users today")


@task(inlets=[ORDERS], outlets=[REVENUE])
def revenue():
    pass


@dag(schedule="0 5 * * *", start_date=pendulum.datetime(2026, 3, 1, tz="UTC"), catchup=False)
def loads():
    orders() >> [users(), revenue()]


@task(outlets=[BOARD])
def draw():
    pass


@dag(schedule=[REVENUE], start_date=pendulum.datetime(2026, 3, 1, tz="UTC"), catchup=False)
def board():
    draw()


loads()
board()
