"""Plays days of a shop with the dbt that is installed beside this Python.

    play.py SHOP ARCHIVE DAYS

SHOP is a folder with the project, ARCHIVE gets a folder for each command with
what dbt wrote, and DAYS is a JSON file: a list of {"at", "load": [SQL]} and
{"at", "dbt": [argument], "keep": folder, "fails", "since": version, "with": {file
in SHOP: what is copied there}}. It is that time for Python, dbt and the database,
which is DuckDB, or PostgreSQL where SHOP_HOST names a server.
"""

import json
import os
import shutil
import sys
from datetime import datetime
from pathlib import Path

import time_machine
from dbt.cli.main import dbtRunner
from dbt.version import __version__

ARTEFACTS = ["manifest.json", "sources.json", "run_results.json"]
USUAL = ["--project-dir", ".", "--profiles-dir", ".", "--quiet"]


def main() -> None:
    shop, archive = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    days = json.loads(Path(sys.argv[3]).read_text())
    os.environ["SHOP_DATABASE"] = str(shop / "shop.duckdb")
    os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
    os.chdir(shop)
    # What was typed is written down, and this script is nobody's business.
    sys.argv = ["dbt"]
    for step in days:
        if version(step.get("since", "0.0")) > version(__version__):
            continue
        os.environ["SHOP_NOW"] = step["at"]
        with time_machine.travel(datetime.fromisoformat(step["at"]), tick=True):
            if "load" in step:
                load(step["load"])
            else:
                run(step, archive)


def run(step: dict, archive: Path) -> None:
    """Runs a command of dbt, and keeps what it wrote."""
    os.environ["SHOP_FAILS"] = "x" if step.get("fails") else "1"
    for name in ARTEFACTS:
        (Path("target") / name).unlink(missing_ok=True)
    for place, copied in step.get("with", {}).items():
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(copied, place)
    sys.argv = ["dbt", *step["dbt"]]
    result = dbtRunner().invoke([*step["dbt"], *USUAL])
    if result.exception:
        raise result.exception
    folder = archive / step["keep"]
    folder.mkdir(parents=True)
    for name in ARTEFACTS:
        if (Path("target") / name).exists():
            shutil.copy(Path("target") / name, folder)


def load(statements: list[str]) -> None:
    """Runs SQL in the database of the shop."""
    if "SHOP_HOST" in os.environ:
        import psycopg2

        database = psycopg2.connect(
            host=os.environ["SHOP_HOST"],
            port=os.environ["SHOP_PORT"],
            user=os.environ["SHOP_USER"],
            dbname="postgres",
        )
        with database, database.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        database.close()
        return
    import duckdb

    with duckdb.connect(os.environ["SHOP_DATABASE"]) as database:
        for statement in statements:
            database.execute(statement)


def version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


main()
