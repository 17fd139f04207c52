package import HearthSystem

/// A model split into several files, as written by llama.cpp's `gguf-split`: each is a GGUF file with some of the tensors, and
/// the first one has the metadata. `split.no` and `split.count` are a file's index and the number of files,
/// `split.tensors.count` the total number of tensors.
struct GGUFShards {
    /// All files concatenated into one mapping.
    let file: MappedFile
    /// Tensors of all files, in order; offsets refer to the joint mapping.
    let tensors: [GGUFTensor]
    /// The first file, which has the model's metadata.
    let first: GGUFParser

    /// - Parameters:
    ///   - file: one of the files.
    ///   - parser: its parsed head.
    ///   - count: the number of files according to its metadata.
    init(_ file: MappedFile, _ parser: GGUFParser, count: Int) throws(FileError) {
        guard let shards = FileShards(file.path), shards.count == count else {
            throw .missing(
                .init(file: file.path, field: Self.countKey),
                what: "the rest of the model, which comes in \(count) files called "
                    + "NAME-00001-of-\(FileShards.padded(count)).gguf and so on,")
        }
        var files: [MappedFile] = []
        var parsers: [GGUFParser] = []
        for (index, path) in shards.paths.enumerated() {
            let isGiven = index == shards.index
            let part = isGiven ? file : try Self.open(path, index, count)
            var found = parser
            if !isGiven {
                found = GGUFParser(part)
                try found.parseHead()
            }
            try Self.check(found.metadata, path, index: index, count: count)
            try found.parseTensors(shared: parsers.first?.alignment)
            files.append(part)
            parsers.append(found)
        }
        first = parsers[0]
        let joined = try MappedFile.joined(files)
        self.file = joined.file
        var tensors: [GGUFTensor] = []
        for (index, parser) in parsers.enumerated() {
            tensors += parser.tensors.map { $0.moved(by: joined.offsets[index]) }
        }
        self.tensors = tensors
        if let total = try first.metadata.integer(Self.totalKey), total != tensors.count {
            throw .malformed(
                .init(file: file.path, field: Self.totalKey),
                problem: "the files have \(tensors.count) tensors in total, expected \(total)")
        }
    }

    /// Number of files of a model; nil for a single file.
    static func count(_ metadata: GGUFMetadata) throws(FileError) -> Int? {
        guard let count = try metadata.integer(countKey), count > 1 else { return nil }
        return count
    }

    /// The metadata of a model without the keys about splitting.
    static func whole(_ file: GGUFFile) -> GGUFMetadata {
        var metadata = file.metadata
        if file.shardCount > 1 {
            for key in [countKey, numberKey, totalKey] { metadata.remove(key) }
        }
        return metadata
    }

    private static func open(_ path: String, _ index: Int, _ count: Int) throws(FileError) -> MappedFile {
        guard RealPath.of(path) != nil else {
            throw .missing(.init(file: path, field: "file"), what: "part \(index + 1) of the model's \(count) files")
        }
        return try MappedFile(path: path)
    }

    private static func check(_ metadata: GGUFMetadata, _ path: String, index: Int, count: Int) throws(FileError) {
        for (key, expected) in [(countKey, count), (numberKey, index)] {
            let found = try metadata.integer(key)
            guard found == expected else {
                throw .malformed(
                    .init(file: path, field: key),
                    problem: "the value is \(found.map(String.init) ?? "missing"), and the file's name says \(expected)"
                )
            }
        }
    }

    private static let countKey = "split.count", numberKey = "split.no", totalKey = "split.tensors.count"
}

extension GGUFFile {
    /// Maps a model's file, or all its files, without parsing.
    package static func map(_ path: String) throws(FileError) -> MappedFile {
        let paths = FileShards.paths(of: path)
        guard paths.count > 1 else { return try MappedFile(path: path) }
        return try MappedFile.joined(paths.map { path throws(FileError) in try MappedFile(path: path) }).file
    }
}

extension GGUFTensor {
    fileprivate func moved(by distance: Int) -> GGUFTensor {
        GGUFTensor(name: name, type: type, shape: shape, offset: offset + distance, byteCount: byteCount)
    }
}
