internal import CHearthKernels

/// Which keys each query sees.
package enum AttentionMask: Sendable {
    /// Query `i` is position `firstPosition + i`. It sees itself and what stands before it, within the cache's window.
    case causal(firstPosition: Int)
    /// Query `i` is position `i` and sees the positions `texts[i]` that are at most `reach` away; nil sees them all. The cache
    /// holds them without a ring.
    case bidirectional(texts: [Range<Int>], reach: Int?)
    /// Queries of several texts: each run continues one of them, in a cache of its own, under a causal mask; `ofQuery[i]` is the
    /// run of query `i`. All caches have one shape.
    case runs([AttentionRun], ofQuery: [Int])
}

/// Queries of one text that follow each other.
package struct AttentionRun: Sendable {
    let cache: LayerKVCache
    let firstPosition: Int
    let firstQuery: Int

    /// - Parameters:
    ///   - firstPosition: of its first query in the text; the cache holds what that one and the others see.
    ///   - firstQuery: its first query, by its row.
    package init(cache: LayerKVCache, firstPosition: Int, firstQuery: Int) {
        (self.cache, self.firstPosition, self.firstQuery) = (cache, firstPosition, firstQuery)
    }

    func position(ofQuery query: Int) -> Int { firstPosition + query - firstQuery }
}

extension Compute {
    /// Keeps the rows of `keys` and `values` as positions `first ...`.
    /// - Parameters:
    ///   - keys: [tokens × cache.heads·cache.headWidth]; `values` the same.
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

    /// Attention of `queries` over the cached positions they may see.
    ///
    /// Positions under a causal mask are computed in parts, each with a softmax of its own, which are put together in order (Milakov and Gimelshein,
    /// "Online normalizer calculation for softmax", 2018). With few queries the threads share the parts; with many, the queries.
    /// The bits are the same.
    /// - Parameters:
    ///   - queries: [tokens × heads·width], rotated.
    ///   - mask: what they see.
    ///   - cache: holds the keys and values of all positions that any query sees; with runs, any of theirs.
    ///   - scale: multiplies q·k. softCap: 0 for none.
    ///   - scratch: for at least as many tokens and heads.
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
        // One token of a short text gives one piece a key/value head; with a single such head (Gemma 1 and 3) that would leave
        // all other threads idle, so its query heads are split.
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

/// Attention of some tokens, and how its parts are computed.
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
    /// Pieces that the query heads of one key/value head are cut into.
    let splits: Int

    var group: Int { heads / cache.heads }

    /// Parts of a token's positions. Without a causal mask there are many queries to share, and one part each: what a text
    /// gives does not depend on where it stands among others.
    func parts(_ token: Int) -> Int {
        switch mask {
        case .causal(let first): cache.parts(from: first + token)
        case .bidirectional: 1
        case .runs(let runs, let ofQuery): cache.parts(from: runs[ofQuery[token]].position(ofQuery: token))
        }
    }

    /// Where the keys and values are that a token sees.
    private func cache(of token: Int) -> LayerKVCache {
        if case .runs(let runs, let ofQuery) = mask { runs[ofQuery[token]].cache } else { cache }
    }

    /// The positions of a part.
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

    /// The query heads of one piece; `index` counts pieces of all key/value heads.
    func queryHeads(_ index: Int) -> Range<Int> {
        let first = index / splits * group, split = index % splits
        return first + group * split / splits..<first + group * (split + 1) / splits
    }

    /// Computes a part for heads that share one key/value head: the first where the result will be, others in `row` of the
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

    /// Adds the part in `row` of the scratch memory to the first.
    func join(_ token: Int, _ range: Range<Int>, row: Int) {
        if range.isEmpty { return }
        let column = range.lowerBound * cache.headWidth, head = range.lowerBound
        let figures = scratch.firstFigures.pointer(token), others = scratch.figures.pointer(row)
        kernels.table.pointee.join_attention(
            range.count, cache.headWidth, out.pointer(token) + column, figures + head, figures + heads + head,
            scratch.sums.pointer(row) + column, others + head, others + heads + head)
    }

    /// Adds all parts of a token to the first, in order.
    func join(_ token: Int, _ range: Range<Int>, row: (Int) -> Int) {
        for part in 1..<max(1, parts(token)) { join(token, range, row: row(part)) }
    }

    /// Divides by the totals.
    func finish(_ token: Int, _ range: Range<Int>) {
        let totals = scratch.firstFigures.pointer(token) + heads
        for head in range {
            kernels.table.pointee.scale(
                out.pointer(token) + head * cache.headWidth, 1 / totals[head], cache.headWidth)
        }
    }
}

/// A piece a part: for few tokens.
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

/// A piece a token, whose parts are computed one after the other: for many tokens.
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
