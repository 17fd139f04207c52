internal import Foundation
package import HearthSystem

/// `Manifest.json`: what a package holds, and which of it is the model.
package struct PackageManifest: Sendable, Equatable {
    /// An item of the package: a file or a folder.
    package struct Item: Sendable, Equatable {
        /// Path inside the folder `Data`.
        package var path: String
        /// What it is called.
        package var name: String
        /// Who wrote it.
        package var author: String
        /// What it is.
        package var description: String

        package init(path: String, name: String, author: String, description: String) {
            self.path = path
            self.name = name
            self.author = author
            self.description = description
        }
    }

    /// The items, by identifier.
    package var items: [String: Item]
    /// The identifier of the model.
    package var rootIdentifier: String

    static let fileName = "Manifest.json"
    /// The newest version of the package's layout that is read.
    static let version = [1, 0, 0]

    package init(items: [String: Item], rootIdentifier: String) {
        self.items = items
        self.rootIdentifier = rootIdentifier
    }

    /// The manifest of a package with a model and perhaps weights, with new identifiers.
    package static func usual(hasWeights: Bool) -> PackageManifest {
        let root = UUID().uuidString
        var items = [
            root: Item(
                path: "com.apple.CoreML/model.mlmodel", name: "model.mlmodel", author: "com.apple.CoreML",
                description: "CoreML Model Specification")
        ]
        if hasWeights {
            items[UUID().uuidString] = Item(
                path: "com.apple.CoreML/weights", name: "weights", author: "com.apple.CoreML",
                description: "CoreML Model Weights")
        }
        return PackageManifest(items: items, rootIdentifier: root)
    }

    /// Reads the bytes of a manifest.
    package init(_ file: MappedFile) throws(FileError) {
        func location(_ field: String) -> FileError.Location { .init(file: file.path, field: field) }
        guard file.count <= CoreMLLimits.manifestBytes else {
            throw .limitExceeded(
                location("file"), claimed: UInt64(file.count), limit: CoreMLLimits.manifestBytes)
        }
        let data = file.withUnsafeBytes { Data($0) }
        guard let object = try? JSONSerialization.jsonObject(with: data), let root = object as? [String: Any] else {
            throw .malformed(location("file"), problem: "the manifest is not a JSON object")
        }
        func text(_ object: [String: Any], _ key: String, _ place: String) throws(FileError) -> String {
            guard let value = object[key] else { throw .missing(location(place), what: "'\(key)'") }
            guard let text = value as? String else {
                throw .wrongType(location(place), expected: "a text", found: "something else")
            }
            return text
        }
        try Self.checkVersion(
            try text(root, "fileFormatVersion", "fileFormatVersion"), location("fileFormatVersion"))
        guard let entries = root["itemInfoEntries"] as? [String: Any] else {
            throw .missing(location("itemInfoEntries"), what: "the list of items")
        }
        guard entries.count <= CoreMLLimits.manifestItems else {
            throw .limitExceeded(
                location("itemInfoEntries"), claimed: UInt64(entries.count), limit: CoreMLLimits.manifestItems)
        }
        var items: [String: Item] = [:]
        for (identifier, entry) in entries.sorted(by: { $0.key < $1.key }) {
            let place = "itemInfoEntries[\(identifier)]"
            guard let entry = entry as? [String: Any] else {
                throw .wrongType(location(place), expected: "an object", found: "something else")
            }
            items[identifier] = Item(
                path: try text(entry, "path", "\(place).path"), name: try text(entry, "name", "\(place).name"),
                author: try text(entry, "author", "\(place).author"),
                description: try text(entry, "description", "\(place).description"))
        }
        self.items = items
        rootIdentifier = try text(root, "rootModelIdentifier", "rootModelIdentifier")
        guard items[rootIdentifier] != nil else {
            throw .undefinedName(location("rootModelIdentifier"), name: rootIdentifier)
        }
    }

    private static func checkVersion(_ text: String, _ location: FileError.Location) throws(FileError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard parts.count == 3, numbers.count == 3 else {
            throw .malformed(location, problem: "the version '\(text)' is not three numbers")
        }
        guard !version.lexicographicallyPrecedes(numbers) else {
            throw .unsupported(location, what: "version \(text) of the package's layout")
        }
    }

    /// The manifest as JSON, keys sorted.
    package func encoded() throws -> [UInt8] {
        let entries = items.mapValues { item in
            ["path": item.path, "name": item.name, "author": item.author, "description": item.description]
        }
        let object: [String: Any] = [
            "fileFormatVersion": "1.0.0", "itemInfoEntries": entries, "rootModelIdentifier": rootIdentifier,
        ]
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try Array(JSONSerialization.data(withJSONObject: object, options: options)) + [0x0a]
    }
}
