#!/usr/bin/env bash
# typecheck.sh [--target ios|macos] [--tests] [--strict] [-v] PROJECT [MODULE…]: type-checks a Swift package for an Apple platform on Linux; README.md
exec python3 -B "$(dirname "$(realpath "$0")")/kit.py" "$@"
