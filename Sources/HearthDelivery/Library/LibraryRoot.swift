/// The folders of one storage class. Pure.
///
///     blobs/<sha256>                    bytes of models, as they were published, read-only
///     packages/<sha256>.mlpackage       a Core ML model as its engine reads it: its files under their paths, each one a
///                                       second name of the file in blobs
///     manifests/<name>/<version>.json   what a version consists of; written last
///     selections/<name>.json            which version is current
///     leases/<name>@<version>           locked by processes that use the version
///     uses/<name>@<version>             when it was used last
///     partial/                          downloads under way
///     library.lock                      held while the library changes
struct LibraryRoot: Sendable, Hashable {
    var path: String
    var storage: StorageClass

    var blobs: String { path + "/blobs" }
    var packages: String { path + "/packages" }
    var manifests: String { path + "/manifests" }
    var selections: String { path + "/selections" }
    var leases: String { path + "/leases" }
    var uses: String { path + "/uses" }
    var partial: String { path + "/partial" }
    var lock: String { path + "/library.lock" }

    func blob(_ sha256: String) -> String { "\(blobs)/\(sha256)" }
    /// The package in which the engine reads a model's files; nil if it reads the blob itself.
    func package(_ record: ModelRecord) -> String? { Self.packageName(record).map { "\(packages)/\($0)" } }
    static func packageName(_ record: ModelRecord) -> String? {
        switch record.layout {
        case nil: nil
        case .file: record.sha256 + ".mlmodel"
        case .folder: record.sha256 + ".mlpackage"
        }
    }
    func folder(_ name: String) -> String { "\(manifests)/\(name)" }
    func record(_ name: String, _ version: String) -> String { "\(manifests)/\(name)/\(version).json" }
    func selection(_ name: String) -> String { "\(selections)/\(name).json" }
    func lease(_ name: String, _ version: String) -> String { "\(leases)/\(name)@\(version)" }
    func use(_ name: String, _ version: String) -> String { "\(uses)/\(name)@\(version)" }

    /// `name.json` without its ending; nil for other files.
    static func stem(_ file: String) -> String? { file.hasSuffix(".json") ? String(file.dropLast(5)) : nil }

    /// The name and version of a lease or a use.
    static func identity(_ file: String) -> (name: String, version: String)? {
        let parts = file.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, ModelName.isValid(parts[0]), ModelName.isValidVersion(parts[1]) else { return nil }
        return (parts[0], parts[1])
    }
}
