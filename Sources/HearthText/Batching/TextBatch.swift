internal import Foundation
internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer
internal import Synchronization

/// Generates several texts concurrently: they join and leave between steps, and share each pass through the model. Each text
/// gets exactly the tokens it would get alone.
///
/// Runs on its generator's queue; the generator calls `work()` whenever a text was added. Each text has its own session. When a
/// text has ended, its KV cache is kept for a later text with the same prefix.
final class TextBatch: @unchecked Sendable {
    // Sendable: everything except `arrivals` is accessed only on the queue.

    private struct Slot {
        var session: GemmaSession
        var user: BatchedText?
        /// When it was last released, as a count of releases.
        var used = 0
    }

    private let model: TextModel
    private let drafts: DraftTable?
    private let bytes: @Sendable (Int) -> Int
    private var scheduler: BatchScheduler
    private var slots: [Slot]
    private var texts: [Int: BatchedText] = [:]
    private var uses = 0
    /// Which of several groups of texts with the same adapters had the last step.
    private var turn = 0
    private let arrivals = Mutex<[BatchedText]>([])
    /// Minimum length of a common prefix, in tokens, for which a session's KV cache is reused.
    private static let worthKeeping = 16
    /// Polling interval while all texts are paused, in seconds.
    private static let pause = 0.02

    init(
        _ session: GemmaSession, of model: TextModel, drafts: DraftTable?, limits: BatchScheduler.Limits,
        cacheFormat: KVCacheFormat
    ) {
        self.model = model
        self.drafts = drafts
        slots = [Slot(session: session)]
        let (configuration, step) = (model.configuration, session.maximumStep)
        bytes = { [context = session.context] length in
            configuration.cacheBytes(tokens: min(length, context), maximumStep: step, format: cacheFormat)
        }
        scheduler = BatchScheduler(limits: limits, bytes: bytes)
    }

    /// What the batch needs from its generator.
    struct Owner {
        /// Announces the runs of the next step; if all of them are stopped, the computation is aborted.
        var begin: ([GenerationRun]) -> Void
        var isClosed: () -> Bool
        /// The adapters of a text, loaded.
        var adapters: (TextProgress) throws -> ActiveAdapters?
        /// Whether a caller is waiting for exclusive use of the session.
        var isWanted: () -> Bool
        /// nil if the model has no prefix cache.
        var keepPrefix: ((GemmaSession, () -> Bool) -> Void)?
        var bringPrefix: (TextProgress, GemmaSession, () -> Bool) -> Void
    }

    /// Adds a text; may be called from any thread.
    func join(_ text: BatchedText) { arrivals.withLock { $0.append(text) } }

    /// Lowers the number of texts generated concurrently; called on the queue.
    func limit(texts: Int) { scheduler.limit(texts: texts) }

    // MARK: - Working

    /// Generates until no texts are left, or until a caller wants exclusive use and all running texts have ended.
    func work(_ owner: Owner) {
        while true {
            takeArrivals()
            endStopped(owner)
            if !owner.isWanted() { for id in scheduler.admit() { begin(id, owner) } }
            guard !scheduler.running.isEmpty else {
                if texts.isEmpty || owner.isWanted() { return }
                continue
            }
            makeRoom()
            owner.begin(scheduler.running.compactMap { texts[$0]?.run })
            let needs = scheduler.running.compactMap { id -> BatchScheduler.Share? in
                guard let text = texts[id], text.pace?.share != 0 else { return nil }
                return BatchScheduler.Share(id, tokens: text.need(keepingPrefix: owner.keepPrefix != nil))
            }
            guard !needs.isEmpty else {
                Thread.sleep(forTimeInterval: Self.pause)
                continue
            }
            step(scheduler.divide(group(needs)), owner)
        }
    }

    /// The texts of the next step: those with the same adapters, which take turns with those with others.
    private func group(_ needs: [BatchScheduler.Share]) -> [BatchScheduler.Share] {
        var groups: [(adapters: String?, needs: [BatchScheduler.Share])] = []
        for need in needs {
            let adapters = texts[need.id]?.adapters?.identity
            if let index = groups.firstIndex(where: { $0.adapters == adapters }) {
                groups[index].needs.append(need)
            } else {
                groups.append((adapters, [need]))
            }
        }
        guard groups.count > 1 else { return needs }
        turn = (turn + 1) % groups.count
        return groups[turn].needs
    }

    private func takeArrivals() {
        let new = arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
        for text in new {
            texts[text.id] = text
            scheduler.join(text.id, length: text.count)
        }
    }

    private func endStopped(_ owner: Owner) {
        let isClosed = owner.isClosed()
        for id in scheduler.waiting + scheduler.running {
            guard let text = texts[id] else { continue }
            if isClosed { text.run.stop(.suspended) }
            guard text.run.isStopped else { continue }
            text.tellStop(of: model)
            remove(text)
        }
    }

