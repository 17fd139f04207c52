internal import HearthSystem

/// Handles responses and bytes as they arrive.
extension FetchAttempt: TransferHandler {
    private static var bufferBytes: Int { 256 << 10 }

    func transfer(_ id: TransferID, received response: TransferResponse) -> Bool {
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
        on decision: ResponseDecision, _ response: TransferResponse, _ piece: FetchPiece
    ) throws -> Bool {
        switch decision {
        case .redirect(let location):
            if piece.isLeading { linkedSHA256 = response.linkedSHA256 ?? linkedSHA256 }
            do throws(DeliveryError) {
                piece.redirect = try RedirectPolicy.next(
                    from: piece.address, to: location, peer: response.peer, hops: piece.hops,
                    limit: context.limits.redirects, allowsLoopback: context.request.allowsLoopbackRedirects)
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

    private func acceptPart(_ response: TransferResponse, _ piece: FetchPiece) throws -> Bool {
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

    private func acceptWhole(_ response: TransferResponse, _ piece: FetchPiece) throws -> Bool {
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
        let needed = context.limits.room(for: (total ?? 0) - partial.ranges.count)
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
            // Another connection has the rest, or the body is longer than it may be.
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

    /// Writes the buffered bytes of a piece.
    func flush(_ id: TransferID) throws {
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

    private func finish(_ piece: FetchPiece, _ end: TransferEnd) throws {
        switch end {
        case .refused(let reason) where piece.isLeading:
            result = .refused(.unreachable(url: mirror.shown, reason: reason))
            return
        case .failed(let reason), .refused(let reason):
            lastFailure = (.unreachable(url: mirror.shown, reason: reason), nil)
            if !piece.isLeading { mayHelp = isProved && piece.isAccepted }
        case .complete where piece.isAccepted && piece.end == nil:
            // The end of the body is the end of the file.
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
