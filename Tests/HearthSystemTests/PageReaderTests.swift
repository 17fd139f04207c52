import Foundation
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Page reader", .timeLimit(.minutes(20)))
struct PageReaderTests {
    @Test("Every group arrives, in order, and all bytes are counted")
    func arrives() throws {
        let folder = try TemporaryFolder()
        let size = 20 << 20
        let path = try folder.write([UInt8](repeating: 7, count: size), "weights")
        let file = try MappedFile(path: path)
        // Out of order, touching, and beyond the end.
        let groups = [[9 << 20..<12 << 20], [0..<5 << 20, 5 << 20..<9 << 20], [], [12 << 20..<size + 100_000]]
        let reader = try #require(PageReader(file: file, groups: groups, scattered: [12 << 20..<size]))
        reader.start()
        for group in groups.indices { reader.wait(for: group, isCancelled: { false }) }
        #expect(reader.isFinished)
        #expect(reader.bytesDone == size && reader.byteCount == size)
        for offset in stride(from: 0, to: size, by: 1 << 20) { #expect(file.isResident(at: offset)) }
    }

    @Test("Nothing to read is no reader, or one that has finished")
    func nothing() throws {
        #expect(PageReader(file: MappedFile(copying: [1, 2, 3]), groups: [[0..<3]]) == nil)
        let folder = try TemporaryFolder()
        let reader = try #require(
            PageReader(file: MappedFile(path: folder.write([1], "one")), groups: [[], []]))
        reader.start()
        reader.wait(for: 1, isCancelled: { false })
        #expect(reader.bytesDone == 0)
    }

    @Test("Waiting ends with a stop or a cancellation, whatever was not read")
    func ends() throws {
        let folder = try TemporaryFolder()
        let file = try MappedFile(path: folder.write([UInt8](repeating: 1, count: 1 << 20), "weights"))
        let never = try #require(PageReader(file: file, groups: [[0..<1 << 20]]))
        never.wait(for: 0, isCancelled: { true })
        #expect(!never.isFinished)
        never.stop()
        never.wait(for: 0, isCancelled: { false })
    }

    @Test("A file that lost its end ends the reading, and no wait lasts")
    func shortened() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](repeating: 1, count: 1 << 20), "weights")
        let file = try MappedFile(path: path)
        truncate(path, 4096)
        let reader = try #require(PageReader(file: file, groups: [[0..<1 << 20]]))
        reader.start()
        reader.wait(for: 0, isCancelled: { false })
        #expect(reader.isFinished && reader.bytesDone == 0)
    }
}
