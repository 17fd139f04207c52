internal import HearthSystem

/// One attempt to fetch a partial file's missing bytes from a mirror.
///
/// A leading connection requests everything from the first gap to the end of the file. If it is slow, the file is long and the
/// server has proved that it serves ranges of the same bytes, further connections fetch ranges ahead of it, and the leading one
/// stops where they began. Everything is written to its place as it arrives, so an interrupted attempt loses nothing.
final class FetchAttempt {
    enum Result {
        /// Everything has arrived.
        case complete
        /// The partial file is as complete as before, or more so.
        case interrupted(DeliveryError, retryAfter: Double?)
        /// The partial file cannot be used with this mirror.
        case restart(reason: String)
        /// The mirror will not help.
        case refused(DeliveryError)
    }

    private static let hashStep = 8 << 20
    /// Seconds from one look at the transfers to the next, at most; what is more, the program stood still.
    private static let longestLook = 0.25

    let context: DownloadContext
    let mirror: DownloadAddress
    /// Identifies the address that bytes come from, in the journal.
    let source: String
    let place: PartialPlace
    private let transfers: HTTPTransfers
    private let stallSeconds: Double
    private(set) var partial: PartialFile

    /// The last look at the transfers.
    private var looked = 0.0

    // State that responses change.
    var watch: ProgressWatch
    var pieces: [TransferID: FetchPiece] = [:]
    /// Ends the attempt.
    var result: Result?
    /// Ends the download.
    var storageError: (any Error)?
    /// The digest that a hub gave when it redirected to the file's address.
    var linkedSHA256: String?
    /// The error of the connection that ended last, if it failed.
    var lastFailure: (error: DeliveryError, retryAfter: Double?)?

    // Parallel ranges: whether they are allowed, whether the server claims to serve them, whether it has proved it.
    var mayHelp = true
    var servesParts = false
    var isProved = false
    var leadingAddress: DownloadAddress?

    init(
        _ context: DownloadContext, mirror: DownloadAddress, place: PartialPlace, partial: PartialFile,
        watch: ProgressWatch, stallSeconds: Double
    ) throws {
        self.context = context
        self.mirror = mirror
        self.place = place
        self.partial = partial
        self.watch = watch
        self.stallSeconds = stallSeconds
        source = SHA256.digest(of: mirror.text.utf8)
        transfers = try HTTPTransfers(
            environment: context.environment, connectSeconds: context.limits.connectSeconds)
    }

    var total: Int? { context.request.bytes ?? partial.header.total }

    /// Runs until the file is complete or the attempt has ended.
    /// - Throws: `CancellationError`, or `FileFailure` of the partial file.
    func run() throws -> Result {
        context.cancellation.setWakeUp(transfers.wakeUp)
        defer { context.cancellation.setWakeUp(nil) }
        do {
            try startLeading()
            let begin = context.now
            looked = begin
            while result == nil {
                try context.cancellation.check()
                transfers.run(for: 0.1, handler: self)
                if let storageError { throw storageError }
                try tick(begin: begin)
            }
        } catch {
            try? stopAll()
            throw error
        }
        try stopAll()
        return result ?? .restart(reason: "")
    }

    private func tick(begin: Double) throws {
        // As soon as it is known not to be a web page, so that little is lost if the process ends.
        for (id, piece) in pieces where piece.position + piece.buffer.count >= BodyCheck.bytes { try flush(id) }
        if let storageError { throw storageError }
        _ = try partial.followFront(limit: Self.hashStep)
        let now = context.now
        watch.leaveOut(now - looked - Self.longestLook, now: now)
        looked = now
        try partial.checkpointIfDue(now: now)
        context.report(watch.progress(bytes: partial.ranges.count, total: total, now: now))
        let idle = watch.idle(now: now)
        if min(watch.standing(now: now), now - begin) >= stallSeconds || idle >= context.limits.giveUpSeconds,
            result == nil
        {
            result = .interrupted(
                .stalled(url: mirror.shown, received: watch.received, seconds: idle), retryAfter: nil)
        }
        if result == nil { try startHelpers() }
    }

