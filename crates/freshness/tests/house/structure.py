"""What does each statement consist of?

Reads [{"dialect", "what", "sql"}] from standard input. Each is parsed as its
dialect; the answer has, for every statement in it, what is compared across
dialects.
"""

import json
import sys

from sqlglot import ErrorLevel, exp, parse


def structure(tree):
    ctes = {cte.alias for cte in tree.find_all(exp.CTE)}
    tables = {
        table.sql(dialect="postgres", comments=False).split(" AS ")[0].lower()
        for table in tree.find_all(exp.Table)
        if table.name and table.name not in ctes
    }
    cases = [
        [
            branch.args["true"].name
            for branch in case.args["ifs"]
            if branch.args["true"].is_string
        ]
        + ([case.args["default"].name] if case.args.get("default") and case.args["default"].is_string else [])
        for case in tree.find_all(exp.Case)
    ]
    joins = [(join.side or join.kind or "") for join in tree.find_all(exp.Join)]
    if isinstance(tree, exp.Insert):
        columns = [column.name for column in tree.this.expressions]
    elif isinstance(tree, exp.Create):
        columns = [column.name for column in tree.find_all(exp.ColumnDef)]
    else:
        columns = tree.named_selects
    return {
        "kind": type(tree).__name__,
        "tables": sorted(tables),
        "cases": [case for case in cases if case],
        "joins": sorted(joins),
        "columns": columns,
    }


def main():
    answers = []
    for asked in json.load(sys.stdin):
        answer = {"dialect": asked["dialect"], "what": asked["what"]}
        try:
            trees = parse(asked["sql"], read=asked["dialect"], error_level=ErrorLevel.RAISE)
            # A statement that is not known is taken whole, which says nothing.
            trees = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
            if any(isinstance(tree, exp.Command) for tree in trees):
                raise ValueError("a statement that is not understood")
            answer["statements"] = [structure(tree) for tree in trees]
        except Exception as error:
            answer["error"] = str(error)
        answers.append(answer)
    json.dump(answers, sys.stdout)


main()
