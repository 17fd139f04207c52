import HearthSystem

/// Parses header, metadata and tensor table in one pass, then checks the tensor ranges against the file and each other.
struct GGUFParser {
    private(set) var version: UInt32 = 0
    private(set) var alignment = GGUFLimits.defaultAlignment
    private(set) var metadata: GGUFMetadata
    private(set) var tensors: [GGUFTensor] = []
    private(set) var positions: [Name: Int] = [:]
    private(set) var dataOffset = 0

    private let file: MappedFile
    private var reader: ByteReader
    private var tensorCount = 0

    init(_ file: MappedFile) {
        self.file = file
        reader = ByteReader(ByteRange(file))
        metadata = GGUFMetadata(path: file.path)
    }

    /// Parses all but the tensors.
    mutating func parseHead() throws(FileError) {
        try parseMagic()
        let entryCount: Int
        (tensorCount, entryCount) = try parseCounts()
        try parseMetadata(count: entryCount)
        try parseAlignment()
    }

    /// Parses the tensors, after the head.
    /// - Parameter shared: the alignment of the first file of a model, if this is a later one.
    mutating func parseTensors(shared: Int? = nil) throws(FileError) {
        // gguf-py aligns all files as the first one says, gguf-split all but the first by the default; neither says so in the
        // later files.
        let isOpen = metadata[GGUFParser.alignmentKey] == nil
        let (smaller, larger) = (min(alignment, shared ?? alignment), max(alignment, shared ?? alignment))
        if isOpen { alignment = smaller }
        try parseTable(count: tensorCount)
        if isOpen, larger > smaller {
            // With the larger alignment the data begin later, and end beyond a file that has the smaller one.
            let end = tensors.map { $0.offset + $0.byteCount }.max() ?? 0
            let isLarger = tensors.allSatisfy { $0.offset % larger == 0 } && end <= file.count - dataStart(larger)
            alignment = isLarger ? larger : smaller
        }
        dataOffset = dataStart(alignment)
        try placeTensors()
    }

    // MARK: - Header

    private mutating func parseMagic() throws(FileError) {
        let start = try reader.skip(4) { "magic" }
        let magic = ByteRange(file: file, offset: start, count: 4).array
        guard magic == GGUFParser.magic else { throw .badMagic(location("magic"), found: magic) }
        version = try reader.integer(UInt32.self) { "version" }
        guard !GGUFLimits.versions.contains(version.byteSwapped) else { throw .byteSwapped(location("version")) }
        guard GGUFLimits.versions.contains(version) else {
            throw .unsupportedVersion(location("version"), version: version)
        }
    }

    static let magic = Array("GGUF".utf8)

    private mutating func parseCounts() throws(FileError) -> (tensors: Int, entries: Int) {
        let tensors = try reader.count(of: GGUFLimits.smallestTensor, limit: GGUFLimits.tensors) { "tensor_count" }
        let entries = try reader.count(of: GGUFLimits.smallestEntry, limit: GGUFLimits.metadataEntries) {
            "metadata_kv_count"
        }
        // Each count fits alone; check both together. They are within their limits, so nothing overflows.
        let least = tensors * GGUFLimits.smallestTensor + entries * GGUFLimits.smallestEntry
        guard least <= reader.remaining else {
            throw .beyondFile(
                location("metadata_kv_count"), claimed: UInt64(entries), available: reader.remaining)
        }
        return (tensors, entries)
    }

    // MARK: - Metadata

    private mutating func parseMetadata(count: Int) throws(FileError) {
        metadata = GGUFMetadata(path: file.path, capacity: count)
        for index in 0..<count {
            let key = try reader.text(limit: GGUFLimits.keyBytes) { "metadata key \(index)" }
            guard !key.isEmpty else { throw .emptyKey(location("metadata key \(index)")) }
            let type = try parseType(key)
            let start = reader.position
            try skipValue(type, key, depth: 0)
            let range = ByteRange(file: file, offset: start, count: reader.position - start)
            guard metadata.append(.init(key: key, type: type, range: range)) else {
                throw .duplicateKey(location(key))
            }
        }
    }

    private mutating func parseType(_ key: String) throws(FileError) -> GGUFValueType {
        let id = try reader.integer(UInt32.self) { key }
        guard let type = GGUFValueType(rawValue: id) else { throw .unknownValueType(location(key), id: id) }
        return type
    }

    /// Validates a value and skips it.
    private mutating func skipValue(_ type: GGUFValueType, _ key: String, depth: Int) throws(FileError) {
        switch type {
        case .string:
            let limit = depth == 0 ? GGUFLimits.stringBytes : GGUFLimits.arrayStringBytes
            _ = try reader.bytes(limit: limit) { key }
        case .array:
            guard depth < GGUFLimits.arrayDepth else {
                throw .nestingTooDeep(location(key), limit: GGUFLimits.arrayDepth)
            }
            let element = try parseType(key)
            let count = try reader.count(of: element.smallestSize, limit: GGUFLimits.arrayItems) { key }
            if element == .bool {
                try reader.skipBools(count) { key }
            } else if let size = element.fixedSize {
                // The count was checked against the remaining bytes, so the product cannot overflow.
                _ = try reader.skip(count * size) { key }
            } else {
                for _ in 0..<count { try skipValue(element, key, depth: depth + 1) }
            }
        case .bool:
            try reader.skipBools(1) { key }
        default:
            _ = try reader.skip(type.smallestSize) { key }
        }
    }

