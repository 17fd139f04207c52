package import Foundation

extension ModelManifest {
    private static let maximumJSONBytes = 1 << 20
    private static let maximumNesting = 16
    private static let maximumFiles = 1000
    private static let maximumBytes = 1 << 44

    /// Reads a manifest and checks every rule.
    /// - Throws: `DeliveryError.invalidManifest`, which names the field.
    package init(json: Data) throws(DeliveryError) {
        func invalid(_ field: String, _ reason: String) -> DeliveryError {
            .invalidManifest(field: field, reason: reason)
        }
        guard json.count <= Self.maximumJSONBytes else {
            throw invalid("file", "it has more than \(Self.maximumJSONBytes) bytes")
        }
        guard Self.nesting(of: json) <= Self.maximumNesting else {
            throw invalid("file", "it is nested more than \(Self.maximumNesting) deep")
        }
        // The schema first: what follows may look different in another one.
        struct Schema: Decodable {
            var schema: Int
            enum CodingKeys: CodingKey { case schema }
            init(from decoder: any Decoder) throws {
                schema = try decoder.container(keyedBy: CodingKeys.self).wholeNumber(.schema)
            }
        }
        do {
            let schema = try JSONDecoder().decode(Schema.self, from: json).schema
            guard schema == Self.schemaVersion else {
                throw invalid("schema", "this build reads schema \(Self.schemaVersion), not \(schema)")
            }
            self = try JSONDecoder().decode(ModelManifest.self, from: json)
        } catch let error as DeliveryError {
            throw error
        } catch let error as DecodingError {
            throw Self.invalid(error)
        } catch {
            throw invalid("file", "it is not JSON")
        }
        try validate()
    }

    /// As JSON, with keys in a fixed order.
    package func json() throws(DeliveryError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do { return try encoder.encode(self) } catch {
            throw .invalidManifest(field: "file", reason: "it cannot be written as JSON")
        }
    }

    /// Checks names, sizes, digests and addresses.
    /// - Throws: `DeliveryError.invalidManifest`, which names the field.
    package func validate() throws(DeliveryError) {
        func check(_ isValid: Bool, _ field: String, _ reason: String) throws(DeliveryError) {
            guard isValid else { throw .invalidManifest(field: field, reason: reason) }
        }
        try check(schema == Self.schemaVersion, "schema", "this build reads schema \(Self.schemaVersion)")
        if let objection = FilePathRule.objection(toName: name) { try check(false, "name", objection) }
        let engines = ModelEngineKind.allCases.map(\.rawValue)
        try check(engines.contains(engine), "engine", "it is not one of: \(engines.joined(separator: ", "))")
        try check((quantization ?? "").utf8.count <= 64, "quantization", "it has at most 64 bytes")
        try check((license ?? "").utf8.count <= 200, "license", "it has at most 200 bytes")
        try check((0...Self.maximumBytes).contains(leastMemory ?? 0), "leastMemory", "it is out of range")
        try check((upgradeFrom ?? []).count <= 100, "upgradeFrom", "it lists more than 100 versions")
        try check(!files.isEmpty, "files", "there is none")
        try check(files.count <= Self.maximumFiles, "files", "there are more than \(Self.maximumFiles)")
        for (index, file) in files.enumerated() { try file.validate("files[\(index)]", check) }
        try checkPathsDiffer()
        // Each is at most 2^44 and there are at most a thousand: the sum fits.
        let total = files.reduce(0) { $0 + $1.bytes }
        try check(total <= Self.maximumBytes, "files", "together they have more than 2^44 bytes")
    }

    /// No two paths may be one file on a disk that ignores case, and no file may be another one's folder.
    private func checkPathsDiffer() throws(DeliveryError) {
        var paths: Set<String> = []
        for file in files where !paths.insert(FilePathRule.foldedName(file.path)).inserted {
            throw .invalidManifest(field: "files", reason: "two files have the path \(file.path)")
        }
        if let folder = FilePathRule.fileAmongFolders(paths) {
            throw .invalidManifest(field: "files", reason: "\(folder) is a file and a folder")
        }
    }

    /// How deep brackets nest outside of strings; the decoder recurses, so this is looked at first.
    private static func nesting(of json: Data) -> Int {
        var depth = 0
        var deepest = 0
        var isString = false
        var isEscaped = false
        for byte in json {
            if isString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }

    /// A type as people who write JSON call it.
    private static func words(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any FixedWidthInteger.Type: "a whole number"
        case is [Any].Type: "an array"
        default: "an object"
        }
    }

    private static func invalid(_ error: DecodingError) -> DeliveryError {
        func field(_ path: [any CodingKey]) -> String {
            let text = path.reduce(into: "") { text, key in
                text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? key.stringValue : ".\(key.stringValue)")
            }
            return text.isEmpty ? "file" : text
        }
        return switch error {
        case .keyNotFound(let key, let context):
            .invalidManifest(field: field(context.codingPath + [key]), reason: "it is missing")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            .invalidManifest(field: field(context.codingPath), reason: "it is not \(words(type))")
        case .dataCorrupted(let context):
            .invalidManifest(
                field: field(context.codingPath),
                reason: context.codingPath.isEmpty ? "it is not JSON" : context.debugDescription)
        @unknown default: .invalidManifest(field: "file", reason: "it cannot be read")
        }
    }
}

extension KeyedDecodingContainer {
    /// A whole number. For others, such as 1.5 and 1e400, the decoder says that the file is not JSON, and not where.
    /// - Throws: `DecodingError` that names the field.
    func wholeNumber(_ key: Key) throws -> Int {
        do {
            return try decode(Int.self, forKey: key)
        } catch let error as DecodingError {
            guard case .dataCorrupted = error else { throw error }
            throw notWhole(key)
        } catch {
            throw notWhole(key)
        }
    }

    /// The same of a field that may be absent or null.
    func wholeNumberIfPresent(_ key: Key) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try wholeNumber(key)
    }

    private func notWhole(_ key: Key) -> DecodingError {
        let value = try? decode(Double.self, forKey: key)
        let isFraction = value.map { $0 != $0.rounded() } ?? false
        let what = "it is not a whole number" + (isFraction ? "" : " that fits into 64 bits")
        return .dataCorruptedError(forKey: key, in: self, debugDescription: what)
    }
}

extension ManifestFile {
    fileprivate func validate(
        _ field: String, _ check: (Bool, String, String) throws(DeliveryError) -> Void
    ) throws(DeliveryError) {
        if let objection = FilePathRule.objection(to: path) { try check(false, "\(field).path", objection) }
        try check((1...(1 << 44)).contains(bytes), "\(field).bytes", "it is out of range")
        try check(Self.isDigest(sha256), "\(field).sha256", "it is not 64 lower-case hexadecimal digits")
        try check(urls.count <= 16, "\(field).urls", "there are more than 16")
        for url in urls {
            do { _ = try DownloadAddress(url) } catch {
                try check(false, "\(field).urls", error.errorDescription ?? "an address cannot be used")
            }
        }
        guard let rangeDigests else { return }
        try check(
            (1 << 16...1 << 44).contains(rangeDigests.size), "\(field).rangeDigests.size",
            "a range has 64 KiB or more")
        try check(
            rangeDigests.sha256.count == (bytes - 1) / rangeDigests.size + 1, "\(field).rangeDigests.sha256",
            "there must be one digest for each range")
        try check(
            rangeDigests.sha256.allSatisfy(Self.isDigest), "\(field).rangeDigests.sha256",
            "one is not 64 lower-case hexadecimal digits")
    }

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
