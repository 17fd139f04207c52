import Foundation
import HearthRuntime
import HearthSystem
import Testing

@Suite("Usage file", .timeLimit(.minutes(20)))
struct UsageFileTests {
    @Test("Recorded sessions are found again; what cannot be read is an empty history")
    func file() throws {
        let tree = try DeviceTree()
        defer { tree.remove() }
        let file = UsageFile(folders: HearthFolders(data: tree.root + "/new/folder", cache: tree.root))
        #expect(file.read() == UsageHistory())
        let now = Date(timeIntervalSince1970: 1_750_000_000)
        for day in 0..<100 { try file.record(now + Double(day) * 86400) }
        #expect(file.read().sessions.count == UsageHistory.capacity)
        #expect(file.read().sessions(within: 7 * 86400, of: now + 99 * 86400) == 8)
        for text in ["", "[", "{}", "{\"sessions\":[\"x\"]}", String(repeating: "[", count: 100_000)] {
            try tree.write("/new/folder/usage.json", text)
            #expect(file.read() == UsageHistory())
        }
        try file.record(now)
        #expect(file.read().sessions == [now])
    }

    @Test("Where nothing can be written, recording throws")
    func unwritable() throws {
        let tree = try DeviceTree()
        defer { tree.remove() }
        try tree.write("/file", "")
        let file = UsageFile(folders: HearthFolders(data: tree.root + "/file", cache: tree.root))
        #expect(throws: (any Error).self) { try file.record() }
    }
}
