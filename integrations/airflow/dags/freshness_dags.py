"""Learns each night when datasets arrive, and says each hour which are late.

Copy this file into the folder of DAGs. Its tasks call the program `freshness`, which
must be installed where they run, by these Airflow variables:

    freshness_command  how it is called, such as /opt/bin/freshness [freshness]
    freshness_folder   where freshness.yaml and the store are [the present folder]

and one environment variable, which is read with the DAGs:

    AIRFLOW_FRESHNESS_DASHBOARDS  reports that wait until they can be believed, each
                                  with the score it asks for: revenue=80 board=90

A task fails when `freshness` does: 1, something is late; 2, it could not tell. A late
dataset is not there sooner if it is asked again, so such tasks are not retried. What
`freshness` says is in the log of the task.
"""

import os
import shlex
import subprocess

import pendulum
from airflow.exceptions import AirflowFailException
from airflow.sdk import Variable, dag, task

START = pendulum.datetime(2026, 1, 1, tz="UTC")

DASHBOARDS = [
    one.rsplit("=", 1)
    for one in shlex.split(os.environ.get("AIRFLOW_FRESHNESS_DASHBOARDS", ""))
]

# The next run waits for the one before: both write to one store.
USUAL = {"start_date": START, "catchup": False, "max_active_runs": 1, "tags": ["freshness"]}


def freshness(*arguments: str) -> int:
    """Runs a command and gives its exit code."""
    command = shlex.split(Variable.get("freshness_command", default="freshness"))
    folder = Variable.get("freshness_folder", default=".")
    return subprocess.run([*command, *arguments], cwd=folder, check=False).returncode


def must(*arguments: str) -> None:
    """Runs a command; what is not healthy fails the task."""
    code = freshness(*arguments)
    if code != 0:
        meaning = {1: "something is late", 2: "it could not tell"}
        raise AirflowFailException(
            f"freshness {' '.join(arguments)}: {meaning.get(code, f'exit code {code}')}"
        )


@task
def collect() -> None:
    """Reads what is new at every source in freshness.yaml."""
    must("collect")


# A source that could not be read has failed its own task; of the others there is news.
@task(trigger_rule="all_done")
def fit() -> None:
    """Learns what is normal."""
    must("fit")


@task(trigger_rule="all_done")
def check() -> None:
    """Says what is late; fails if something critical is."""
    must("check")


@task.short_circuit(trigger_rule="all_done")
def gate(dashboard: str, score: str) -> bool:
    """Lets a report pass if its data can be believed, and skips what follows if not.
    That it could not be told is a failure, and no reason to go on."""
    code = freshness("gate", dashboard, "--min-score", score)
    if code not in (0, 1):
        raise AirflowFailException(f"freshness gate {dashboard}: it could not tell")
    return code == 0


@task
def send(dashboard: str) -> None:
    """What is to be done with a report that can be believed: replace this by it."""
    print(f"{dashboard} can be believed")


@dag(schedule="30 6 * * *", **USUAL)
def freshness_fit():
    """Collects and learns, each night."""
    collect() >> fit()


@dag(schedule="15 * * * *", **USUAL)
def freshness_check():
    """Collects and checks, each hour, and lets pass the reports that can be believed."""
    collected = collect()
    collected >> check()
    for dashboard, score in DASHBOARDS:
        passed = gate.override(task_id=f"gate_{dashboard}")(dashboard, score)
        collected >> passed >> send.override(task_id=f"send_{dashboard}")(dashboard)


freshness_fit()
freshness_check()
