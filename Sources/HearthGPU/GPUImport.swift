/// Bytes of a mapped file that a device reads in place, imported in a few large pieces.
package final class GPUImport {
    private let pieces: [(range: Range<UInt>, buffer: GPUBuffer)]

    /// Imports what can be imported; the rest has to be copied.
    /// - Parameters:
    ///   - parts: the bytes that will be needed.
    ///   - whole: the mapped file.
    ///   - owner: keeps the file mapped.
    /// - Throws: `GPUError.deviceLost`.
    package init(
        _ device: GPUDevice, _ parts: [UnsafeRawBufferPointer], of whole: UnsafeRawBufferPointer, page: Int,
        owner: any AnyObject & Sendable
    ) throws(GPUError) {
        var pieces: [(range: Range<UInt>, buffer: GPUBuffer)] = []
        let ranges = Self.pieces(
            for: parts.map(Self.addresses), within: Self.addresses(whole), page: page,
            alignment: device.info.importAlignment, most: device.info.importBytes)
        for range in ranges {
            let bytes = UnsafeRawBufferPointer(
                start: UnsafeRawPointer(bitPattern: range.lowerBound), count: range.count)
            do {
                pieces.append((range, try GPUBuffer(device, importing: bytes, owner: owner)))
            } catch .deviceLost {
                throw .deviceLost
            } catch {
                // A driver may refuse memory of a file.
                continue
            }
        }
        self.pieces = pieces
    }

    /// Where the device finds bytes of the file; nil if they have to be copied.
    package func place(of bytes: UnsafeRawBufferPointer) -> GPUPlace? {
        let wanted = Self.addresses(bytes)
        guard let (range, buffer) = pieces.first(where: { $0.range.contains(wanted) }) else { return nil }
        let offset = Int(wanted.lowerBound - range.lowerBound)
        // Products read 16 bytes at once.
        return offset % 16 == 0 ? GPUPlace(buffer: buffer, offset: offset) : nil
    }

    /// Whether a device reads bytes of this file as they are. Tried on a device of its own, as a driver may accept a file's memory and
    /// fail when it is first used.
    package static func works(
        on info: GPUDeviceInfo, _ whole: UnsafeRawBufferPointer, page: Int, owner: any AnyObject & Sendable
    ) -> Bool {
        let count = min(64, whole.count / 4 * 4)
        let start = UnsafeRawBufferPointer(rebasing: whole[..<count])
        guard count > 0, info.importAlignment > 0, let device = try? GPUDevice(info),
            let imported = try? GPUImport(device, [start], of: whole, page: page, owner: owner),
            let place = imported.place(of: start), let copy = try? GPUBuffer(device, byteCount: count, .shared)
        else { return false }
        let done: Void? = try? device.submit { commands throws(GPUError) in
            commands.copy(place.buffer, place.offset, to: copy, 0, byteCount: count)
        }
        return done != nil && copy.bytes.map { $0.elementsEqual(start) } == true
    }

    /// Gaps up to this size, in bytes, do not begin a new piece.
    private static let gap: UInt = 1 << 20

    /// The ranges of addresses to import: multiples of the alignment that do not overlap, each of at most `most` bytes. A part that
    /// would need more, or pages that are not the file's, is left out.
    package static func pieces(
        for parts: [Range<UInt>], within whole: Range<UInt>, page: Int, alignment: Int, most: Int
    ) -> [Range<UInt>] {
        guard alignment > 0, page > 0 else { return [] }
        let unit = UInt(alignment), page = UInt(page), most = UInt(most)
        // The last page is mapped as a whole.
        let end = (whole.upperBound + page - 1) / page * page
        var pieces: [Range<UInt>] = []
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) where !part.isEmpty {
            let first = part.lowerBound / unit * unit, last = (part.upperBound + unit - 1) / unit * unit
            guard first >= whole.lowerBound, last <= end, last - first <= most else { continue }
            guard let piece = pieces.last, first <= piece.upperBound + gap else {
                pieces.append(first..<last)
                continue
            }
            if last - piece.lowerBound <= most {
                pieces[pieces.count - 1] = piece.lowerBound..<max(piece.upperBound, last)
            } else if first >= piece.upperBound {
                pieces.append(first..<last)
            }
        }
        return pieces
    }

    private static func addresses(_ bytes: UnsafeRawBufferPointer) -> Range<UInt> {
        let start = UInt(bitPattern: bytes.baseAddress)
        return start..<start + UInt(bytes.count)
    }
}
