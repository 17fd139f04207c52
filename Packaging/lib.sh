# Shared by the scripts of this folder, which source it: what is released, of which commit, and from when.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    echo "${0##*/}: $1" >&2
    exit 1
}

# A program of the build system, with the package that brings it.
need() {
    command -v "$1" >/dev/null 2>&1 || fail "there is no '$1'. Install it, for example with 'apt install $2'."
}

# The one place that has the version is the constant that the program prints.
version() {
    local version
    version=$(sed -n 's/.*static let number = "\([^"]*\)".*/\1/p' "$root/Sources/HearthSystem/HearthVersion.swift")
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] ||
        fail "no version is found in Sources/HearthSystem/HearthVersion.swift"
    echo "$version"
}

# True where the sources are a git checkout of their own, not a folder that was unpacked somewhere inside another one.
checkout() { [[ $(git -C "$root" rev-parse --is-inside-work-tree --show-prefix 2>/dev/null) == true ]]; }

# Commit and its time, as git archive wrote them; empty where the file is the one of a checkout.
archived() { grep -E '^[0-9a-f]{40,64} [0-9]+$' "$root/Packaging/COMMIT" 2>/dev/null || true; }

# The commit, with "-modified" where a tracked file differs from it; empty where nobody knows.
commit() {
    if [[ -n ${HEARTH_COMMIT+set} ]]; then
        echo "$HEARTH_COMMIT"
    elif checkout; then
        local commit changes
        commit=$(git -C "$root" rev-parse --verify --quiet HEAD) || return 0
        # Without locks: a build must not get in the way of what somebody does with git at the same time.
        changes=$(git -C "$root" --no-optional-locks status --porcelain --untracked-files=no 2>/dev/null) || changes=
        echo "$commit${changes:+-modified}"
    else
        local words
        words=$(archived)
        echo "${words% *}"
    fi
}

# The time that everything in a release carries, in seconds since 1970: that of the commit, so that the same commit gives the same bytes
# (https://reproducible-builds.org/specs/source-date-epoch/).
epoch() {
    local words
    if [[ -n ${SOURCE_DATE_EPOCH-} ]]; then
        echo "$SOURCE_DATE_EPOCH"
    elif checkout && git -C "$root" log -1 --format=%ct 2>/dev/null; then
        :
    else
        words=$(archived)
        if [[ -n $words ]]; then echo "${words#* }"; else stat -c %Y "$root/Packaging/COMMIT"; fi
    fi
}

# Where packages go.
# shellcheck disable=SC2034
output=${HEARTH_OUTPUT:-$root/.build/packages}
