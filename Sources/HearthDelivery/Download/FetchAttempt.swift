internal import HearthSystem

/// One attempt to get from a mirror what a partial file lacks.
///
/// A leading connection asks for the first gap, to the end of the file. Where it is slow, the file long and the server
/// has proved that it serves parts of the same bytes, further connections fetch ranges ahead of it, and the leading one
/// ends where they began. Whatever arrives is written at its place at once; an attempt that breaks off loses nothing.
final class FetchAttempt: TransferHandler {
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

    /// A connection's share of the file. An object, so that its buffer is never copied.
    private final class Piece {
        let isLeading: Bool
        var address: WebAddress
        var rule: AddressRule
        var hops = 0
        /// What was asked for; nil for the whole file.
        var requested: (start: Int, end: Int?)?
        /// Where the next byte belongs.
        var position: Int
        /// Where its share ends; nil for wherever the body does.
        var end: Int?
        var isAccepted = false
        /// The next address, where the answer was a redirect.
        var redirect: (address: WebAddress, rule: AddressRule)?
        var buffer: [UInt8] = []

        init(
            isLeading: Bool, address: WebAddress, rule: AddressRule, requested: (start: Int, end: Int?)?,
            position: Int, end: Int?
        ) {
            self.isLeading = isLeading
            self.address = address
            self.rule = rule
            self.requested = requested
            self.position = position
            self.end = end
        }
    }

    private static let bufferBytes = 256 << 10
    private static let hashStep = 8 << 20

    private let context: DownloadContext
    private let mirror: WebAddress
    private let place: PartialPlace
    private let transfers: HTTPTransfers
    private let source: String
    private let stallSeconds: Double
    private(set) var partial: PartialFile
    private(set) var watch: ProgressWatch
    private var pieces: [TransferID: Piece] = [:]
    private var result: Result?
    private var storageError: (any Error)?
    private var lastFailure: (error: DeliveryError, retryAfter: Double?)?

    // Parallel ranges
    private var mayHelp = true
    private var servesParts = false
    private var isProved = false
    private var leadingAddress: WebAddress?

