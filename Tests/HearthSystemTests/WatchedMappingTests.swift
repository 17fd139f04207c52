import Foundation
import HearthSystem
import HearthTestSupport
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Maps whose files lose their bytes while they are read: nobody dies, those maps are marked and no others.
@Suite("Watched maps", .timeLimit(.minutes(20)))
final class WatchedMappingTests: Sendable {
    private static let page = Int(getpagesize())
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "hearth-watched-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A file of pages, each filled with its number and one, mapped and watched.
    private final class MappedPages: Sendable {
        let path: String
        let count: Int
        nonisolated(unsafe) let base: UnsafeMutableRawPointer
        let watch: WatchedMapping

        init(_ path: String, pages: Int, isWritable: Bool = false) throws {
            let page = WatchedMappingTests.page
            let bytes = (0..<pages).flatMap { [UInt8](repeating: UInt8($0 % 255) + 1, count: page) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let file = open(path, O_RDONLY | O_CLOEXEC)
            try #require(file >= 0)
            defer { close(file) }
            let protection = PROT_READ | (isWritable ? PROT_WRITE : 0)
            let map = try #require(mmap(nil, bytes.count, protection, MAP_PRIVATE, file, 0))
            try #require(map != MAP_FAILED)
            (self.path, count, base) = (path, bytes.count, map)
            watch = WatchedMapping(base: map, count: bytes.count, isWritable: isWritable)
        }

        deinit {
            watch.end()
            munmap(base, count)
        }

        func byte(_ offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }
    }

    @Test("Many threads read a map whose file is cut short: each byte is the file's or zero, and the map is marked")
    func cutWhileRead() throws {
        for round in 0..<20 {
            let pages = try MappedPages("\(folder)/\(round)", pages: 64)
            #expect(!pages.watch.isLost)
            let wrong = Atomic<Int>(0), begun = Atomic<Int>(0), stop = Atomic<Bool>(false)
            let group = DispatchGroup()
            for thread in 0..<8 {
                group.enter()
                Thread.detachNewThread {
                    begun.add(1, ordering: .sequentiallyConsistent)
                    var index = thread
                    while !stop.load(ordering: .relaxed) {
                        let number = index % 64
                        let byte = pages.byte(number * Self.page + index % Self.page)
                        if byte != 0, byte != UInt8(number) + 1 { wrong.add(1, ordering: .relaxed) }
                        index += 7
                    }
                    group.leave()
                }
            }
            while begun.load(ordering: .sequentiallyConsistent) < 8 { sched_yield() }
            #expect(truncate(pages.path, off_t(round * Self.page)) == 0)
            while !pages.watch.isLost, !Task.isCancelled { sched_yield() }
            stop.store(true, ordering: .relaxed)
            group.wait()
            #expect(wrong.load(ordering: .relaxed) == 0)
            #expect(pages.byte(0) == 0 && pages.byte(pages.count - 1) == 0)
        }
    }

