package import HearthSystem

/// A GGUF file being written: metadata and tensors, in order.
///
///     var builder = GGUFBuilder()
///     builder.set("general.architecture", .string("gemma3"))
///     try builder.add("output_norm.weight", .f32, shape: [4], bytes: bytes)
///     try builder.write(to: "tiny.gguf")
///
/// `GGUFBuilder(copying: file)` begins with everything that a file holds, and writes it back byte for byte as long as
/// the file had the canonical layout (tensors in order, each at the next aligned offset, zeros between).
///
/// Data is streamed: mapped tensors are copied from the map, generated ones are made while writing, so a quantizer
/// needs memory for the piece that it works on only.
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

    /// Version of the container, 2 or 3.
    package var version: UInt32 = 3
    /// Whether zeros follow the last tensor up to the alignment, as gguf-py and llama.cpp write it.
    package var padsEnd = true

    private(set) var metadata = GGUFMetadata(path: "new file")
    package private(set) var tensors: [Tensor] = []
    private var names: Set<Name> = []

    /// An empty file of version 3.
    package init() {}

    /// Everything that `file` holds, still in its map.
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
        // Only a file that ends right after its last byte of data, or inside the padding, has none.
        padsEnd = file.file.count >= GGUFLayout.padded(max(end, file.dataOffset), to: file.alignment)
    }

    /// The version and the metadata of `file`, and no tensors.
    package init(metadataOf file: GGUFFile) {
        version = file.version
        metadata = GGUFShards.whole(file)
    }

    /// Alignment of tensor data: `general.alignment`, or 32.
    package var alignment: Int {
        guard case .uint32(let value) = metadata[GGUFParser.alignmentKey] else { return GGUFLimits.defaultAlignment }
        return Int(value)
    }

    /// Sets a value; a key that exists keeps its place.
    package mutating func set(_ key: String, _ value: GGUFValue) {
        metadata.set(.init(key: key, type: value.type, range: ByteRange(copying: value.encoded)))
    }

    /// Sets a string value of any bytes.
    package mutating func set(_ key: String, bytes: [UInt8]) {
        let encoded = UInt64(bytes.count).littleEndianBytes + bytes
        metadata.set(.init(key: key, type: .string, range: ByteRange(copying: encoded)))
    }

    /// Removes a value, if there is one.
    package mutating func remove(_ key: String) { metadata.remove(key) }

    /// Adds a tensor of the given bytes. `shape` is fastest first, as in the file.
    ///
    /// Throws `FileError.invalidContent` when the shape does not make that many bytes of the type, and
    /// `duplicateTensor` for a name that is there already.
    package mutating func add(
        _ name: String, _ type: GGUFTensorType, shape: [Int], bytes: [UInt8]
    ) throws(FileError) {
        try add(name, type, shape: shape, source: .bytes(ByteRange(copying: bytes)))
    }

    /// Adds a tensor of another file as it is, under its own name or another.
    package mutating func add(_ tensor: GGUFTensor, of file: GGUFFile, as name: String? = nil) throws(FileError) {
        guard file.tensor(named: tensor.name) == tensor else {
            throw .invalidContent(.init(file: file.path, field: tensor.name), reason: "a tensor of another file")
        }
        let range = ByteRange(file: file.file, offset: tensor.offset, count: tensor.byteCount)
        try add(name ?? tensor.name, tensor.type, shape: tensor.shape, source: .bytes(range))
    }

    /// Adds a tensor whose bytes are made while the file is written: `generate` passes them to its sink in order, in
    /// pieces of any size. Writing fails when they are more or fewer than the shape says.
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
