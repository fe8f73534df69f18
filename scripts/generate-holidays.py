#!/usr/bin/env python3
"""Regenerates the built-in holiday calendars from the Python package `holidays`.

    python3 -m venv /tmp/holidays && /tmp/holidays/bin/pip install holidays
    /tmp/holidays/bin/python scripts/generate-holidays.py

Public holidays only. The form of the file is described in its own header and
read by crates/freshness-core/src/civil/holidays/builtin.rs. The days of the
United States are computed there; here they are written as test data.
"""

import datetime
import pathlib
import string
import warnings

import holidays

YEARS = range(2000, 2041)
CORE = pathlib.Path(__file__).resolve().parent.parent / "crates/freshness-core"
DATA = CORE / "src/civil/holidays/public_holidays.txt"
FEDERAL = CORE / "tests/data/us_federal_holidays.txt"

# Countries whose business days differ by region so much that the national list
# alone is of little use: `GB` knows no Easter Monday, which England has.
WITH_REGIONS = ["AU", "CA", "CH", "DE", "GB"]

DIGITS = string.digits + string.ascii_lowercase

HEADER = f"""\
# Public holidays {YEARS[0]}-{YEARS[-1]}, from the Python package holidays {holidays.__version__} (MIT licence).
# Written by scripts/generate-holidays.py; do not edit.
# A line: names (code, then aliases), the calendar whose days it also has (or -),
# days of every year (or -), other days of each year from {YEARS[0]} on, after commas.
# The days of the United States are computed, see federal.rs.
# A day is two digits in base 36, month and day of the month: cp is 25 December.
"""


def code(day):
    return DIGITS[day[0]] + DIGITS[day[1]]


def encode(days):
    by_year = {year: set() for year in YEARS}
    for day in days:
        if day.year in by_year:
            by_year[day.year].add((day.month, day.day))
    every = set.intersection(*by_year.values())
    others = ["".join(map(code, sorted(by_year[year] - every))) for year in YEARS]
    return ("".join(map(code, sorted(every))) or "-") + " " + ",".join(others).rstrip(",")


def line(names, days, parent=None, parent_days=frozenset()):
    if parent and not parent_days <= days:
        parent, parent_days = None, frozenset()
    return f"{','.join(names)} {parent or '-'} {encode(days - parent_days)}".rstrip()


def main():
    warnings.simplefilter("ignore")
    lines = []
    for country in sorted(holidays.list_supported_countries(include_aliases=False)):
        days = frozenset(holidays.country_holidays(country, years=YEARS))
        if not days:
            # An uninhabited island.
            continue
        if country == "US":
            federal = sorted(day for day in days if day.year in YEARS)
            text = "\n".join(day.isoformat() for day in federal)
            FEDERAL.write_text(f"{text}\n")
            lines.append("US computed")
            continue
        lines.append(line([country], days))
        if country not in WITH_REGIONS:
            continue
        for region in holidays.country_holidays(country).subdivisions:
            if not (region.isalnum() and region.isupper()):
                continue
            regional = frozenset(holidays.country_holidays(country, region, years=YEARS))
            lines.append(line([f"{country}-{region}"], regional, country, days))

    markets = {}
    for name in holidays.list_supported_financial(include_aliases=True):
        calendar = holidays.financial_holidays(name, years=YEARS)
        days = frozenset(calendar)
        # An alias has the days of the market it names.
        names, _ = markets.setdefault((calendar.market, days), ([], days))
        names.append(name)
    for names, days in sorted(markets.values(), key=lambda market: market[0]):
        lines.append(line(names, days))

    DATA.write_text(HEADER + "\n".join(lines) + "\n")
    print(f"{len(lines)} calendars, {DATA.stat().st_size / 1000:.0f} kB")


main()
