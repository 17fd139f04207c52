internal import CHearthKernels

/// The positions that each query attends to.
package enum AttentionMask: Sendable {
    /// Query `i` is at position `firstPosition + i` and attends to itself and earlier positions, within the cache's window.
    case causal(firstPosition: Int)
    /// Query `i` is at position `i` and attends to the positions `texts[i]` at a distance of at most `reach`, or to all of them
    /// if nil. The cache holds them without a ring buffer.
    case bidirectional(texts: [Range<Int>], reach: Int?)
    /// Queries of several texts: each run continues one text, with its own cache, under a causal mask; `ofQuery[i]` is the run
    /// of query `i`. All caches have the same shape.
    case runs([AttentionRun], ofQuery: [Int])
}

/// Consecutive queries of one text.
package struct AttentionRun: Sendable {
    let cache: LayerKVCache
    let firstPosition: Int
    let firstQuery: Int

    /// - Parameters:
    ///   - firstPosition: position of the first query in its text; the cache must hold all positions that the queries attend to.
    ///   - firstQuery: row of the first query.
    package init(cache: LayerKVCache, firstPosition: Int, firstQuery: Int) {
        (self.cache, self.firstPosition, self.firstQuery) = (cache, firstPosition, firstQuery)
    }

    func position(ofQuery query: Int) -> Int { firstPosition + query - firstQuery }
}

extension Compute {
    /// Stores the rows of `keys` and `values` at positions `first ...`.
    /// - Parameters:
    ///   - keys: [tokens × cache.heads·cache.headWidth]; the same for `values`.
    package func store(keys: Rows, values: Rows, first: Int, in cache: LayerKVCache) {
        let width = cache.headWidth
        assert(keys.width == cache.heads * width && values.width == keys.width && keys.count <= cache.capacity)
        eachRow(keys.count) { [table] row in
            let offset = (first + row) % cache.capacity * cache.rowBytes
            for head in 0..<cache.heads {
                let start = offset + head * cache.headBytes
                table.pack_row(
                    cache.format.kernelFormat, keys.pointer(row) + head * width, width, cache.keys + start)
                table.pack_row(
                    cache.format.kernelFormat, values.pointer(row) + head * width, width, cache.values + start)
            }
        }
    }

    /// Computes the attention of `queries` over the cached positions that the mask allows.
    ///
    /// Positions under a causal mask are processed in parts, each with its own softmax, which are merged in order (Milakov and
    /// Gimelshein, "Online normalizer calculation for softmax", 2018). With few queries, parts are distributed to the threads;
    /// with many, queries are. The results are bit-identical.
    /// - Parameters:
    ///   - queries: [tokens × heads·width], rotated.
    ///   - mask: the positions they attend to.
    ///   - cache: holds the keys and values of all these positions; with runs, the cache of any run.
    ///   - scale: factor for q·k.
    ///   - softCap: soft cap of the scores; 0 for none.
    ///   - scratch: made for at least as many tokens and heads.
    ///   - out: [tokens × heads·width].
    package func attend(
        _ queries: Rows, mask: AttentionMask, cache: LayerKVCache, scale: Float, softCap: Float,
        scratch: AttentionScratch,
        into out: Rows
    ) {
        assert(queries.width <= scratch.sums.width && queries.count <= scratch.firstFigures.count)
        let heads = queries.width / cache.headWidth
        let group = heads / cache.heads
        var parts = 1
        switch mask {
        case .causal(let first):
            for token in 0..<queries.count { parts = max(parts, cache.parts(from: first + token)) }
        case .bidirectional: break
        case .runs(let runs, let ofQuery):
            for token in 0..<queries.count {
                parts = max(parts, cache.parts(from: runs[ofQuery[token]].position(ofQuery: token)))
            }
        }
        let rows = queries.count * cache.heads
        let sharesParts = parts > 1 && rows < 2 * pool.threads && queries.count * parts <= scratch.sums.count
        let pieces = sharesParts ? rows * parts : rows
        // One token of a short text gives one piece per key/value head; a single such head (Gemma 1 and 3) would leave all
        // other threads idle, so its query heads are split.
        let splits = pieces >= pool.threads ? 1 : min(group, pool.threads)
        let work = Attention(
            kernels: kernels, queries: queries, mask: mask, cache: cache, scale: scale,
            softCap: softCap, scratch: scratch, out: out, heads: heads, splits: splits)
        if sharesParts {
            run(AttentionParts(work: work, parts: parts), count: pieces * splits)
            eachRow(queries.count) { token in
                work.join(token, 0..<heads, row: { token * parts + $0 })
                work.finish(token, 0..<heads)
            }
        } else {
            run(AttentionTokens(work: work), count: pieces * splits)
        }
    }
}

