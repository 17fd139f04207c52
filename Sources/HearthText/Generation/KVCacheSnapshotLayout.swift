internal import HearthCompute

/// The header that a snapshot must have for a session of a model.
package struct KVCacheSnapshotLayout {
    /// All bytes before the tokens.
    package private(set) var head: [UInt8]
    /// Size of the file in bytes.
    private(set) var length: Int

    package init(_ session: GemmaSession, _ model: TextModel, tokens: Int, written: Int) {
        let table = session.caches.flatMap { cache in
            [cache.window, cache.capacity, cache.heads, cache.headWidth, cache.byteCount(ofRows: 1)].flatMap {
                littleEndian(UInt32($0))
            }
        }
        let start = KVCacheSnapshot.fixedBytes + table.count + 4 * tokens + KVCacheSnapshot.digestBytes
        length = KVCacheSnapshot.padded(start) + KVCacheSnapshot.digestBytes
        for cache in session.caches { length += 2 * KVCacheSnapshot.padded(cache.byteCount(ofRows: written)) }

        head = KVCacheSnapshot.magic + littleEndian(KVCacheSnapshot.version)
        head += littleEndian(UInt32(session.caches.count)) + littleEndian(UInt64(length))
        head += Array(model.identity(with: session.adapters).utf8)
        let kernels = session.compute.kernels.key.utf8.prefix(16)
        head += kernels + [UInt8](repeating: 0, count: 16 - kernels.count)
        for number in [session.context, session.maximumStep, tokens, written] {
            head += littleEndian(UInt32(number))
        }
        head += table
    }

    /// - Throws: `Problem.otherFormat`.
    static func counts(_ fixed: [UInt8]) throws(KVCacheSnapshot.Problem) -> (tokens: Int, written: Int) {
        guard fixed[..<8].elementsEqual(KVCacheSnapshot.magic),
            fixed[8..<12].elementsEqual(littleEndian(KVCacheSnapshot.version))
        else { throw .otherFormat }
        func number(_ at: Int) -> Int { fixed[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        return (number(112), number(116))
    }

    /// Compares a file's header with the expected one.
    func check(_ fixed: [UInt8]) throws(KVCacheSnapshot.Problem) {
        func isEqual(_ range: Range<Int>) -> Bool { fixed[range] == head[range] }
        guard isEqual(24..<88) else { throw .otherModel }
        guard isEqual(88..<104) else { throw .otherKernels }
        guard isEqual(12..<16), isEqual(104..<112) else { throw .otherShape }
        guard isEqual(16..<24) else { throw .damaged }
    }
}

/// The bytes of an integer, least significant first.
package func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
