import HearthSystem
import Testing

@Suite("Folders", .timeLimit(.minutes(20)))
struct HearthFoldersTests {
    @Test("HEARTH_HOME moves everything")
    func home() {
        let folders = HearthFolders(environment: ["HEARTH_HOME": "/h", "HOME": "/u"])
        #expect(folders == HearthFolders(data: "/h", cache: "/h"))
        #expect(folders?.artifacts == "/h/Artifacts")
    }

    #if os(Linux)
    @Test("XDG folders, and their defaults below HOME; relative ones do not count")
    func xdg() {
        #expect(
            HearthFolders(environment: ["HOME": "/u", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "c"])
                == HearthFolders(data: "/d/hearth", cache: "/u/.cache/hearth"))
        #expect(HearthFolders(environment: [:]) == nil)
    }
    #endif
}
