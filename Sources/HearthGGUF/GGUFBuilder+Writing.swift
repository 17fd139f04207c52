import HearthSystem

extension GGUFBuilder {
    /// Writes the file atomically: even after a crash, `path` has either the old content or the complete new one.
    ///
    /// The new file is read back and validated before it is renamed, so that a file which `GGUFFile` would reject is never
    /// published. Throws `FileError`, or what a generator throws.
    /// - Parameter began: receives the path of the temporary file, which must be removed if the process ends early.
    package func write(to path: String, began: (String) -> Void = { _ in }) throws {
        var file = try AtomicFile(path: path)
        began(file.temporaryPath)
        try emit(path) { try file.write($0) }
        try file.synchronize()
        _ = try GGUFFile(MappedFile(path: file.temporaryPath, shownAs: path))
        try file.publish()
    }

    /// The file's content in memory, validated like `write(to:)`; meant for small files.
    package func bytes() throws -> [UInt8] {
        var result: [UInt8] = []
        try emit("memory") { result.append(contentsOf: $0) }
        _ = try GGUFFile(MappedFile(copying: result))
        return result
    }

    /// Passes the file's bytes to `sink`, in order.
    private func emit(_ path: String, _ sink: Sink) throws {
        let layout = try GGUFLayout(self, path: path)
        try layout.header.withUnsafeBytes(sink)
        for (tensor, padding) in zip(tensors, layout.paddings) {
            try emit(tensor, path, sink)
            try [UInt8](repeating: 0, count: padding).withUnsafeBytes(sink)
        }
    }

    private func emit(_ tensor: Tensor, _ path: String, _ sink: Sink) throws {
        switch tensor.source {
        case .bytes(let range):
            try range.withBytes(sink)
            try range.file.checkIntact()
        case .generated(let generate):
            let at = FileError.Location(file: path, field: tensor.name)
            var count = 0
            try generate { piece in
                count += piece.count
                guard count <= tensor.byteCount else {
                    throw FileError.invalidContent(at, reason: "more than \(tensor.byteCount) bytes generated")
                }
                try sink(piece)
            }
            guard count == tensor.byteCount else {
                throw FileError.invalidContent(at, reason: "\(count) bytes generated, \(tensor.byteCount) needed")
            }
        }
    }
}

/// The bytes before the tensor data, and the padding after each tensor.
struct GGUFLayout {
    let header: [UInt8]
    let paddings: [Int]

    init(_ builder: GGUFBuilder, path: String) throws(FileError) {
        let alignment = builder.alignment
        guard alignment.nonzeroBitCount == 1, GGUFLimits.alignment.contains(alignment) else {
            throw .badAlignment(.init(file: path, field: GGUFParser.alignmentKey), found: "\(alignment)")
        }
        var bytes = GGUFParser.magic
        bytes += builder.version.littleEndianBytes
        bytes += UInt64(builder.tensors.count).littleEndianBytes
        bytes += UInt64(builder.metadata.count).littleEndianBytes
        for entry in builder.metadata.entries {
            bytes.append(text: entry.key)
            bytes += entry.type.rawValue.littleEndianBytes
            entry.range.withBytes { bytes.append(contentsOf: $0) }
        }
        var offset = 0
        var paddings: [Int] = []
        for tensor in builder.tensors {
            bytes.append(text: tensor.name)
            bytes += UInt32(tensor.shape.count).littleEndianBytes
            for size in tensor.shape { bytes += UInt64(size).littleEndianBytes }
            bytes += tensor.type.rawValue.littleEndianBytes
            bytes += UInt64(offset).littleEndianBytes
            let (end, overflow) = offset.addingReportingOverflow(tensor.byteCount)
            guard !overflow, end <= Int.max - alignment else {
                throw .sizeOverflow(.init(file: path, field: tensor.name))
            }
            paddings.append(Self.padded(end, to: alignment) - end)
            offset = end + (paddings.last ?? 0)
        }
        if !builder.padsEnd, !paddings.isEmpty { paddings[paddings.count - 1] = 0 }
        if builder.padsEnd || !builder.tensors.isEmpty {
            bytes += [UInt8](repeating: 0, count: Self.padded(bytes.count, to: alignment) - bytes.count)
        }
        header = bytes
        self.paddings = paddings
    }

    /// The next multiple of `alignment`, a power of two.
    static func padded(_ offset: Int, to alignment: Int) -> Int { (offset + alignment - 1) & ~(alignment - 1) }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) {
        append(contentsOf: UInt64(text.utf8.count).littleEndianBytes)
        append(contentsOf: text.utf8)
    }
}
