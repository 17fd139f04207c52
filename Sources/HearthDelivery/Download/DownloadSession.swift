internal import Foundation
internal import HearthSystem

/// One download from the lock to the verified file, on a thread of its own.
///
///     lock ─► is it there? ─► partial file ─► attempts ─► digest ─► install
///                                  ▲              │           │
///                                  └── retry ─────┘◄── wrong ─┘
final class DownloadSession {
    /// The steps of the library's owner, both performed while the lock is held.
    struct Steps: Sendable {
        /// The file, if another process has downloaded it in the meantime.
        var alreadyThere: Downloader.Lookup
        /// Moves the verified file to its place; nil leaves it where it is.
        var install: Downloader.Install?
    }

    private let context: DownloadContext
    private let place: PartialPlace
    private let steps: Steps
    private var watch: ProgressWatch
    /// The file's digest according to its hub.
    private var linkedSHA256: String?

    init(_ context: DownloadContext, folder: String, steps: Steps) {
        self.context = context
        self.steps = steps
        place = PartialPlace(folder: folder, request: context.request, boot: PartialJournal.currentBoot())
        watch = ProgressWatch(now: context.now, limits: context.limits)
    }

    /// - Throws: `DeliveryError`, `CancellationError`, or what `Steps` throws.
    func run() throws -> DownloadedFile {
        let mirrors = try Self.addresses(context.request)
        do {
            try context.files.makeFolders(place.folder)
            while true {
                let outcome = try PartialLock.take(place.lock, files: context.files) {
                    context.report(
                        .init(bytes: 0, total: nil, bytesPerSecond: 0, secondsLeft: nil, isWaiting: true))
                    try context.pause(context.limits.lockPollSeconds)
                }
                switch outcome {
                // If it has been removed since, it is downloaded again.
                case .finished(let sha256): if let there = try look(for: sha256) { return there }
                case .held(let lock): return try run(holding: lock, mirrors)
                }
            }
        } catch let failure as FileFailure {
            throw DeliveryError(failure)
        }
    }

    private func run(holding lock: PartialLock, _ mirrors: [DownloadAddress]) throws -> DownloadedFile {
        var installed: String?
        defer { lock.release(sharing: installed) }
        if let there = try look(for: context.request.sha256) { return there }
        let file = try download(from: mirrors, isAlone: lock.isHonoured)
        if steps.install != nil { installed = file.sha256 }
        return file
    }

    private func look(for sha256: String?) throws -> DownloadedFile? {
        try steps.alreadyThere(sha256) { [cancellation = context.cancellation] in try cancellation.check() }
    }

    private static func addresses(_ request: DownloadRequest) throws(DeliveryError) -> [DownloadAddress] {
        guard !request.urls.isEmpty else { throw .invalidAddress(url: "", reason: "there is none") }
        if let sha256 = request.sha256, !ManifestFile.isDigest(sha256) {
            throw .invalidManifest(field: "sha256", reason: "it is not 64 lower-case hexadecimal digits")
        }
        guard request.bytes ?? 1 > 0 else { throw .invalidManifest(field: "bytes", reason: "it is out of range") }
        for (name, value) in request.headers {
            let isClean = !(name + value).unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            guard isClean, !name.isEmpty, !name.contains(":") else {
                throw .invalidAddress(url: request.urls[0], reason: "the header \(name.prefix(40)) is not valid")
            }
        }
        var addresses: [DownloadAddress] = []
        for url in request.urls { addresses.append(try DownloadAddress(url)) }
        return addresses
    }

    private func download(from mirrors: [DownloadAddress], isAlone: Bool) throws -> DownloadedFile {
        var partial = try openPartial(isAlone: isAlone)
        do {
            let begin = (path: partial.path, bytes: partial.ranges.count)
            var attempt = 0
            var digest = ""
            while true {
                attempt += 1
                // If the file was wrong, the next mirror is asked first.
                let first = (attempt - 1) % mirrors.count
                try fetch(from: Array(mirrors[first...] + mirrors[..<first]), into: &partial)
                digest = try computeDigest(partial)
                guard let wrong = try wrongDigest(digest, mirrors[first]) else { break }
                guard attempt < context.limits.digestAttempts else {
                    let page = BodyCheck.objection(try partial.start(BodyCheck.bytes))
                    partial.discard()
                    throw page.map { .notAModel(url: mirrors[first].shown, reason: $0) } ?? wrong
                }
                if try !dropBadRanges(partial) {
                    partial.discard()
                    partial = try PartialFile(new: place, files: context.files, limits: context.limits)
                }
                watch.restartPatience(now: context.now)
            }
            // A download that had to start again does not count as resumed.
            return try finish(partial, digest: digest, resumedFrom: partial.path == begin.path ? begin.bytes : 0)
        } catch {
            // Bytes without a validator cannot be resumed. The journal is useless if the file was rejected, or has been
            // installed.
            if partial.ranges.isEmpty || partial.header.validator == nil
                || context.files.isCertainlyGone(partial.path)
            {
                partial.discard()
            } else {
                partial.close()
            }
            throw error
        }
    }