    @Test("Maps that come and go on many threads: those that were cut short are marked, their neighbours are not")
    func comingAndGoing() throws {
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        let seed = SeededNumbers.freshSeed()
        for thread in 0..<8 {
            group.enter()
            Thread.detachNewThread { [folder] in
                var random = SeededNumbers(seed: seed &+ UInt64(thread))
                for round in 0..<150 {
                    do {
                        let path = "\(folder)/\(thread)-\(round)"
                        let pages = try MappedPages(path, pages: 1 + Int(random.next() % 4))
                        let isCut = random.next() % 2 == 0
                        if isCut, truncate(path, 0) != 0 { throw POSIXError(.EIO) }
                        let byte = pages.byte(pages.count - 1)
                        if pages.watch.isLost != isCut || (byte == 0) != isCut {
                            failures.withLock { $0.append("seed \(seed) thread \(thread) round \(round)") }
                        }
                        unlink(path)
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                group.leave()
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
    }

    @Test("Hundreds of maps at a time: the one that was cut short is the one that is marked")
    func many() throws {
        var all = try (0..<300).map { try MappedPages("\(folder)/m\($0)", pages: 2) }
        #expect(truncate(all[211].path, 0) == 0)
        for (index, pages) in all.enumerated() {
            #expect((pages.byte(Self.page) == 0) == (index == 211))
            #expect(pages.watch.isLost == (index == 211))
        }
        // Rows of the table are used again, and start over.
        all = []
        let next = try (0..<300).map { try MappedPages("\(folder)/n\($0)", pages: 1) }
        #expect(!next.contains { $0.watch.isLost })
    }

    @Test("A map that may be written to can be written to afterwards")
    func writable() throws {
        let pages = try MappedPages("\(folder)/w", pages: 3, isWritable: true)
        pages.base.storeBytes(of: 77, toByteOffset: 5, as: UInt8.self)
        // What was written goes too: the system takes pages beyond the file's end away, copied ones included.
        #expect(truncate(pages.path, 0) == 0)
        #expect(pages.byte(5) == 0 && pages.watch.isLost)
        pages.base.storeBytes(of: 78, toByteOffset: 5, as: UInt8.self)
        #expect(pages.byte(5) == 78)
    }

    @Test("A fault that is about no watched map ends the process as ever")
    func foreignFault() async {
        await #expect(processExitsWith: .failure) {
            let path = NSTemporaryDirectory() + "hearth-fault-\(UUID().uuidString)"
            try Data(count: 2 * Int(getpagesize())).write(to: URL(fileURLWithPath: path))
            let file = open(path, O_RDWR | O_CLOEXEC)
            unlink(path)
            let watched = mmap(nil, Int(getpagesize()), PROT_READ, MAP_PRIVATE, file, 0)
            let other = mmap(nil, Int(getpagesize()), PROT_READ, MAP_PRIVATE, file, 0)
            guard let watched, let other else { exit(0) }
            let watch = WatchedMapping(base: watched, count: Int(getpagesize()))
            ftruncate(file, 0)
            // The watched one survives, so that success here would be a failure of the other.
            guard watched.load(as: UInt8.self) == 0, watch.isLost else { exit(0) }
            // Used, so that optimised code reads it.
            exit(Int32(other.load(as: UInt8.self)))
        }
    }

    @Test("A handler that was there before gets the faults of others")
    func chaining() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGBUS) { _ in _exit(42) }
            let path = NSTemporaryDirectory() + "hearth-fault-\(UUID().uuidString)"
            try Data(count: Int(getpagesize())).write(to: URL(fileURLWithPath: path))
            let file = open(path, O_RDWR | O_CLOEXEC)
            unlink(path)
            let watched = mmap(nil, Int(getpagesize()), PROT_READ, MAP_PRIVATE, file, 0)
            let other = mmap(nil, Int(getpagesize()), PROT_READ, MAP_PRIVATE, file, 0)
            guard let watched, let other else { exit(1) }
            let watch = WatchedMapping(base: watched, count: Int(getpagesize()))
            ftruncate(file, 0)
            guard watched.load(as: UInt8.self) == 0, watch.isLost else { exit(2) }
            exit(3 + Int32(other.load(as: UInt8.self)))
        }
    }

    @Test("Switched off, no handler is installed")
    func switchedOff() async {
        await #expect(processExitsWith: .success) {
            WatchedMapping.switchOff()
            var before = sigaction()
            var after = sigaction()
            sigaction(SIGBUS, nil, &before)
            let page = Int(getpagesize())
            guard let map = mmap(nil, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) else { exit(1) }
            let watch = WatchedMapping(base: map, count: page)
            sigaction(SIGBUS, nil, &after)
            // The handler is the first field; of the mask behind it, sanitizers fill in a part only.
            let isSame = withUnsafeBytes(of: &before) { one in
                withUnsafeBytes(of: &after) { one.prefix(8).elementsEqual($0.prefix(8)) }
            }
            exit(isSame && !watch.isLost ? 0 : 1)
        }
    }

    @Test("The stamp of a file tells of bytes that were written in place")
    func stamp() throws {
        let path = "\(folder)/s"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        // A second ago, so that no clock is too coarse to tell.
        var times = [timeval(tv_sec: time(nil) - 5, tv_usec: 0), timeval(tv_sec: time(nil) - 5, tv_usec: 0)]
        #expect(utimes(path, &times) == 0)
        let file = open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let stamp = try #require(FileStamp(descriptor: file))
        #expect(stamp.size == 3)
        #expect(FileStamp(descriptor: file) == stamp)
        #expect(pwrite(file, [9], 1, 1) == 1)
        #expect(FileStamp(descriptor: file) != stamp)
    }
}