    private mutating func parseAlignment() throws(FileError) {
        guard let value = metadata[GGUFParser.alignmentKey] else { return }
        guard case .uint32(let number) = value else {
            throw .badAlignment(location(GGUFParser.alignmentKey), found: "of type \(value.type.name)")
        }
        guard number.nonzeroBitCount == 1, GGUFLimits.alignment.contains(Int(number)) else {
            throw .badAlignment(location(GGUFParser.alignmentKey), found: "\(number)")
        }
        alignment = Int(number)
    }

    static let alignmentKey = "general.alignment"

    // MARK: - Tensors

    private mutating func parseTable(count: Int) throws(FileError) {
        tensors.reserveCapacity(count)
        positions.reserveCapacity(count)
        // Offsets are relative to the end of the table, which is known only after it has been read.
        for index in 0..<count {
            let tensor = try parseTensor(index)
            guard positions.updateValue(index, forKey: Name(text: tensor.name)) == nil else {
                throw .duplicateTensor(location(tensor.name))
            }
            tensors.append(tensor)
        }
    }

    /// Where the data begin after the table. It ends within the file, so adding an alignment cannot overflow.
    private func dataStart(_ alignment: Int) -> Int { (reader.position + alignment - 1) & ~(alignment - 1) }

    /// Reads a row of the tensor table; its offset is still relative to the start of the data.
    private mutating func parseTensor(_ index: Int) throws(FileError) -> GGUFTensor {
        let name = try reader.text(limit: GGUFLimits.tensorNameBytes) { "tensor name \(index)" }
        guard !name.isEmpty else { throw .emptyTensorName(location("tensor name \(index)")) }
        let dimensions = try reader.integer(UInt32.self) { name }
        guard dimensions >= 1, dimensions <= GGUFLimits.dimensions else {
            throw .badDimensionCount(location(name), count: dimensions)
        }
        var shape: [Int] = []
        shape.reserveCapacity(Int(dimensions))
        for _ in 0..<dimensions {
            let claimed = try reader.integer(UInt64.self) { name }
            guard let size = Int(exactly: claimed), size > 0 else {
                throw .badDimension(location(name), value: claimed)
            }
            shape.append(size)
        }
        let id = try reader.integer(UInt32.self) { name }
        guard let type = GGUFTensorType(rawValue: id) else { throw .unknownTensorType(location(name), id: id) }
        let offset = try reader.integer(UInt64.self) { name }
        let byteCount = try byteCount(type, shape, name)
        guard offset % UInt64(alignment) == 0 else {
            throw .misaligned(location(name), offset: offset, alignment: alignment)
        }
        guard let start = Int(exactly: offset), byteCount <= file.count, start <= file.count - byteCount else {
            throw .tensorBeyondFile(location(name), offset: offset, byteCount: byteCount, available: file.count)
        }
        return GGUFTensor(name: name, type: type, shape: shape, offset: start, byteCount: byteCount)
    }

    private func byteCount(_ type: GGUFTensorType, _ shape: [Int], _ name: String) throws(FileError) -> Int {
        guard let bytes = type.byteCount(shape: shape) else {
            let row = shape[0]
            if row % type.blockElements != 0 {
                throw .partialBlock(location(name), row: row, block: type.blockElements)
            }
            throw .sizeOverflow(location(name))
        }
        return bytes
    }

    /// Makes offsets absolute; rejects tensors that exceed the file or overlap.
    private mutating func placeTensors() throws(FileError) {
        let available = max(file.count - dataOffset, 0)
        tensors = try tensors.map { tensor throws(FileError) in
            guard tensor.offset <= available, tensor.byteCount <= available - tensor.offset else {
                throw .tensorBeyondFile(
                    location(tensor.name), offset: UInt64(tensor.offset), byteCount: tensor.byteCount,
                    available: available)
            }
            return GGUFTensor(
                name: tensor.name, type: tensor.type, shape: tensor.shape, offset: dataOffset + tensor.offset,
                byteCount: tensor.byteCount)
        }
        let order = tensors.indices.sorted { tensors[$0].offset < tensors[$1].offset }
        for (left, right) in zip(order, order.dropFirst())
        where tensors[left].offset + tensors[left].byteCount > tensors[right].offset {
            throw .overlappingTensors(location(tensors[right].name), other: tensors[left].name)
        }
    }

    private func location(_ field: String) -> FileError.Location { .init(file: file.path, field: field) }
}
