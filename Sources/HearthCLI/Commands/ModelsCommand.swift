import Foundation
import HearthCompression
import HearthDelivery
import HearthModels
import HearthSystem

/// `hearth models`: lists installed models.
struct ModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "Lists installed models.",
        discussion: """
            A name stands for its current version: the pinned one, otherwise the one that was last pulled or
            rolled back to. Files that were put into the Models folder by hand have the version 'local'.
            Problems in the folders are reported on standard error; everything else is still listed.
            """,
        examples: [
            ("models", "Lists name, version, size, whether it is compiled, and last use."),
            ("models --json", "The same with more details, as JSON."),
            ("models --pin bedtime@1.2.0", "Keeps a version current, whatever is pulled later."),
        ])

    @Option(valueName: "NAME@VERSION", help: "Makes a version current and keeps it current.")
    var pin: String?
    @Option(valueName: "NAME", help: "Ends a pin.")
    var unpin: String?
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        if let pin, pin.split(separator: "@", omittingEmptySubsequences: false).count != 2 {
            throw UsageError("'--pin \(pin)' is not NAME@VERSION", command: "models")
        }
    }

    private struct Result: Encodable {
        var models: [ModelRow]
        var notices: [String]
    }

    mutating func run() async throws {
        let library = try InstalledModels.library()
        if let words = pin?.split(separator: "@").map(String.init), words.count == 2 {
            try library.pin(name: words[0], version: words[1])
        }
        if let unpin { try library.unpin(name: unpin) }
        let listing = library.listing()
        let rows = Self.rows(listing, library: library, folder: try InstalledModels.folders().models)
        for notice in listing.notices { Output.error.writeLine("hearth: notice: " + notice.withVisibleControls) }
        if json { return try Output.standard.writeJSON(Result(models: rows, notices: listing.notices)) }
        guard !rows.isEmpty else {
            return Output.standard.writeLine("No models are installed. 'hearth help pull' says how to get one.")
        }
        Output.standard.write(ModelTable(rows: rows, now: ModelLibrary.systemTime()).text)
    }

    private static func rows(_ listing: LibraryListing, library: ModelLibrary, folder: String) -> [ModelRow] {
        let artifacts = library.artifactList()
        let installed = listing.models.map { model in
            ModelRow(
                name: model.name, version: model.version, bytes: model.bytes,
                artifacts: library.artifacts(of: model, in: artifacts).map {
                    .init(digest: $0.digest, bytes: $0.bytes)
                },
                lastUsed: model.lastUsed.map(iso8601), sha256: model.sha256, engine: model.engine.rawValue,
                path: model.path, current: model.isCurrent, pinned: model.isPinned, storage: model.storage.rawValue,
                complete: model.isWhole, lastUse: model.lastUsed)
        }
        let names = Set(installed.filter(\.current).map(\.name))
        let files = SystemFiles()
        let local = ((try? files.list(folder)) ?? []).compactMap { file -> ModelRow? in
            let path = "\(folder)/\(file)"
            // Symbolic links to models elsewhere are common here.
            guard let ending = ModelLocator.endings.first(where: file.hasSuffix), !file.hasPrefix("."),
                let real = RealPath.of(path), let bytes = Self.bytes(real, isPackage: ending == ".mlpackage")
            else { return nil }
            let name = String(file.dropLast(ending.count))
            let made = artifacts.filter { $0.source.path == real }
            let engine: ModelEngineKind = ending == ".gguf" ? .text : .coreml
            return ModelRow(
                name: name, version: "local", bytes: bytes,
                artifacts: made.map { .init(digest: $0.digest, bytes: $0.bytes) },
                lastUsed: made.map(\.lastUsed).max().map(iso8601), engine: engine.rawValue, path: path,
                current: !names.contains(name), pinned: false, storage: "folder", complete: true,
                lastUse: made.map(\.lastUsed).max())
        }
        return installed + local
    }

    /// The size of a file, or of all files in a package; nil if it is neither.
    private static func bytes(_ path: String, isPackage: Bool) -> Int? {
        let files = SystemFiles()
        guard let status = try? files.status(path) else { return nil }
        guard isPackage, status.kind == .folder else { return status.kind == .file && !isPackage ? status.size : nil }
        return try? PackageCompressor.byteCount(of: path)
    }

    private static func iso8601(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
