# Shorthand for those who have `just`; everything is in ./run and ./test.

# What continuous integration runs.
check:
    ./test

# Serve a development build.
run *flags:
    ./run -- {{flags}}

# Rebuild the browser's part; a running development server takes it at the next reload.
site:
    cargo xtask site

# The wheels of the Python package, installed in a new environment and used there.
wheel:
    scripts/wheel && scripts/try-wheel.py

# All files of a release, into target/release-VERSION.
release:
    scripts/release

# The manual, into target/manual.
manual:
    scripts/manual

# The manual with new pictures, taken in a browser with the debug build.
manual-pictures:
    cd end2end && npx playwright test tests/manual.spec.js
    scripts/manual
