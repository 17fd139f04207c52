/// A publisher's description of one version of a model: its files, their addresses, sizes and digests.
///
///     {
///       "schema": 1,
///       "name": "bedtime-270m", "version": "1.2.0",
///       "engine": "text", "quantization": "q8_0", "license": "Apache-2.0", "leastMemory": 600000000,
///       "upgradeFrom": ["1.1.0"],
///       "files": [{
///         "path": "model.gguf", "bytes": 291542112, "sha256": "9c1d…",
///         "urls": ["https://models.example/model.gguf", "https://mirror.example/model.gguf"],
///         "rangeDigests": { "size": 16777216, "sha256": ["…", "…"] }
///       }]
///     }
///
/// Unknown fields are ignored, an unknown schema is refused. A value made by `init(json:)` has passed every check of
/// ``validate()``; one that was put together in code has to be validated by hand.
package struct ModelManifest: Codable, Sendable, Equatable {
    /// The schema that this build reads.
    package static let schemaVersion = 1

    /// The schema that the manifest is written in.
    package var schema: Int
    /// Letters, digits, `.`, `_` and `-`; at most 100.
    package var name: String
    /// Newer versions take the place of older ones, never the other way round.
    package var version: ModelVersion
    /// At least one.
    package var files: [ManifestFile]
    /// What runs it: `text`, `coreml`.
    package var engine: String
    /// How weights are stored: `q8_0`, `f16`.
    package var quantization: String?
    /// An SPDX expression.
    package var license: String?
    /// Bytes of memory below which the model is not worth starting.
    package var leastMemory: Int?
    /// Versions that this one takes the place of.
    package var upgradeFrom: [ModelVersion]?

    /// A value put together in code; not validated.
    package init(
        name: String, version: ModelVersion, files: [ManifestFile], engine: String, quantization: String? = nil,
        license: String? = nil, leastMemory: Int? = nil, upgradeFrom: [ModelVersion]? = nil
    ) {
        schema = Self.schemaVersion
        self.name = name
        self.version = version
        self.files = files
        self.engine = engine
        self.quantization = quantization
        self.license = license
        self.leastMemory = leastMemory
        self.upgradeFrom = upgradeFrom
    }
}

extension ModelManifest {
    /// Reads a value without validating it.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        schema = try fields.wholeNumber(.schema)
        name = try fields.decode(String.self, forKey: .name)
        version = try fields.decode(ModelVersion.self, forKey: .version)
        files = try fields.decode([ManifestFile].self, forKey: .files)
        engine = try fields.decode(String.self, forKey: .engine)
        quantization = try fields.decodeIfPresent(String.self, forKey: .quantization)
        license = try fields.decodeIfPresent(String.self, forKey: .license)
        leastMemory = try fields.wholeNumberIfPresent(.leastMemory)
        upgradeFrom = try fields.decodeIfPresent([ModelVersion].self, forKey: .upgradeFrom)
    }
}

/// One file of a model.
package struct ManifestFile: Codable, Sendable, Equatable {
    /// Where it is in the model's folder, with `/` between folders.
    package var path: String
    /// Where it can be had, best first: https, file, or http on this machine.
    package var urls: [String]
    /// Its exact size.
    package var bytes: Int
    /// 64 lower-case hexadecimal digits.
    package var sha256: String
    /// Digests of the file's parts, so that one bad part does not cost the whole file.
    package var rangeDigests: RangeDigests?

    /// A value put together in code; not validated.
    package init(path: String, urls: [String], bytes: Int, sha256: String, rangeDigests: RangeDigests? = nil) {
        self.path = path
        self.urls = urls
        self.bytes = bytes
        self.sha256 = sha256
        self.rangeDigests = rangeDigests
    }
}

extension ManifestFile {
    /// Reads a value without validating it.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        path = try fields.decode(String.self, forKey: .path)
        urls = try fields.decode([String].self, forKey: .urls)
        bytes = try fields.wholeNumber(.bytes)
        sha256 = try fields.decode(String.self, forKey: .sha256)
        rangeDigests = try fields.decodeIfPresent(RangeDigests.self, forKey: .rangeDigests)
    }
}

/// Digests of equal parts of a file; the last part may be shorter.
package struct RangeDigests: Codable, Sendable, Equatable {
    /// Bytes of a part.
    package var size: Int
    /// One for each part.
    package var sha256: [String]

    /// A value put together in code; not validated.
    package init(size: Int, sha256: [String]) {
        self.size = size
        self.sha256 = sha256
    }
}

extension RangeDigests {
    /// Reads a value without validating it.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        size = try fields.wholeNumber(.size)
        sha256 = try fields.decode([String].self, forKey: .sha256)
    }
}
