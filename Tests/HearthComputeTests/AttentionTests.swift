import CHearthKernels
import Foundation
import HearthCompute
import HearthTestSupport
import Testing

/// Attention through the rings of local layers and through global layers, in every format of the cache, against a softmax over
/// the window in one piece.
@Suite("Attention over a cache", .timeLimit(.minutes(20))) struct AttentionTests {
    /// Two key/value heads for six query heads; rows long enough for several parts.
    static let (heads, groups, width, length) = (2, 3, 16, 330)

    struct Case: Sendable, CustomTestStringConvertible {
        let kernels: String
        let format: KVCacheFormat
        let window: Int?
        var testDescription: String { "\(kernels) \(format.rawValue) window \(window.map(String.init) ?? "none")" }
    }

    static let cases = KernelSet.available.flatMap { set in
        KVCacheFormat.allCases.flatMap { format in
            [Int?.none, 4, 150].map { Case(kernels: set.name, format: format, window: $0) }
        }
    }

    private func rows(_ count: Int, _ width: Int, _ random: inout SeededNumbers) throws -> Rows {
        let rows = try Rows(count: count, width: width)
        for row in 0..<count { rows.set(row, to: random.floats(width)) }
        return rows
    }

    /// What a cache makes of values: packed and unpacked, head by head.
    private func kept(_ source: Rows, _ format: KVCacheFormat) throws -> Rows {
        let table = try KernelSet.selected(by: "portable").table.pointee
        let rows = try Rows(count: source.count, width: source.width)
        let whole = (Self.width + 31) / 32 * 32
        for row in 0..<source.count {
            var values: [Float] = []
            for head in 0..<Self.heads {
                var bytes = [UInt8](repeating: 0, count: format.bytes(ofHead: Self.width))
                var back = [Float](repeating: 0, count: whole)
                table.pack_row(format.kernelFormat, source.pointer(row) + head * Self.width, Self.width, &bytes)
                table.dequantize(
                    format.kernelFormat, bytes, format == .int8 || format == .int4 ? whole : Self.width, &back)
                values += back[..<Self.width]
            }
            rows.set(row, to: values)
        }
        return rows
    }

    @Test("Every query sees exactly its window, however positions are cut into steps and parts", arguments: cases)
    func window(_ item: Case) throws {
        var random = SeededNumbers(11)
        let (heads, groups, width, length) = (Self.heads, Self.groups, Self.width, Self.length)
        let keys = try rows(length, heads * width, &random)
        let values = try rows(length, heads * width, &random)
        let queries = try rows(length, heads * groups * width, &random)
        let keptKeys = try kept(keys, item.format), keptValues = try kept(values, item.format)
        var first: [[Float]] = []
        for (step, threads) in [(1, 2), (64, 1), (7, 8)] {
            let compute = try Compute(
                kernels: KernelSet.selected(by: item.kernels), threads: threads, maximumRows: step, maximumColumns: 64)
            let cache = try LayerKVCache(
                heads: heads, headWidth: width, window: item.window, context: length, maximumStep: step,
                format: item.format)
            #expect(item.window == 4 || cache.parts(from: length - 1) >= 2)
            let scratch = try AttentionScratch(maximumRows: step, heads: heads * groups, width: heads * groups * width)
            var found: [[Float]] = []
            for start in stride(from: 0, to: length, by: step) {
                let count = min(step, length - start)
                let out = try Rows(count: count, width: heads * groups * width)
                compute.store(keys: keys.rows(start, count), values: values.rows(start, count), first: start, in: cache)
                compute.attend(
                    queries.rows(start, count), mask: .causal(firstPosition: start), cache: cache, scale: 2, softCap: 0,
                    scratch: scratch, into: out)
                found += (0..<count).map { out.row($0) }
            }
            // Where rings have the same size, so have bits the same value, whoever computed them.
            if item.window == nil {
                if first.isEmpty { first = found }
                #expect(found == first, "steps of \(step), \(threads) threads")
            }
            for token in stride(from: 3, to: length, by: 17) {
                for head in 0..<heads * groups {
                    let wanted = plainAttention(
                        query: Array(queries.row(token)[head * width..<(head + 1) * width]),
                        keys: keptKeys, values: keptValues, column: head / groups * width,
                        positions: max(0, token + 1 - (item.window ?? length))...token)
                    let found = found[token][head * width..<(head + 1) * width]
                    #expect(zip(found, wanted).allSatisfy { abs(Double($0) - $1) < 1e-5 }, "\(token), \(head)")
                }
            }
        }
    }

    @Test("Parts cover what a query sees, once and in order", arguments: [64, 128, 300, 8192, 9000, 131_072])
    func parts(context: Int) throws {
        for window in [nil, 1, 128, 512, 100_000] {
            let cache = try LayerKVCache(
                heads: 1, headWidth: 2, window: window, context: context, maximumStep: 64, format: .float16)
            for position in [0, 1, 127, 128, 129, 511, 4095, context - 2, context - 1] where position < context {
                let count = cache.parts(from: position)
                #expect(count <= AttentionScratch.mostParts)
                var next = max(0, position + 1 - (window ?? context))
                for index in 0..<count {
                    let part = cache.part(index, from: position)
                    #expect(part.lowerBound == next && !part.isEmpty && part.count <= cache.part)
                    next = part.upperBound
                }
                #expect(next == position + 1)
            }
        }
    }

    @Test("Sizes of rows; heads that are too wide are refused")
    func sizes() throws {
        #expect(KVCacheFormat.allCases.map { $0.bytes(ofHead: 256) } == [1024, 512, 272, 144])
        #expect(KVCacheFormat.allCases.map { $0.bytes(ofHead: 40) } == [160, 80, 68, 36])
        #expect(throws: ComputeError.shapeMismatch(what: "head width", expected: 4096, found: 5000)) {
            try LayerKVCache(heads: 1, headWidth: 5000, window: nil, context: 1, maximumStep: 1, format: .int8)
        }
        #expect(throws: ComputeError.self) {
            try LayerKVCache(
                heads: .max / 4096, headWidth: 512, window: nil, context: 1 << 20, maximumStep: 1, format: .float16)
        }
    }

    @Test("Without a causal mask a query sees its own text, at most the reach away on both sides", arguments: cases)
    func bidirectional(_ item: Case) throws {
        var random = SeededNumbers(12)
        let (heads, groups, width) = (Self.heads, Self.groups, Self.width)
        let texts = [0..<1, 1..<34, 34..<36, 36..<240]
        let ofToken = texts.flatMap { text in text.map { _ in text } }
        let count = ofToken.count
        let keys = try rows(count, heads * width, &random)
        let values = try rows(count, heads * width, &random)
        let queries = try rows(count, heads * groups * width, &random)
        let keptKeys = try kept(keys, item.format), keptValues = try kept(values, item.format)
        let reach = item.window.map { $0 / 2 }
        for threads in [1, 3] {
            let compute = try Compute(
                kernels: KernelSet.selected(by: item.kernels), threads: threads, maximumRows: count, maximumColumns: 64)
            let cache = try LayerKVCache(
                heads: heads, headWidth: width, window: nil, context: count, maximumStep: count, format: item.format)
            let scratch = try AttentionScratch(maximumRows: count, heads: heads * groups, width: heads * groups * width)
            let out = try Rows(count: count, width: heads * groups * width)
            compute.store(keys: keys, values: values, first: 0, in: cache)
            compute.attend(
                queries, mask: .bidirectional(texts: ofToken, reach: reach), cache: cache, scale: 2, softCap: 0,
                scratch: scratch, into: out)
            for token in [0, 1, 2, 3, 30, 33, 34, 35, 36, 37, 38, 111, 112, 163, 164, 237, 238, 239] {
                let text = ofToken[token]
                let first = max(text.lowerBound, token - (reach ?? count))
                let last = min(text.upperBound - 1, token + (reach ?? count))
                for head in 0..<heads * groups {
                    let wanted = plainAttention(
                        query: Array(queries.row(token)[head * width..<(head + 1) * width]),
                        keys: keptKeys, values: keptValues, column: head / groups * width, positions: first...last)
                    let found = out.row(token)[head * width..<(head + 1) * width]
                    #expect(zip(found, wanted).allSatisfy { abs(Double($0) - $1) < 1e-5 }, "\(token), \(head)")
                }
            }
        }
    }

    private func plainAttention(
        query: [Float], keys: Rows, values: Rows, column: Int, positions: ClosedRange<Int>
    ) -> [Double] {
        let range = column..<column + query.count
        let scores = positions.map { position in
            2 * zip(query, keys.row(position)[range]).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
        }
        let most = scores.max() ?? 0
        let weights = scores.map { exp($0 - most) }
        let sum = weights.reduce(0, +)
        var result = [Double](repeating: 0, count: query.count)
        for (position, weight) in zip(positions, weights) {
            for (index, value) in values.row(position)[range].enumerated() {
                result[index] += Double(value) * weight / sum
            }
        }
        return result
    }
}
