package import HearthSystem

/// A GGUF file, mapped and validated: metadata and the location of each tensor.
///
///     let file = try GGUFFile(path: "gemma.gguf")
///     let layers = try file.metadata.integer("gemma3.block_count")
///     if let tensor = file.tensor(named: "token_embd.weight") {
///         try file.withBytes(of: tensor) { bytes in … }
///     }
///
/// Opening parses header, metadata and tensor table once (the length of every string is checked), and copies only keys and
/// tensor names: a few milliseconds for a vocabulary of 262,144 strings, whatever the size of the weights. A malformed file
/// throws a `FileError`; every count, length, offset and shape is checked against the file before it is used or memory is
/// allocated for it.
///
/// Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, versions 2 and 3, little-endian.
package struct GGUFFile: Sendable {
    /// The mapped file.
    package let file: MappedFile
    /// Container version, 2 or 3.
    package let version: UInt32
    /// Alignment of tensor data in bytes.
    package let alignment: Int
    /// Metadata in file order.
    package let metadata: GGUFMetadata
    /// Tensors in file order.
    package let tensors: [GGUFTensor]
    /// Offset of the tensor data from the start of the file, in bytes.
    package let dataOffset: Int
    /// Size of the file in bytes, or of all files of a split model.
    package let byteCount: Int
    /// Number of files of the model.
    package let shardCount: Int

    private let positions: [Name: Int]

    /// The path as given.
    package var path: String { file.path }

    /// Maps and validates the file at `path`; of a split model (`NAME-00001-of-00003.gguf`) all files, whichever one the path
    /// names.
    package init(path: String) throws(FileError) {
        try self.init(MappedFile(path: path), joiningShards: true)
    }

    /// Validates a file that is already mapped, or exists only in memory.
    package init(_ file: MappedFile) throws(FileError) {
        try self.init(file, joiningShards: false)
    }

    private init(_ given: MappedFile, joiningShards: Bool) throws(FileError) {
        var file = given
        var parser = GGUFParser(file)
        var tensors: [GGUFTensor]
        var shards = 1
        do throws(FileError) {
            try parser.parseHead()
            if joiningShards, let count = try GGUFShards.count(parser.metadata) {
                let all = try GGUFShards(file, parser, count: count)
                (file, parser, tensors, shards) = (all.file, all.first, all.tensors, count)
            } else {
                try parser.parseTensors()
                tensors = parser.tensors
            }
        } catch {
            // If the file is being modified, report that instead of the error in its content.
            try given.checkIntact()
            throw error
        }
        try file.checkIntact()
        var positions = parser.positions
        for (index, tensor) in tensors.enumerated().dropFirst(parser.tensors.count) {
            guard positions.updateValue(index, forKey: Name(text: tensor.name)) == nil else {
                throw .duplicateTensor(.init(file: file.path, field: tensor.name))
            }
        }
        self.file = file
        version = parser.version
        alignment = parser.alignment
        metadata = parser.metadata
        self.tensors = tensors
        self.positions = positions
        dataOffset = parser.dataOffset
        byteCount = file.byteCount
        shardCount = shards
    }

    /// Opens a file whose tensor table is already known: its header is not parsed, and it has no metadata.
    ///
    /// Sizes and ranges of the tensors are still checked against the file; the caller must ensure that the table was made from
    /// this file.
    package init(_ file: MappedFile, table: [GGUFTensor]) throws(FileError) {
        func location(_ name: String) -> FileError.Location { .init(file: file.path, field: name) }
        var positions: [Name: Int] = [:]
        positions.reserveCapacity(table.count)
        for (index, tensor) in table.enumerated() {
            guard (1...GGUFLimits.dimensions).contains(tensor.shape.count) else {
                throw .badDimensionCount(location(tensor.name), count: UInt32(clamping: tensor.shape.count))
            }
            guard let bytes = tensor.type.byteCount(shape: tensor.shape), bytes == tensor.byteCount else {
                throw .sizeOverflow(location(tensor.name))
            }
            guard tensor.offset >= 0, bytes <= file.count, tensor.offset <= file.count - bytes else {
                throw .tensorBeyondFile(
                    location(tensor.name), offset: UInt64(clamping: tensor.offset), byteCount: bytes,
                    available: file.count)
            }
            guard positions.updateValue(index, forKey: Name(text: tensor.name)) == nil else {
                throw .duplicateTensor(location(tensor.name))
            }
        }
        self.file = file
        version = GGUFLimits.versions.upperBound
        alignment = GGUFLimits.defaultAlignment
        metadata = GGUFMetadata(path: file.path)
        tensors = table
        self.positions = positions
        dataOffset = table.map(\.offset).min() ?? file.count
        byteCount = file.byteCount
        shardCount = file.partCount
    }

    /// The tensor with the given name; nil if there is none.
    package func tensor(named name: String) -> GGUFTensor? {
        positions[Name(text: name)].map { tensors[$0] }
    }

    /// Calls `body` with the data of one of the file's tensors. The buffer is valid only during the call.
    ///
    /// Throws `FileError.tensorBeyondFile` if the tensor's range is not within the file.
    package func withBytes<R>(of tensor: GGUFTensor, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        guard tensor.offset >= 0, tensor.byteCount >= 0, tensor.offset <= file.count,
            tensor.byteCount <= file.count - tensor.offset
        else {
            throw FileError.tensorBeyondFile(
                .init(file: path, field: tensor.name), offset: UInt64(clamping: tensor.offset),
                byteCount: tensor.byteCount, available: file.count)
        }
        return try ByteRange(file: file, offset: tensor.offset, count: tensor.byteCount).withBytes(body)
    }
}
