package import HearthSystem

/// Builds a GGUF file from metadata and tensors, in order.
///
///     var builder = GGUFBuilder()
///     builder.set("general.architecture", .string("gemma3"))
///     try builder.add("output_norm.weight", .f32, shape: [4], bytes: bytes)
///     try builder.write(to: "tiny.gguf")
///
/// `GGUFBuilder(copying: file)` starts with the whole content of a file, and writes it back byte for byte if the file has the
/// canonical layout (tensors in order, each at the next aligned offset, zeros between).
///
/// Data is streamed: mapped tensors are copied from the mapping, generated ones are produced while writing, so a quantizer only
/// needs memory for the piece it is working on.
package struct GGUFBuilder: Sendable {
    /// Receives the bytes of a generated tensor piece by piece.
    package typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    /// A tensor to be written.
    package struct Tensor: Sendable {
        enum Source: Sendable {
            case bytes(ByteRange)
            case generated(@Sendable (Sink) throws -> Void)
        }

        let name: String
        let type: GGUFTensorType
        let shape: [Int]
        let byteCount: Int
        let source: Source
    }

    /// Container version, 2 or 3.
    package var version: UInt32 = 3
    /// Whether the last tensor is padded with zeros to the alignment, as by gguf-py and llama.cpp.
    package var padsEnd = true

    private(set) var metadata = GGUFMetadata(path: "new file")
    package private(set) var tensors: [Tensor] = []
    private var names: Set<Name> = []

    /// Creates an empty file of version 3.
    package init() {}

    /// Copies metadata and tensors of `file`; the tensor data stays mapped.
    package init(copying file: GGUFFile) {
        version = file.version
        metadata = GGUFShards.whole(file)
        tensors = file.tensors.map {
            Tensor(
                name: $0.name, type: $0.type, shape: $0.shape, byteCount: $0.byteCount,
                source: .bytes(ByteRange(file: file.file, offset: $0.offset, count: $0.byteCount)))
        }
        names = Set(tensors.map { Name(text: $0.name) })
        let end = file.tensors.map { $0.offset + $0.byteCount }.max() ?? 0
        // Padding is missing only if the file ends at its last byte of data, or within the padding.
        padsEnd = file.file.count >= GGUFLayout.padded(max(end, file.dataOffset), to: file.alignment)
    }

    /// Copies the version and the metadata of `file`, without tensors.
    package init(metadataOf file: GGUFFile) {
        version = file.version
        metadata = GGUFShards.whole(file)
    }

    /// Alignment of tensor data: `general.alignment`, or 32.
    package var alignment: Int {
        guard case .uint32(let value) = metadata[GGUFParser.alignmentKey] else { return GGUFLimits.defaultAlignment }
        return Int(value)
    }

    /// Sets a value; an existing key keeps its position.
    package mutating func set(_ key: String, _ value: GGUFValue) {
        metadata.set(.init(key: key, type: value.type, range: ByteRange(copying: value.encoded)))
    }

    /// Sets a string value that need not be UTF-8.
    package mutating func set(_ key: String, bytes: [UInt8]) {
        let encoded = UInt64(bytes.count).littleEndianBytes + bytes
        metadata.set(.init(key: key, type: .string, range: ByteRange(copying: encoded)))
    }

    /// Removes a value, if there is one.
    package mutating func remove(_ key: String) { metadata.remove(key) }

    /// Adds a tensor with the given bytes. `shape` has the fastest-varying dimension first, as in the file.
    ///
    /// Throws `FileError.invalidContent` if the size of the shape differs from the number of bytes, and `duplicateTensor` if
    /// the name exists already.
    package mutating func add(
        _ name: String, _ type: GGUFTensorType, shape: [Int], bytes: [UInt8]
    ) throws(FileError) {
        try add(name, type, shape: shape, source: .bytes(ByteRange(copying: bytes)))
    }

    /// Adds a tensor of another file unchanged, optionally under another name.
    package mutating func add(_ tensor: GGUFTensor, of file: GGUFFile, as name: String? = nil) throws(FileError) {
        guard file.tensor(named: tensor.name) == tensor else {
            throw .invalidContent(.init(file: file.path, field: tensor.name), reason: "a tensor of another file")
        }
        let range = ByteRange(file: file.file, offset: tensor.offset, count: tensor.byteCount)
        try add(name ?? tensor.name, tensor.type, shape: tensor.shape, source: .bytes(range))
    }

    /// Adds a tensor that is generated while the file is written: `generate` passes its bytes to the sink in order, in pieces
    /// of any size. Writing fails if their number differs from the size of the shape.
    package mutating func add(
        _ name: String, _ type: GGUFTensorType, shape: [Int],
        generate: @escaping @Sendable (Sink) throws -> Void
    ) throws(FileError) {
        try add(name, type, shape: shape, source: .generated(generate))
    }

    private mutating func add(
        _ name: String, _ type: GGUFTensorType, shape: [Int], source: Tensor.Source
    ) throws(FileError) {
        let at = FileError.Location(file: metadata.path, field: name)
        guard !name.isEmpty else { throw .emptyTensorName(at) }
        guard name.utf8.count <= GGUFLimits.tensorNameBytes else {
            throw .limitExceeded(at, claimed: UInt64(name.utf8.count), limit: GGUFLimits.tensorNameBytes)
        }
        guard shape.count >= 1, shape.count <= GGUFLimits.dimensions else {
            throw .badDimensionCount(at, count: UInt32(clamping: shape.count))
        }
        guard let byteCount = type.byteCount(shape: shape) else {
            throw .invalidContent(at, reason: "the shape \(shape) does not make whole blocks of \(type.name)")
        }
        if case .bytes(let range) = source, range.count != byteCount {
            throw .invalidContent(at, reason: "\(range.count) bytes given, \(byteCount) needed")
        }
        guard names.insert(Name(text: name)).inserted else { throw .duplicateTensor(at) }
        tensors.append(Tensor(name: name, type: type, shape: shape, byteCount: byteCount, source: source))
    }
}