/// Attention of some tokens, and the computation of its parts.
private struct Attention {
    let kernels: KernelSet
    let queries: Rows
    let mask: AttentionMask
    let cache: LayerKVCache
    let scale: Float
    let softCap: Float
    let scratch: AttentionScratch
    let out: Rows
    let heads: Int
    /// Number of pieces that the query heads of one key/value head are split into.
    let splits: Int

    var group: Int { heads / cache.heads }

    /// Number of parts of a token's positions. Without a causal mask it is 1: there are enough queries to distribute, and
    /// results must not depend on a text's position in the batch.
    func parts(_ token: Int) -> Int {
        switch mask {
        case .causal(let first): cache.parts(from: first + token)
        case .bidirectional: 1
        case .runs(let runs, let ofQuery): cache.parts(from: runs[ofQuery[token]].position(ofQuery: token))
        }
    }

    /// The cache with the keys and values for a token.
    private func cache(of token: Int) -> LayerKVCache {
        if case .runs(let runs, let ofQuery) = mask { runs[ofQuery[token]].cache } else { cache }
    }

    /// The positions in a part.
    private func positions(_ part: Int, of token: Int) -> Range<Int> {
        switch mask {
        case .causal(let first): return cache.part(part, from: first + token)
        case .bidirectional(let texts, let reach):
            let text = texts[token]
            guard let reach, reach < text.count else { return text }
            return max(text.lowerBound, token - reach)..<min(text.upperBound, token + reach + 1)
        case .runs(let runs, let ofQuery):
            return cache.part(part, from: runs[ofQuery[token]].position(ofQuery: token))
        }
    }

    /// The query heads of a piece; `index` counts the pieces of all key/value heads.
    func queryHeads(_ index: Int) -> Range<Int> {
        let first = index / splits * group, split = index % splits
        return first + group * split / splits..<first + group * (split + 1) / splits
    }

    /// Computes a part for query heads that share one key/value head: the first part in the output, others in `row` of the
    /// scratch memory.
    func attend(_ token: Int, part: Int, _ range: Range<Int>, row: Int) {
        if range.isEmpty { return }
        let positions = positions(part, of: token), cache = cache(of: token)
        let keyHead = range.lowerBound / group, column = range.lowerBound * cache.headWidth
        let sums = part == 0 ? out.pointer(token) : scratch.sums.pointer(row)
        let figures = part == 0 ? scratch.firstFigures.pointer(token) : scratch.figures.pointer(row)
        var attention = hk_attention(
            queries: queries.pointer(token) + column, heads: range.count, width: cache.headWidth,
            format: cache.format.kernelFormat, keys: cache.keys + keyHead * cache.headBytes,
            values: cache.values + keyHead * cache.headBytes, row_bytes: cache.rowBytes, capacity: cache.capacity,
            first: positions.lowerBound, count: positions.count, scale: scale, soft_cap: softCap,
            output: sums + column, maximum: figures + range.lowerBound, total: figures + heads + range.lowerBound)
        kernels.table.pointee.attend(&attention)
    }

    /// Merges the part in `row` of the scratch memory into the first part.
    func join(_ token: Int, _ range: Range<Int>, row: Int) {
        if range.isEmpty { return }
        let column = range.lowerBound * cache.headWidth, head = range.lowerBound
        let figures = scratch.firstFigures.pointer(token), others = scratch.figures.pointer(row)
        kernels.table.pointee.join_attention(
            range.count, cache.headWidth, out.pointer(token) + column, figures + head, figures + heads + head,
            scratch.sums.pointer(row) + column, others + head, others + heads + head)
    }

    /// Merges all parts of a token into the first, in order.
    func join(_ token: Int, _ range: Range<Int>, row: (Int) -> Int) {
        for part in 1..<max(1, parts(token)) { join(token, range, row: row(part)) }
    }

    /// Divides by the softmax totals.
    func finish(_ token: Int, _ range: Range<Int>) {
        let totals = scratch.firstFigures.pointer(token) + heads
        for head in range {
            kernels.table.pointee.scale(
                out.pointer(token) + head * cache.headWidth, 1 / totals[head], cache.headWidth)
        }
    }
}

/// One piece per part: for few tokens.
private struct AttentionParts: ParallelWork {
    let work: Attention
    let parts: Int

    func run(_ index: Int) {
        let pieces = work.cache.heads * work.splits
        let token = index / (parts * pieces), part = index / pieces % parts
        guard part < work.parts(token) else { return }
        work.attend(token, part: part, work.queryHeads(index % pieces), row: token * parts + part)
    }
}

/// One piece per token, whose parts are computed in sequence: for many tokens.
private struct AttentionTokens: ParallelWork {
    let work: Attention

    func run(_ index: Int) {
        let pieces = work.cache.heads * work.splits
        let token = index / pieces, range = work.queryHeads(index % pieces)
        for part in 0..<work.parts(token) {
            work.attend(token, part: part, range, row: token)
            if part > 0 { work.join(token, range, row: token) }
        }
        work.finish(token, range)
    }
}
