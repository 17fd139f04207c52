internal import HearthSystem

/// Writes a weight file record by record: only the current record is in memory.
struct WeightFileWriter {
    private let files: any FileOperations
    private let file: OpenFile
    /// Where the next byte goes.
    private var position = WeightFile.unit
    private var count: UInt32 = 0

    /// Makes the file, which must not exist.
    init(path: String, files: any FileOperations) throws(FileFailure) {
        self.files = files
        file = try files.open(path, .createNew, permissions: 0o644)
    }

    /// Begins a record at the next multiple of 64.
    /// - Returns: where the record begins.
    mutating func begin(_ type: WeightDataType, byteCount: Int, unusedBits: Int) throws(FileFailure) -> Int {
        let start = (position + WeightFile.unit - 1) / WeightFile.unit * WeightFile.unit
        var record = WeightFile.sentinel.littleEndianBytes
        record += type.rawValue.littleEndianBytes
        record += UInt64(byteCount).littleEndianBytes
        record += UInt64(start + WeightFile.unit).littleEndianBytes
        record += UInt64(unusedBits).littleEndianBytes
        record += [UInt8](repeating: 0, count: WeightFile.unit - record.count)
        try write([UInt8](repeating: 0, count: start - position) + record)
        count += 1
        return start
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        try files.writeAll(bytes, to: file, at: position)
        position += bytes.count
    }

    private mutating func write(_ bytes: [UInt8]) throws(FileFailure) {
        try files.writeAll(bytes, to: file, at: position)
        position += bytes.count
    }

    /// Writes the header, last of all, and closes the file when it is on the disk.
    func finish() throws(FileFailure) {
        var header = count.littleEndianBytes + WeightFile.version.littleEndianBytes
        header += [UInt8](repeating: 0, count: WeightFile.unit - header.count)
        try files.writeAll(header, to: file, at: 0)
        try files.synchronize(file)
        close()
    }

    func close() { files.close(file) }
}
