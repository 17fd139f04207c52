# To be sourced, in the repository's folder, after `swift build -c release`: what the compiler needs to import the modules that were
# built, as another package would. Sets `tools` (the toolchain's programs) and `imports` (flags).
tools=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")
imports=(-I "$(dirname "$(find .build/release/ -path '*Modules/Hearth.swiftmodule' -print -quit)")")
for map in Sources/C*/module.modulemap .build/release/C*.build/module.modulemap; do
    imports+=(-Xcc "-fmodule-map-file=$map")
done
for include in Sources/CHearth*/include; do imports+=(-Xcc -I -Xcc "$include"); done

# Writes the symbol graphs of all public modules, those that `import Hearth` brings and the other products, to a folder.
symbol_graphs() {
    local target module
    target=$("$tools/swiftc" -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
    for module in $(sed -n 's/^@_exported public import //p' Sources/Hearth/Hearth.swift) HearthServer HearthCompression HearthUI; do
        "$tools/swift-symbolgraph-extract" -module-name "$module" -target "$target" "${imports[@]}" \
            -minimum-access-level public -skip-synthesized-members -output-dir "$1"
    done
}
