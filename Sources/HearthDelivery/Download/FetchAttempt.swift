internal import HearthSystem

/// One attempt to get from a mirror what a partial file lacks.
///
/// A leading connection asks for the first gap, to the end of the file. Where it is slow, the file long and the server
/// has proved that it serves parts of the same bytes, further connections fetch ranges ahead of it, and the leading one
/// ends where they began. Whatever arrives is written at its place at once; an attempt that breaks off loses nothing.
final class FetchAttempt {
    enum Result {
        /// Everything has arrived.
        case complete
        /// The partial file is as good as before or better.
        case interrupted(DeliveryError, retryAfter: Double?)
        /// The partial file is of no use with this mirror.
        case restart(reason: String)
        /// The mirror will not help.
        case refused(DeliveryError)
    }

    private static let hashStep = 8 << 20

    let context: DownloadContext
    let mirror: DownloadAddress
    /// Names the address that bytes come from, in the journal.
    let source: String
    let place: PartialPlace
    private let transfers: HTTPTransfers
    private let stallSeconds: Double
    private(set) var partial: PartialFile

    // What answers change.
    var watch: ProgressWatch
    var pieces: [TransferID: FetchPiece] = [:]
    /// Ends the attempt.
    var result: Result?
    /// Ends the download.
    var storageError: (any Error)?
    /// The digest that a hub told when it sent us to where the bytes are.
    var linkedSHA256: String?
    /// Why the last connection to end did so, if it ended badly.
    var lastFailure: (error: DeliveryError, retryAfter: Double?)?

    // Parallel ranges: whether there may be any, whether the server says that it serves them, whether it has proved it.
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

    /// Runs until the file is whole or the attempt has come to an end.
    /// - Throws: `CancellationError`, or `FileFailure` of the partial file.
    func run() throws -> Result {
        context.cancellation.setWakeUp(transfers.wakeUp)
        defer { context.cancellation.setWakeUp(nil) }
        do {
            try startLeading()
            let begin = context.now
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
        // As soon as it can be told from a web page, so that whatever ends this process costs little.
        for (id, piece) in pieces where piece.position + piece.buffer.count >= BodyCheck.bytes { try flush(id) }
        if let storageError { throw storageError }
        _ = try partial.followFront(limit: Self.hashStep)
        let now = context.now
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

    // MARK: Asking

    /// Asks for the first gap, or for everything.
    func startLeading() throws {
        // Everything has arrived, and a digest will decide: the server need not be asked again.
        if let total, context.request.sha256 != nil, !partial.ranges.isEmpty,
            partial.ranges.gaps(below: total).isEmpty
        {
            result = .complete
            return
        }
        if !partial.ranges.isEmpty, !canContinue { try startOver() }
        guard let total else { return try start(leading: partial.ranges.front, end: nil) }
        guard let gap = partial.ranges.gaps(below: total).first else {
            // All there. Whether it is still the server's file has to be asked, where no digest will tell.
            return try start(leading: total, end: nil)
        }
        try start(leading: gap.lowerBound, end: gap.upperBound)
    }

    /// Bytes of this very address go on under `If-Range`. Those of another mirror do where a digest will judge.
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

    // MARK: Helping

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