    private func begin(_ id: Int, _ owner: Owner) {
        guard let text = texts[id] else { return }
        do {
            try text.load(owner.adapters)
            let index = try slot(for: text)
            slots[index].user = text
            try text.begin(
                slots[index].session, of: model, drafts: drafts, bringPrefix: owner.bringPrefix)
            endIfOver(text)
        } catch {
            text.fail(error)
            remove(text)
        }
    }

    /// A free session: the one with the longest matching prefix, else an empty one, else the least recently used.
    private func slot(for text: BatchedText) throws -> Int {
        let free = slots.indices.filter { slots[$0].user == nil }
        let tokens = text.tokens
        let known = free.map { index in
            let session = slots[index].session, isUsable = session.adapters?.identity == text.adapters?.identity
            return (index: index, count: isUsable ? session.known(of: tokens) : 0)
        }
        if let best = known.max(by: { $0.count < $1.count }), best.count >= Self.worthKeeping { return best.index }
        let empty = free.first { slots[$0].session.held.isEmpty }
        if empty == nil, slots.count < scheduler.limits.texts {
            slots.append(Slot(session: try GemmaSession(beside: slots[0].session)))
            return slots.count - 1
        }
        guard let index = empty ?? free.min(by: { slots[$0].used < slots[$1].used }) else {
            preconditionFailure("more texts run than may")
        }
        if isTight { slots[index].session.discard() }
        return index
    }

    /// Whether the memory limit is too small for all sessions to be full at once.
    private var isTight: Bool {
        let (all, overflow) = bytes(.max).multipliedReportingOverflow(by: scheduler.limits.texts)
        return overflow || all > scheduler.limits.bytes
    }

    /// Keeps the KV caches within the memory limit; idle ones are discarded first.
    private func makeRoom() {
        guard isTight else { return }
        for slot in slots {
            guard let text = slot.user else { continue }
            scheduler.note(text.id, length: max(text.count, slot.session.touched))
        }
        for id in scheduler.makeRoom() {
            guard let text = texts[id] else { continue }
            text.stepBack()
            free(text)
        }
        var idle = slots.indices.filter { slots[$0].user == nil && slots[$0].session.touched > 0 }
            .sorted { slots[$0].used > slots[$1].used }
        var sum = idle.reduce(scheduler.usedBytes) { $0 + bytes(slots[$1].session.touched) }
        while sum > scheduler.limits.bytes, let index = idle.popLast() {
            sum -= bytes(slots[index].session.touched)
            slots[index].session.discard()
        }
    }

    // MARK: - A step

    private func step(_ shares: [BatchScheduler.Share], _ owner: Owner) {
        let clock = Stopwatch()
        let isAlone = scheduler.running.count == 1
        var parts: [GemmaSession.Part] = []
        var users: [BatchedText] = []
        for share in shares {
            guard let text = texts[share.id], let part = text.part(share.tokens, mayDraft: isAlone) else { continue }
            parts.append(part)
            users.append(text)
        }
        let logits: Rows
        do {
            logits = try GemmaSession.step(parts)
        } catch is CancellationError {
            // Stopped texts leave; the others run the step again.
            return
        } catch {
            for text in users {
                text.fail(error)
                remove(text)
            }
            return
        }
        let wanted = parts.map(\.wanted)
        // Release the token slices before the texts append to their arrays, which would otherwise be copied.
        parts = []
        var row = 0
        for (text, wanted) in zip(users, wanted) {
            if wanted > 0 {
                text.take(logits, row: row)
            } else if let keepPrefix = owner.keepPrefix, let session = text.session, text.isAtPrefix {
                keepPrefix(session) { text.run.isStopped }
            }
            row += wanted
            scheduler.note(text.id, length: text.count)
            endIfOver(text)
        }
        rest(users, clock.milliseconds)
    }

    /// Pauses as long as the slowest pace among the texts requires.
    private func rest(_ users: [BatchedText], _ milliseconds: Double) {
        guard let pace = users.compactMap(\.pace).min(by: { $0.share < $1.share }) else { return }
        _ = pace.rest(afterMilliseconds: milliseconds) { pace.share == 0 || users.contains { $0.run.isStopped } }
    }

    // MARK: - Ending

    private func endIfOver(_ text: BatchedText) {
        text.looksForEnd()
        if let failure = text.failure {
            text.fail(failure)
        } else if text.end != nil {
            text.tellEnd()
        } else {
            return
        }
        remove(text)
    }

    private func remove(_ text: BatchedText) {
        scheduler.leave(text.id)
        texts[text.id] = nil
        free(text)
    }

    private func free(_ text: BatchedText) {
        text.letGo()
        guard let index = slots.firstIndex(where: { $0.user === text }) else { return }
        uses += 1
        (slots[index].user, slots[index].used) = (nil, uses)
    }
}
