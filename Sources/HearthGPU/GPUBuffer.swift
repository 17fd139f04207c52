internal import CHearthGPU

/// Memory that the device computes in.
package final class GPUBuffer {
    /// Where the memory lies.
    package enum Place {
        /// The device's own; the processor reaches it where that costs nothing.
        case near
        /// The device's own, out of the processor's reach: what a card has. For tests of the way there.
        case closed
        /// In reach of both: what goes up and comes back.
        case shared
    }

    package let byteCount: Int
    let device: GPUDevice
    var memory: hearth_gpu_memory

    /// - Throws: `GPUError.outOfMemory`, `.deviceLost`.
    package init(_ device: GPUDevice, byteCount: Int, _ place: Place = .near) throws(GPUError) {
        self.device = device
        self.byteCount = byteCount
        memory = hearth_gpu_memory()
        let where_: hearth_gpu_place =
            switch place {
            case .near: HEARTH_GPU_NEAR
            case .closed: HEARTH_GPU_CLOSED
            case .shared: HEARTH_GPU_SHARED
            }
        try GPUError.check(
            hearth_gpu_memory_make(device.handle, UInt64(byteCount), where_, &memory), "vkAllocateMemory",
            bytes: byteCount)
    }

    deinit { hearth_gpu_memory_free(device.handle, &memory) }

    /// The whole buffer.
    package var place: GPUPlace { GPUPlace(buffer: self, offset: 0) }

    /// The bytes, where the processor reaches them.
    package var bytes: UnsafeMutableRawBufferPointer? {
        memory.bytes.map { UnsafeMutableRawBufferPointer(start: $0, count: byteCount) }
    }

    /// Puts bytes into the buffer, by way of shared memory where they cannot be written.
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

    /// - Throws: `GPUError`.
    package func upload(_ values: [Float], at offset: Int = 0) throws(GPUError) {
        try values.withUnsafeBufferPointer { values throws(GPUError) in
            try upload(UnsafeRawBufferPointer(values), at: offset)
        }
    }

    /// Numbers of the buffer, by way of shared memory where they cannot be read.
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

/// A place in a buffer.
package struct GPUPlace {
    package let buffer: GPUBuffer
    /// In bytes; a multiple of 4.
    package let offset: Int

    var address: UInt64 { buffer.memory.address + UInt64(offset) }

    /// So many float32 values on.
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
