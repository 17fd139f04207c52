import Foundation
import HearthDelivery
import HearthSystem

/// `hearth models`: what is installed.
struct ModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "Lists installed models.",
        discussion: """
            A name stands for its current version: the pinned one, else the one that was pulled, or rolled back to, last.
            Files that were put into the Models folder by hand have the version 'local'. What is odd about the folders is
            told on standard error, and keeps nothing else from being listed.
            """,
        examples: [
            ("models", "Name, version, size, whether it is compiled, and when it was used."),
            ("models --json", "The same and more, for programs."),
            ("models --pin bedtime@1.2.0", "Keeps a version current, whatever is pulled later."),
        ])

    @Option(valueName: "NAME@VERSION", help: "Makes a version current and keeps it so.")
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
                lastUsed: model.lastUsed.map(iso8601), sha256: model.sha256, path: model.path,
                current: model.isCurrent, pinned: model.isPinned, storage: model.storage.rawValue,
                complete: model.isWhole, lastUse: model.lastUsed)
        }
        let names = Set(installed.filter(\.current).map(\.name))
        let files = SystemFiles()
        let local = ((try? files.list(folder)) ?? []).compactMap { file -> ModelRow? in
            let path = "\(folder)/\(file)"
            // A link to a model elsewhere is a common way of putting one there.
            guard file.hasSuffix(".gguf"), !file.hasPrefix("."), let real = RealPath.of(path),
                let status = try? files.status(real), status.kind == .file
            else { return nil }
            let name = String(file.dropLast(5))
            let made = artifacts.filter { $0.source.path == real }
            return ModelRow(
                name: name, version: "local", bytes: status.size,
                artifacts: made.map { .init(digest: $0.digest, bytes: $0.bytes) },
                lastUsed: made.map(\.lastUsed).max().map(iso8601), path: path, current: !names.contains(name),
                pinned: false, storage: "folder", complete: true, lastUse: made.map(\.lastUsed).max())
        }
        return installed + local
    }

    private static func iso8601(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
}
