import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport

/// A folder for partial files, a downloader with little patience, and bytes to fetch.
final class DownloadFixture: Sendable {
    let folder: String

    init() { folder = FileManager.default.temporaryDirectory.path + "/hearth-download-\(UUID().uuidString)" }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Limits under which nothing pauses for long, and which no machine is too busy for: where standing still shall end something,
    /// the test says so.
    static var limits: DeliveryLimits {
        var limits = DeliveryLimits()
        limits.firstPause = 0.001
        limits.longestPause = 0.01
        (limits.stallSeconds, limits.giveUpSeconds, limits.connectSeconds) = (3600, 3600, 3600)
        limits.diskReserve = 0
        (limits.lockSeconds, limits.lockPollSeconds) = (3600, 0.005)
        return limits
    }

    static let environment = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }

    /// Bytes that look like noise and like no web page.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            // xorshift64*
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            withUnsafeBytes(of: (state &* 0x2545_F491_4F6C_DD1D).littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes[..<count])
    }

    func downloader(
        _ limits: DeliveryLimits = DownloadFixture.limits, files: any FileOperations = SystemFiles(),
        environment: [String: String] = DownloadFixture.environment
    ) -> Downloader {
        Downloader(limits: limits, files: files, environment: environment)
    }

    func download(
        _ request: DownloadRequest, _ limits: DeliveryLimits = DownloadFixture.limits,
        files: any FileOperations = SystemFiles(), progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
    ) async throws -> DownloadedFile {
        try await downloader(limits, files: files).download(request, into: folder, progress: progress)
    }

    func content(_ file: DownloadedFile) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: file.path))) }

    /// The names that are left, locks aside.
    func leftovers() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".lock") }
    }

    /// Serves by a script for as long as `body` runs.
    @discardableResult
    static func serving<Result>(
        _ answer: @escaping @Sendable (MisbehavingServer.Request) -> MisbehavingServer.Reply,
        _ body: (MisbehavingServer) async throws -> Result
    ) async throws -> Result {
        let server = try MisbehavingServer(answer)
        defer { server.stop() }
        return try await body(server)
    }
}

/// A value that several threads change.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value
    init(_ value: Value) { stored = value }
    var value: Value { lock.withLock { stored } }
    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