    init(
        _ context: DownloadContext, mirror: WebAddress, place: PartialPlace, partial: PartialFile,
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

    private var total: Int? { context.request.bytes ?? partial.header.total }

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
        for (id, piece) in pieces where piece.position >= BodyCheck.bytes { try flush(id) }
        if let storageError { throw storageError }
        _ = try partial.followFront(limit: Self.hashStep)
        let now = context.now
        try partial.checkpointIfDue(now: now)
        context.report(watch.progress(bytes: partial.ranges.count, total: total, now: now))
        let idle = watch.idle(now: now)
        if min(idle, now - begin) >= stallSeconds || idle >= context.limits.giveUpSeconds, result == nil {
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
    private func startLeading() throws {
        if !partial.ranges.isEmpty, !canContinue { try startOver() }
        guard let total else { return try start(leading: partial.ranges.front, end: nil) }
        guard let gap = partial.ranges.gaps(below: total).first else {
            // All there. Whether it is still the server's file is asked only where no digest will tell.
            if context.request.sha256 != nil {
                result = .complete
                return
            }
            return try start(leading: total, end: nil)
        }
        try start(leading: gap.lowerBound, end: gap.upperBound)
    }

    /// Bytes of this very address go on under `If-Range`. Those of another mirror do where a digest will judge.
    private var canContinue: Bool {
        partial.header.validator != nil && (partial.header.source == source || context.request.sha256 != nil)
    }

    private func startOver() throws {
        partial.discard()
        partial = try PartialFile(new: place, files: context.files)
    }

    private func start(leading position: Int, end: Int?) throws {
        let requested: (Int, Int?)? = partial.ranges.isEmpty ? nil : (position, end == total ? nil : end)
        let rule: AddressRule = mirror.scheme == .http ? .loopbackOnly : .any
        try start(
            Piece(
                isLeading: true, address: mirror, rule: rule, requested: requested, position: position,
                end: partial.ranges.isEmpty ? context.request.bytes : end))
    }

    private func start(_ piece: Piece) throws {
        var headers: [String: String] = [:]
        if piece.address.origin == mirror.origin, mirror.text == context.request.urls.first {
            headers = context.request.headers
        }
        if let (start, end) = piece.requested {
            headers["Range"] = "bytes=\(start)-\(end.map { String($0 - 1) } ?? "")"
            if let validator = guarding { headers["If-Range"] = validator.text }
        }
        let id = try transfers.start(HTTPRequest(address: piece.address, headers: headers, rule: piece.rule))
        pieces[id] = piece
    }

    private var guarding: EntityValidator? { partial.header.source == source ? partial.header.validator : nil }

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

    private func help(_ range: Range<Int>, _ address: WebAddress) throws {
        guard !range.isEmpty else { return }
        let rule: AddressRule =
            address.scheme == .http
            ? .loopbackOnly : address == mirror ? .any : pieces.values.first?.rule ?? .openOr(.open)
        try start(
            Piece(
                isLeading: false, address: address, rule: rule, requested: (range.lowerBound, range.upperBound),
                position: range.lowerBound, end: range.upperBound))
    }

    /// The first range that nobody is fetching.
    private func unassigned(below total: Int) -> Range<Int>? {
        var taken = partial.ranges
        for piece in pieces.values { taken.insert(min(piece.position, total)..<min(piece.end ?? total, total)) }
        return taken.gaps(below: total).first.map {
            $0.lowerBound..<min($0.upperBound, $0.lowerBound + context.limits.rangeBytes)
        }
    }

    // MARK: Answers

    func transfer(_ id: TransferID, received response: HTTPResponse) -> Bool {
        guard let piece = pieces[id], result == nil else { return false }
        let expectation = ResponseExpectation(
            url: mirror.shown, requested: piece.requested, validator: guarding,
            declaredBytes: context.request.bytes, knownTotal: partial.ranges.isEmpty ? nil : partial.header.total,
            hasDigest: context.request.sha256 != nil)
        do {
            return try act(on: expectation.decide(response, now: Int(context.date)), response, piece)
        } catch {
            storageError = error
            return false
        }
    }

    private func act(
        on decision: ResponseDecision, _ response: HTTPResponse, _ piece: Piece
    ) throws -> Bool {
        switch decision {
        case .redirect(let location):
            do throws(DeliveryError) {
                piece.redirect = try RedirectPolicy.next(
                    from: piece.address, to: location, peer: response.peer, hops: piece.hops,
                    limit: context.limits.redirects)
            } catch {
                if piece.isLeading { result = .refused(error) } else { mayHelp = false }
            }
            return false
        case .append where piece.isLeading: return try acceptPart(response, piece)
        case .append:
            piece.isAccepted = true
            if !isProved { prove(endOfLeading: piece.position) }
            return true
        case .replace where piece.isLeading: return try acceptWhole(response, piece)
        case .replace, .restart:
            if !piece.isLeading {
                mayHelp = false
                let isChanged = isProved && EntityValidator(response) != guarding
                if !isChanged { return false }
            }
            if case .restart(let reason) = decision {
                result = .restart(reason: reason)
            } else {
                result = .restart(reason: "the file has changed")
            }
            return false
        case .finished:
            result = .complete
            return false
        case .later(let status, let after):
            let error = DeliveryError.serverBusy(url: mirror.shown, status: status, retryAfter: after)
            if piece.isLeading { result = .interrupted(error, retryAfter: after) } else { mayHelp = false }
            return false
        case .refuse(let error):
            if piece.isLeading { result = .refused(error) } else { mayHelp = false }
            return false
        }
    }

    private func acceptPart(_ response: HTTPResponse, _ piece: Piece) throws -> Bool {
        let validator = guarding ?? EntityValidator(response)
        let total = response.contentRange?.total ?? partial.header.total
        if partial.header.source != source, validator == nil {
            result = .restart(reason: "the mirror's file has no strong validator")
            return false
        }
        try partial.describe(source: source, total: total, validator: validator)
        try checkSpace()
        piece.isAccepted = true
        if piece.end == nil { piece.end = total }
        (servesParts, leadingAddress) = (true, piece.address)
        return result == nil
    }

    private func acceptWhole(_ response: HTTPResponse, _ piece: Piece) throws -> Bool {
        if !partial.ranges.isEmpty { try startOver() }
        try partial.describe(
            source: source, total: context.request.bytes ?? response.contentLength,
            validator: EntityValidator(response))
        try checkSpace()
        piece.requested = nil
        piece.position = 0
        piece.end = total
        piece.isAccepted = true
        servesParts = response.headers["accept-ranges"]?.lowercased() == "bytes"
        leadingAddress = piece.address
        return result == nil
    }

    private func prove(endOfLeading end: Int) {
        isProved = true
        for piece in pieces.values where piece.isLeading {
            piece.end = max(end, piece.position + piece.buffer.count)
        }
    }

    private func checkSpace() throws {
        let needed = (total ?? 0) - partial.ranges.count + context.limits.diskReserve
        let available = try context.files.freeSpace(place.folder)
        if available < needed {
            result = .refused(.diskFull(path: place.folder, needed: needed, available: available))
        }
    }

    // MARK: Bytes

    func transfer(_ id: TransferID, received bytes: UnsafeRawBufferPointer) -> Bool {
        guard let piece = pieces[id], piece.isAccepted, result == nil else { return false }
        watch.receive(bytes.count, now: context.now)
        let room = (piece.end ?? context.limits.largestUndeclaredFile) - piece.position - piece.buffer.count
        let taken = min(bytes.count, max(room, 0))
        piece.buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
        if taken < bytes.count {
            // Another connection has what follows; or there is more than there may be.
            let limit = total ?? context.limits.largestUndeclaredFile
            if (piece.end ?? limit) >= limit {
                result = .refused(.wrongSize(url: mirror.shown, expected: limit, actual: limit + bytes.count - taken))
            }
            return false
        }
        if piece.buffer.count >= Self.bufferBytes {
            do { try flush(id) } catch { storageError = error }
        }
        return storageError == nil && result == nil
    }

    /// Writes what a piece holds.
    private func flush(_ id: TransferID) throws {
        guard let piece = pieces[id], !piece.buffer.isEmpty else { return }
        if piece.position == 0, context.request.sha256 == nil, let objection = BodyCheck.objection(piece.buffer) {
            result = .refused(.notAModel(url: mirror.shown, reason: objection))
            piece.buffer.removeAll()
            return
        }
        try piece.buffer.withUnsafeBytes { try partial.write($0, at: piece.position) }
        piece.position += piece.buffer.count
        piece.buffer.removeAll(keepingCapacity: true)
    }

    func transfer(_ id: TransferID, ended end: TransferEnd) {
        do {
            try flush(id)
            guard let piece = pieces.removeValue(forKey: id), result == nil else { return }
            if let redirect = piece.redirect {
                (piece.address, piece.rule) = redirect
                piece.hops += 1
                piece.redirect = nil
                return try start(piece)
            }
            try finish(piece, end)
        } catch let error as DeliveryError {
            result = .refused(error)
        } catch {
            storageError = error
        }
    }

    private func finish(_ piece: Piece, _ end: TransferEnd) throws {
        switch end {
        case .refused(let reason) where piece.isLeading:
            result = .refused(.unreachable(url: mirror.shown, reason: reason))
            return
        case .failed(let reason), .refused(let reason):
            lastFailure = (.unreachable(url: mirror.shown, reason: reason), nil)
            if !piece.isLeading { mayHelp = isProved && piece.isAccepted }
        case .complete where piece.isAccepted && piece.end == nil:
            // The body's own end is the file's.
            guard piece.position > 0 else {
                result = .refused(.notAModel(url: mirror.shown, reason: "it is empty"))
                return
            }
            try partial.describe(source: source, total: piece.position, validator: partial.header.validator)
        case .complete where piece.position < piece.end ?? 0:
            lastFailure = (
                .wrongSize(url: mirror.shown, expected: piece.end ?? 0, actual: piece.position), nil
            )
        case .complete, .stopped: break
        }
        guard pieces.isEmpty else { return }
        if let total, total > 0, partial.ranges.gaps(below: total).isEmpty {
            result = .complete
        } else if let lastFailure {
            result = .interrupted(lastFailure.error, retryAfter: lastFailure.retryAfter)
        } else {
            try startLeading()
        }
    }
}
