internal import HearthSystem

/// A "download" from this device: the same partial file, digest and progress, no network.
struct LocalCopy {
    private static let block = 1 << 20

    private let context: DownloadContext
    private let path: String
    private let url: String

    init(_ context: DownloadContext, path: String, url: String) {
        self.context = context
        self.path = path
        self.url = url
    }

    /// - Throws: `FileFailure` with the source's path if it cannot be read; `CancellationError`.
    func run(into partial: PartialFile, watch: inout ProgressWatch, folder: String) throws -> FetchAttempt.Result {
        let irregular = FetchAttempt.Result.refused(.notAModel(url: url, reason: "it is not a regular file"))
        guard let there = try context.files.status(path) else {
            return .refused(.notAModel(url: url, reason: "there is no such file"))
        }
        // Opening a pipe would wait for a writer; links are not followed.
        guard there.kind == .file else { return irregular }
        let source = try context.files.open(path, .read, permissions: 0)
        defer { context.files.close(source) }
        let status = try context.files.status(of: source)
        guard status.kind == .file else { return irregular }
        guard status.size > 0 else { return .refused(.notAModel(url: url, reason: "it is empty")) }
        if let declared = context.request.bytes, declared != status.size {
            return .refused(.wrongSize(url: url, expected: declared, actual: status.size))
        }
        let needed = context.limits.room(for: status.size)
        let available = try context.files.freeSpace(folder)
        guard available >= needed else {
            return .refused(.diskFull(path: folder, needed: needed, available: available))
        }
        try partial.describe(source: "", total: status.size, validator: nil)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.block, alignment: 64)
        defer { buffer.deallocate() }
        var position = 0
        while position < status.size {
            try context.cancellation.check()
            let count = try context.files.read(into: buffer, from: source, at: position)
            guard count > 0 else {
                return .refused(.wrongSize(url: url, expected: status.size, actual: position))
            }
            let taken = min(count, status.size - position)
            try partial.write(UnsafeRawBufferPointer(rebasing: buffer[..<taken]), at: position)
            position += taken
            watch.receive(taken, now: context.now)
            context.report(watch.progress(bytes: position, total: status.size, now: context.now))
        }
        return .complete
    }
}
