import HearthSystem
import Testing

@Suite("The version")
struct HearthVersionTests {
    @Test("Version and commit, as --version prints them")
    func describe() {
        #expect(HearthVersion.describe("1.2.3", commit: nil) == "1.2.3")
        #expect(HearthVersion.describe("1.2.3", commit: "8c1f20ab") == "1.2.3 (commit 8c1f20ab)")
        #expect(HearthVersion.describe("1.2.3", commit: "8c1f20ab-modified") == "1.2.3 (commit 8c1f20ab, modified)")
    }

    @Test("Tests are no program: they name no commit")
    func commit() {
        #expect(HearthVersion.commit == nil)
        #expect(HearthVersion.description == HearthVersion.number)
    }
}
