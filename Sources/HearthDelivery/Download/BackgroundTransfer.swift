internal import Foundation
package import HearthSystem

/// The description of a transfer that outlives the app. It is stored in the description of the system's task, so that it is
/// known when the app is started again to receive the result.
package struct BackgroundTransfer: Codable, Sendable, Equatable {
    /// The address of the download.
    package var url: String
    /// The file's digest, if it is known.
    package var sha256: String?
    /// The file's size, if it is known.
    package var bytes: Int?
    /// The first byte that is missing.
    package var start: Int
    /// The validator of the bytes before it.
    package var validator: EntityValidator?
    /// The number of transfers of the file so far, including this one.
    package var attempt = 1

    /// Decodes a task's description.
    /// - Returns: nil for a task that was not started here.
    package init?(description: String?) {
        guard let description, description.hasPrefix(Self.mark),
            let decoded = try? JSONDecoder().decode(Self.self, from: Data(description.dropFirst(Self.mark.count).utf8)),
            decoded.start >= 0, decoded.sha256.map(ManifestFile.isDigest) ?? true
        else { return nil }
        self = decoded
    }

    package init(url: String, sha256: String?, bytes: Int?, start: Int, validator: EntityValidator?) {
        self.url = url
        self.sha256 = sha256
        self.bytes = bytes
        self.start = start
        self.validator = validator
    }

    private static let mark = "hearth-transfer-1 "

    /// The task's description.
    package var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Self.mark + ((try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// Header fields of the request.
    package var headers: [String: String] {
        var headers = ["Accept-Encoding": "identity", "User-Agent": "hearth"]
        if start > 0 {
            headers["Range"] = "bytes=\(start)-"
            headers["If-Range"] = validator?.text
        }
        return headers
    }

    /// The address without parts that may be secret, for messages.
    package var shownAddress: String { DownloadAddress.withoutSecrets(url) }

    /// Whether both transfer the same file.
    package func isOf(_ request: DownloadRequest) -> Bool {
        sha256 == request.sha256 && request.urls.first == url
    }
}

/// Downloads by the system, into the same partial files and journals as every other download: what the system downloads while
/// the app is not running is found by the next pull, which verifies and installs it.
///
///     plan(request)      what to request: the missing bytes
///     … the system downloads, the app may end …
///     adopt(transfer)    adds the result to the partial file and its journal
package struct BackgroundDelivery: Sendable {
    /// What to request from the system.
    package enum Plan: Sendable, Equatable {
        case begin(BackgroundTransfer)
        /// A transfer of this file is under way already.
        case underWay
        /// Nothing is missing: a pull can install it.
        case complete
    }

    /// The result of adopting a transfer.
    package enum Outcome: Sendable, Equatable {
        /// The file is complete; a pull verifies it.
        case complete
        /// Another transfer is needed: only a part arrived, or the file has changed.
        case again(reason: String)
        /// Asking again would not help.
        case refused(DeliveryError)
    }

    private let folder: String
    private let files: any FileOperations
    private let limits: DeliveryLimits
    private let boot: String

    /// - Parameter folder: of partial files, as the pull will use it.
    package init(
        folder: String, files: any FileOperations = SystemFiles(), limits: DeliveryLimits = DeliveryLimits(),
        boot: String = PartialJournal.currentBoot()
    ) {
        self.folder = folder
        self.files = files
        self.limits = limits
        self.boot = boot
    }

    /// What to request, given what has arrived and what is in progress.
    /// - Throws: `DeliveryError`; `CancellationError` if a download of the file is running at this moment.
    package func plan(_ request: DownloadRequest, underWay: [BackgroundTransfer]) throws -> Plan {
        guard let url = request.urls.first else { throw DeliveryError.invalidAddress(url: "", reason: "there is none") }
        let address = try DownloadAddress(url)
        guard address.scheme == .https || address.scheme == .http else {
            throw DeliveryError.invalidAddress(
                url: address.shown, reason: "the system downloads from web addresses only")
        }
        if underWay.contains(where: { $0.isOf(request) }) { return .underWay }
        return try locked(request) { place, isAlone in
            let left = try place.claim(
                files, isAlone: isAlone, orphanSeconds: limits.orphanSeconds, now: Date().timeIntervalSince1970)
            var transfer = BackgroundTransfer(
                url: url, sha256: request.sha256, bytes: request.bytes, start: 0, validator: nil)
            guard let journal = left?.journal else { return .begin(transfer) }
            let total = request.bytes ?? journal.header.total
            if let total, journal.ranges.gaps(below: total).isEmpty { return .complete }
            // One request transfers one part: from the first gap to the end.
            let isOfAddress = journal.header.source == SHA256.digest(of: address.text.utf8)
            if isOfAddress, let validator = journal.header.validator {
                (transfer.start, transfer.validator) = (journal.ranges.front, validator)
            }
            return .begin(transfer)
        }
    }

    /// What to request after a transfer whose outcome was `again`; nil after too many attempts.
    /// - Throws: as `plan`.
    package func next(after transfer: BackgroundTransfer, _ request: DownloadRequest) throws -> BackgroundTransfer? {
        guard transfer.attempt < 5, case .begin(var next) = try plan(request, underWay: []) else { return nil }
        next.attempt = transfer.attempt + 1
        return next
    }

    /// Takes over a body that the system has written to a file; the file is removed.
    /// - Throws: `DeliveryError` for errors of the disk; `CancellationError` if a running download of the file makes it
    ///   unnecessary.
    package func adopt(
        _ transfer: BackgroundTransfer, _ response: TransferResponse, body: String
    ) throws -> Outcome {
        defer { try? files.unlink(body) }
        let request = DownloadRequest(urls: [transfer.url], sha256: transfer.sha256, bytes: transfer.bytes)
        let expectation = ResponseExpectation(
            url: transfer.shownAddress,
            requested: transfer.start > 0 ? (transfer.start, nil) : nil, validator: transfer.validator,
            declaredBytes: transfer.bytes, knownTotal: nil, hasDigest: transfer.sha256 != nil)
        switch expectation.decide(response, now: Int(Date().timeIntervalSince1970)) {
        case .refuse(let error): return .refused(error)
        case .later(let status, _): return .again(reason: "the server answered \(status)")
        case .restart(let reason): return .again(reason: reason)
        // The system follows redirects itself.
        case .redirect: return .again(reason: "the address leads elsewhere")
        case .finished: return .complete
        case .replace: return try locked(request) { place, _ in try replace(place, transfer, response, body) }
        case .append: return try locked(request) { try append($0, isAlone: $1, transfer, body) }
        }
    }

    /// The whole file has arrived: it becomes the partial file, without a copy if it is on the same disk.
    private func replace(
        _ place: PartialPlace, _ transfer: BackgroundTransfer, _ response: TransferResponse, _ body: String
    ) throws -> Outcome {
        let size = try files.status(body)?.size ?? 0
        if let length = response.contentLength, length != size {
            return .again(reason: "\(size) of \(length) bytes came")
        }
        let token = PartialPlace.newToken()
        try files.rename(body, to: place.part(token))
        let part = try files.open(place.part(token), .update, permissions: 0)
        defer { files.close(part) }
        try files.synchronize(part)
        let source = SHA256.digest(of: try DownloadAddress(transfer.url).text.utf8)
        let header = PartialJournal.Header(
            boot: boot, part: place.partName(token), source: source, total: size, validator: EntityValidator(response))
        let facts = PartialJournal.line(header) + "w 0 \(size)\n"
        let journal = try files.open(place.journal(token), .createNew, permissions: 0o644)
        defer { files.close(journal) }
        // The bytes are on the disk, so the journal may say so.
        try files.writeAll(Array((facts + "s \(facts.utf8.count)\n").utf8), to: journal)
        try files.synchronize(journal)
        try files.synchronizeFolder(folder)
        return .complete
    }

    /// The rest has arrived: it is appended.
    private func append(
        _ place: PartialPlace, isAlone: Bool, _ transfer: BackgroundTransfer, _ body: String
    ) throws -> Outcome {
        let left = try place.claim(
            files, isAlone: isAlone, orphanSeconds: limits.orphanSeconds, now: Date().timeIntervalSince1970)
        guard let left, left.journal.ranges.front >= transfer.start, left.journal.header.validator == transfer.validator
        else { return .again(reason: "what it continues is gone") }
        let partial = try PartialFile(adopting: left, place: place, files: files, limits: limits)
        defer { partial.close() }
        let source = try files.open(body, .read, permissions: 0)
        defer { files.close(source) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var position = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes { bytes in
                let count = try files.readFully(into: bytes, from: source, at: position)
                try partial.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: transfer.start + position)
                return count
            }
            position += count
            if count < buffer.count { break }
        }
        guard let total = transfer.bytes ?? partial.header.total else { return .complete }
        return partial.ranges.gaps(below: total).isEmpty ? .complete : .again(reason: "a part is still missing")
    }

    private func locked<Result>(
        _ request: DownloadRequest, _ work: (PartialPlace, _ isAlone: Bool) throws -> Result
    ) throws -> Result {
        let place = PartialPlace(folder: folder, request: request, boot: boot)
        do {
            try files.makeFolders(folder)
            let begin = ProcessInfo.processInfo.systemUptime
            let outcome = try PartialLock.take(place.lock, files: files) {
                // The holder of the lock downloads the same file.
                if ProcessInfo.processInfo.systemUptime - begin > limits.lockSeconds { throw CancellationError() }
                Thread.sleep(forTimeInterval: limits.lockPollSeconds)
            }
            guard case .held(let lock) = outcome else { throw CancellationError() }
            defer { lock.release() }
            return try work(place, lock.isHonoured)
        } catch let failure as FileFailure {
            throw DeliveryError(failure)
        }
    }
}
