# The daily commands. Without `just`: scripts/daily COMMAND.

# Everything a change must pass.
check:
    scripts/daily check

test:
    scripts/daily test

lint:
    scripts/daily lint

format:
    scripts/daily format

# Regenerates the built-in holiday calendars.
holidays:
    scripts/daily holidays

# What the demo prints, and the README's picture of it.
picture:
    scripts/daily picture

# The README's picture of the console.
console:
    scripts/daily console

# Licences, bans and advisories of the dependencies; needs cargo-deny.
deny:
    scripts/daily deny

# Five minutes of each fuzz target: `just fuzz 5`; needs cargo-fuzz.
fuzz MINUTES:
    scripts/fuzz {{MINUTES}}
