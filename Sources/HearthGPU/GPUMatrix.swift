/// Weights on the device, in the format of a GGUF file.
package struct GPUMatrix {
    /// Storage formats supported by the shaders; raw values are GGUF's type ids.
    package enum Format: UInt32, CaseIterable, Sendable {
        case f32 = 0
        case f16 = 1
        case q4_0 = 2
        case q8_0 = 8
        case q4_K = 12
        case q5_K = 13
        case q6_K = 14
        case bf16 = 30
    }

    package let format: Format
    package let rows: Int
    package let columns: Int
    let rowBytes: Int
    let place: GPUPlace

    /// Why the shaders do not support a matrix; nil if they do.
    package static func obstacle(columns: Int, rowBytes: Int, rows: Int) -> String? {
        if columns % 8 != 0 { return "row length \(columns) is not a multiple of 8" }
        // The shaders use 32-bit offsets within a matrix.
        if rows * rowBytes >= 1 << 32 { return "a matrix of 4 GiB or more" }
        return nil
    }

    /// - Parameter place: location of the first row, at a multiple of 16 bytes.
    package init(format: Format, rows: Int, columns: Int, rowBytes: Int, at place: GPUPlace) {
        (self.format, self.rows, self.columns, self.rowBytes) = (format, rows, columns, rowBytes)
        self.place = place
    }

    /// Its first rows.
    func rows(_ count: Int) -> GPUMatrix {
        precondition(count <= rows)
        return GPUMatrix(format: format, rows: count, columns: columns, rowBytes: rowBytes, at: place)
    }
}

/// Allocates memory for weights in a few large buffers, because drivers support only a few thousand allocations.
package final class GPUWeightMemory {
    private let device: GPUDevice
    private let kind: GPUBuffer.Place
    private let pieceBytes: Int
    private var current: (buffer: GPUBuffer, used: Int)?

    package init(_ device: GPUDevice, _ kind: GPUBuffer.Place = .near, pieceBytes: Int = 16 << 20) {
        (self.device, self.kind, self.pieceBytes) = (device, kind, pieceBytes)
    }

    /// Copies bytes to the device.
    /// - Throws: `GPUError`.
    package func keep(_ bytes: UnsafeRawBufferPointer) throws(GPUError) -> GPUPlace {
        let place = try reserve(bytes.count)
        try place.buffer.upload(bytes, at: place.offset)
        return place
    }

    /// Allocates memory for bytes that are copied later.
    /// - Throws: `GPUError`.
    func reserve(_ byteCount: Int) throws(GPUError) -> GPUPlace {
        // Shaders read whole words at the end.
        let room = (byteCount + 3) / 256 * 256 + 256
        if let (buffer, used) = current, used + room <= buffer.byteCount {
            current = (buffer, used + room)
            return GPUPlace(buffer: buffer, offset: used)
        }
        let buffer = try GPUBuffer(device, byteCount: max(room, pieceBytes), kind)
        current = (buffer, room)
        return buffer.place
    }

    /// Copies values to the device.
    /// - Throws: `GPUError`.
    package func keep(_ values: [Float]) throws(GPUError) -> GPUPlace {
        try values.withUnsafeBufferPointer { values throws(GPUError) in try keep(UnsafeRawBufferPointer(values)) }
    }
}
