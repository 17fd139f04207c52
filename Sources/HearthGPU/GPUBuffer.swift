/// Memory on a device.
package final class GPUBuffer {
    /// The kind of memory.
    package enum Place {
        /// Device-local; also host-visible if that costs nothing.
        case near
        /// Device-local and not host-visible, as on discrete cards; for testing uploads to it.
        case closed
        /// Host-visible, for uploads and downloads.
        case shared
    }

    package let byteCount: Int
    let device: GPUDevice
    let memory: GPUDriver.Memory

    /// Allocates memory.
    /// - Throws: `GPUError.outOfMemory`, `.deviceLost`.
    package init(_ device: GPUDevice, byteCount: Int, _ place: Place = .near) throws(GPUError) {
        self.device = device
        self.byteCount = byteCount
        memory = try GPUDriver.Memory(device.driver, byteCount: byteCount, place)
    }

    /// Uses bytes of this process in place, which the device only reads.
    /// - Parameters:
    ///   - bytes: at a multiple of the device's `importAlignment`, as their number is.
    ///   - owner: keeps the bytes where they are.
    /// - Throws: `GPUError`.
    package init(
        _ device: GPUDevice, importing bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable
    ) throws(GPUError) {
        self.device = device
        byteCount = bytes.count
        memory = try GPUDriver.Memory(device.driver, importing: bytes, owner: owner)
    }

    /// The start of the buffer.
    package var place: GPUPlace { GPUPlace(buffer: self, offset: 0) }

    /// The buffer's bytes, if it is host-visible.
    package var bytes: UnsafeMutableRawBufferPointer? {
        memory.bytes.map { UnsafeMutableRawBufferPointer(start: $0, count: byteCount) }
    }

    /// Copies bytes into the buffer, through a staging buffer if it is not host-visible.
    /// - Throws: `GPUError`.
    package func upload(_ source: UnsafeRawBufferPointer, at offset: Int = 0) throws(GPUError) {
        precondition(offset >= 0 && offset + source.count <= byteCount)
        if let bytes {
            UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + source.count]).copyMemory(from: source)
            return
        }
        let most = 16 << 20
        let stage = try GPUBuffer(device, byteCount: min(most, max(source.count, 4)), .shared)
        for first in stride(from: 0, to: source.count, by: most) {
            let piece = UnsafeRawBufferPointer(rebasing: source[first..<min(first + most, source.count)])
            try stage.upload(piece)
            try device.submit { commands throws(GPUError) in
                commands.copy(stage, 0, to: self, offset + first, byteCount: piece.count)
            }
        }
    }

    /// Copies values into the buffer.
    /// - Throws: `GPUError`.
    package func upload(_ values: [Float], at offset: Int = 0) throws(GPUError) {
        try values.withUnsafeBufferPointer { values throws(GPUError) in
            try upload(UnsafeRawBufferPointer(values), at: offset)
        }
    }

    /// Copies bytes from the buffer, through a staging buffer if it is not host-visible.
    /// - Throws: `GPUError`.
    package func download(into target: UnsafeMutableRawBufferPointer, at offset: Int = 0) throws(GPUError) {
        precondition(offset >= 0 && offset + target.count <= byteCount)
        if let bytes {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + target.count]))
            return
        }
        let stage = try GPUBuffer(device, byteCount: max(target.count, 4), .shared)
        try device.submit { commands throws(GPUError) in
            commands.copy(self, offset, to: stage, 0, byteCount: target.count)
        }
        try stage.download(into: target)
    }

    /// Reads values from the buffer, through a staging buffer if it is not host-visible.
    /// - Throws: `GPUError`.
    package func floats(count: Int, at offset: Int = 0) throws(GPUError) -> [Float] {
        if let bytes {
            return (0..<count).map { bytes.loadUnaligned(fromByteOffset: offset + 4 * $0, as: Float.self) }
        }
        let stage = try GPUBuffer(device, byteCount: max(4 * count, 4), .shared)
        try device.submit { commands throws(GPUError) in
            commands.copy(self, offset, to: stage, 0, byteCount: 4 * count)
        }
        return try stage.floats(count: count)
    }
}

/// A location in a buffer.
package struct GPUPlace {
    package let buffer: GPUBuffer
    /// Offset in bytes; a multiple of 4.
    package let offset: Int

    var address: UInt64 { buffer.memory.address + UInt64(offset) }

    /// The location `count` float32 values further on.
    package func advanced(byValues count: Int) -> GPUPlace { GPUPlace(buffer: buffer, offset: offset + 4 * count) }
    package func advanced(byBytes count: Int) -> GPUPlace { GPUPlace(buffer: buffer, offset: offset + count) }
}

/// Rows of float32 values, `stride` values apart.
package struct GPURows {
    package let place: GPUPlace
    package let stride: Int

    package init(_ place: GPUPlace, stride: Int) { (self.place, self.stride) = (place, stride) }

    package func rows(from first: Int) -> GPURows { GPURows(place.advanced(byValues: first * stride), stride: stride) }
    package func columns(from first: Int) -> GPURows { GPURows(place.advanced(byValues: first), stride: stride) }
}
