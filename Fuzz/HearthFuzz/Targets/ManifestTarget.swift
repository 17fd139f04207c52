import Foundation
import HearthDelivery

extension FuzzTarget {
    /// A manifest of a model: what is accepted is written again and read as the same, and none of its files leaves its folder.
    static let manifest = FuzzTarget(name: "manifest", longestInput: 8 << 10) {
        { bytes in
            guard let manifest = try? ModelManifest(json: Data(bytes)) else { return }
            guard let text = try? manifest.json() else {
                require(false, "a manifest that was read cannot be written")
                return
            }
            require((try? ModelManifest(json: text)) == manifest, "another manifest")
            var folded: Set<String> = []
            for file in manifest.files {
                let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
                require(!parts.contains { ["", ".", ".."].contains($0) }, "a path that leaves: \(file.path)")
                require(!file.path.utf8.contains(0), "a path that ends early")
                require(folded.insert(FilePathRule.foldedName(file.path)).inserted, "one file twice: \(file.path)")
                for address in file.urls { _ = try? DownloadAddress(address) }
            }
            require(manifest.version == manifest.version && !(manifest.version < manifest.version), "order of versions")
        }
    } seeds: {
        guard let version = ModelVersion("1.2.0"), let older = ModelVersion("1.1") else { return [:] }
        let digest = String(repeating: "0123456789abcdef", count: 4)
        let whole = ModelManifest(
            name: "bedtime-270m", version: version,
            files: [
                ManifestFile(
                    path: "model.gguf", urls: ["https://models.example/model.gguf", "http://127.0.0.1:80/a"],
                    bytes: 70000, sha256: digest, rangeDigests: RangeDigests(size: 65536, sha256: [digest, digest])),
                ManifestFile(path: "more/labels.txt", urls: ["file:///tmp/labels.txt"], bytes: 1, sha256: digest),
            ], engine: "text", quantization: "q8_0", license: "Apache-2.0", leastMemory: 600_000_000,
            upgradeFrom: [older])
        let hostile = ["../a", "/a", "a//b", "CON", "ﬁ.txt", "a\\b", "a/./b", "\u{202E}b", "a:b"].map {
            ManifestFile(path: $0, urls: [], bytes: 1, sha256: digest)
        }
        var seeds: [String: [UInt8]] = ["whole": Array(try whole.json())]
        for (index, file) in hostile.enumerated() {
            var manifest = whole
            manifest.files = [file]
            seeds["path-\(index)"] = Array(try manifest.json())
        }
        return seeds
    }
}