    private func openPartial(isAlone: Bool) throws -> PartialFile {
        let leftover = try place.claim(
            context.files, isAlone: isAlone, orphanSeconds: context.limits.orphanSeconds, now: context.date)
        if let leftover {
            do {
                return try PartialFile(adopting: leftover, place: place, files: context.files, limits: context.limits)
            } catch {
                // Another process was faster, or the file cannot be read: start a new one.
                if error.code != ENOENT { throw error }
            }
        }
        return try PartialFile(new: place, files: context.files, limits: context.limits)
    }

    // MARK: Attempts

    private func fetch(from mirrors: [DownloadAddress], into partial: inout PartialFile) throws {
        var policy = RetryPolicy(mirrors: mirrors.count, limits: context.limits)
        var best = partial.ranges.count
        var restarts = 0
        while true {
            let mirror = mirrors[policy.mirror]
            let outcome: RetryPolicy.Outcome
            let failure: DeliveryError
            switch try attempt(mirror, hasAnother: policy.mirror + 1 < mirrors.count, &partial) {
            case .complete: return
            case .interrupted(let error, let retryAfter):
                let progressed = partial.ranges.count > best
                best = max(best, partial.ranges.count)
                (failure, outcome) = (error, .interrupted(progressed: progressed, retryAfter: retryAfter))
            case .restart(let reason):
                partial.discard()
                partial = try PartialFile(new: place, files: context.files, limits: context.limits)
                restarts += 1
                let error = DeliveryError.unreachable(url: mirror.shown, reason: reason)
                (failure, outcome) = (error, .interrupted(progressed: restarts == 1, retryAfter: nil))
            case .refused(let error):
                // Another mirror has neither more disk space nor a smaller file.
                if case .diskFull = error { throw error }
                (failure, outcome) = (error, .mirrorRefused)
            }
            let idle = watch.idle(now: context.now)
            switch policy.next(after: outcome, idle: idle, jitter: .random(in: 0...1)) {
            case .giveUp: throw failure
            case .attempt(_, let pause):
                let begin = context.now
                try context.pause(pause)
                watch.leaveOut(context.now - begin - pause, now: context.now)
            }
        }
    }

    private func attempt(
        _ mirror: DownloadAddress, hasAnother: Bool, _ partial: inout PartialFile
    ) throws -> FetchAttempt.Result {
        if mirror.scheme == .file { return try copy(mirror, &partial) }
        let limits = context.limits
        let stall = hasAnother ? min(limits.stallSeconds, limits.giveUpSeconds / 3) : limits.stallSeconds
        let attempt = try FetchAttempt(
            context, mirror: mirror, place: place, partial: partial, watch: watch, stallSeconds: stall)
        defer {
            (partial, watch) = (attempt.partial, attempt.watch)
            watch.endAttempt(now: context.now)
            linkedSHA256 = attempt.linkedSHA256 ?? linkedSHA256
        }
        return try attempt.run()
    }

    /// A file on this device, copied block by block.
    private func copy(_ mirror: DownloadAddress, _ partial: inout PartialFile) throws -> FetchAttempt.Result {
        if !partial.ranges.isEmpty {
            partial.discard()
            partial = try PartialFile(new: place, files: context.files, limits: context.limits)
        }
        do {
            return try LocalCopy(context, path: mirror.filePath, url: mirror.shown).run(
                into: partial, watch: &watch, folder: place.folder)
        } catch let failure as FileFailure where failure.path == mirror.filePath {
            return .refused(DeliveryError(failure))
        }
    }

    // MARK: Verification

    private func computeDigest(_ partial: PartialFile) throws -> String {
        while try !partial.followFront(limit: 4 << 20) { try context.cancellation.check() }
        if context.request.sha256 == nil,
            let objection = BodyCheck.objection(try partial.start(BodyCheck.bytes))
        {
            partial.discard()
            throw DeliveryError.notAModel(
                url: DownloadAddress.withoutSecrets(context.request.urls[0]), reason: objection)
        }
        return try partial.digest()
    }

    private func wrongDigest(_ digest: String, _ mirror: DownloadAddress) throws -> DeliveryError? {
        guard let expected = context.request.sha256 ?? linkedSHA256, expected != digest else { return nil }
        return .wrongDigest(url: mirror.shown, expected: expected, actual: digest)
    }

    /// - Returns: false if it is unknown which bytes are bad.
    private func dropBadRanges(_ partial: PartialFile) throws -> Bool {
        guard let ranges = context.request.rangeDigests, ranges.size > 0, partial.header.validator != nil else {
            return false
        }
        let total = partial.ranges.end
        var found = false
        for (index, expected) in ranges.sha256.enumerated() where index * ranges.size < total {
            try context.cancellation.check()
            let range = index * ranges.size..<min(total, (index + 1) * ranges.size)
            if try partial.digest(of: range) != expected {
                try partial.drop(range)
                found = true
            }
        }
        return found && !partial.ranges.isEmpty
    }

    private func finish(_ partial: PartialFile, digest: String, resumedFrom: Int) throws -> DownloadedFile {
        let file = DownloadedFile(
            path: partial.path, bytes: partial.ranges.end, sha256: digest, resumedFrom: resumedFrom)
        context.report(watch.progress(bytes: file.bytes, total: file.bytes, now: context.now))
        partial.close()
        guard let install = steps.install else { return file }
        try context.cancellation.check()
        let installed = try install(file) { [cancellation = context.cancellation] in try cancellation.check() }
        partial.discard(keepsFile: installed.path == file.path)
        return installed
    }
}