    private func stopAll() throws {
        for id in pieces.keys {
            transfers.cancel(id)
            try flush(id)
        }
        pieces = [:]
    }

    // MARK: Requests

    /// Requests everything from the first gap on, or the whole file.
    func startLeading() throws {
        // Everything has arrived, and a digest will verify it: the server need not be asked again.
        if let total, context.request.sha256 != nil, !partial.ranges.isEmpty,
            partial.ranges.gaps(below: total).isEmpty
        {
            result = .complete
            return
        }
        if !partial.ranges.isEmpty, !canContinue { try startOver() }
        guard let total else { return try start(leading: partial.ranges.front, end: nil) }
        guard let gap = partial.ranges.gaps(below: total).first else {
            // Everything has arrived. Without a digest, the server has to confirm that the file is unchanged.
            return try start(leading: total, end: nil)
        }
        try start(leading: gap.lowerBound, end: gap.upperBound)
    }

    /// Bytes of the same address are resumed with `If-Range`; those of another mirror only if a digest will verify the file.
    private var canContinue: Bool {
        partial.header.validator != nil && (partial.header.source == source || context.request.sha256 != nil)
    }

    func startOver() throws {
        partial.discard()
        partial = try PartialFile(new: place, files: context.files, limits: context.limits)
    }

    private func start(leading position: Int, end: Int?) throws {
        let requested: (Int, Int?)? = partial.ranges.isEmpty ? nil : (position, end == total ? nil : end)
        let rule: AddressRule = mirror.scheme == .http ? .loopbackOnly : .any
        try start(
            FetchPiece(
                isLeading: true, address: mirror, rule: rule, requested: requested, position: position,
                end: partial.ranges.isEmpty ? context.request.bytes : end))
    }

    func start(_ piece: FetchPiece) throws {
        var headers: [String: String] = [:]
        if piece.address.origin == mirror.origin, mirror.text == context.request.urls.first {
            headers = context.request.headers
        }
        if let (start, end) = piece.requested {
            headers["Range"] = "bytes=\(start)-\(end.map { String($0 - 1) } ?? "")"
            if let validator = guarding { headers["If-Range"] = validator.text }
        }
        let id = try transfers.start(TransferRequest(address: piece.address, headers: headers, rule: piece.rule))
        pieces[id] = piece
    }

    var guarding: EntityValidator? { partial.header.source == source ? partial.header.validator : nil }

    // MARK: Parallel ranges

    private func startHelpers() throws {
        let limits = context.limits
        guard mayHelp, servesParts, let total, guarding != nil, let address = leadingAddress else { return }
        if !isProved {
            guard pieces.count == 1, let leading = pieces.values.first, leading.isAccepted else { return }
            let rest = total - leading.position
            guard rest >= limits.leastParallelBytes, watch.bytesPerSecond > 0,
                Double(rest) / watch.bytesPerSecond >= limits.leastParallelSeconds
            else { return }
            let begin = leading.position + limits.rangeBytes
            return try help(begin..<min(total, begin + limits.rangeBytes), address)
        }
        while pieces.count < limits.connections, let next = unassigned(below: total) { try help(next, address) }
    }

    private func help(_ range: Range<Int>, _ address: DownloadAddress) throws {
        guard !range.isEmpty else { return }
        let rule: AddressRule =
            address.scheme == .http
            ? .loopbackOnly : address == mirror ? .any : pieces.values.first?.rule ?? .openOr(.open)
        try start(
            FetchPiece(
                isLeading: false, address: address, rule: rule, requested: (range.lowerBound, range.upperBound),
                position: range.lowerBound, end: range.upperBound))
    }

    /// The first range that is not being fetched.
    private func unassigned(below total: Int) -> Range<Int>? {
        var taken = partial.ranges
        for piece in pieces.values { taken.insert(min(piece.position, total)..<min(piece.end ?? total, total)) }
        return taken.gaps(below: total).first.map {
            $0.lowerBound..<min($0.upperBound, $0.lowerBound + context.limits.rangeBytes)
        }
    }
}
