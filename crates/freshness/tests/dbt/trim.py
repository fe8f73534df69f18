"""Makes the copies of artefacts in `kept/` from what `play.py` archived.

    trim.py ARCHIVE KEPT

Of a manifest goes what is dbt's own (macros, docs), which is nine tenths of it,
and but for the last command of the first and the last day the manifest itself.
"""

import json
import sys
from pathlib import Path

archive, kept = Path(sys.argv[1]), Path(sys.argv[2])
for day in sorted(archive.iterdir()):
    commands = sorted(day.iterdir())
    for command in commands:
        for file in sorted(command.iterdir()):
            content = json.loads(file.read_text())
            if file.name == "manifest.json":
                if command != commands[-1] or day.name not in ("day-1", "day-5"):
                    continue
                for key in ("macros", "docs", "selectors", "disabled", "child_map", "group_map"):
                    content.pop(key, None)
            target = kept / file.relative_to(archive)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(content) + "\n")
