import HearthApple
import HearthSystem
import Testing

@Suite("How folders are kept")
struct StorageRuleTests {
    @Test(
        "Models stay out of backups, the log of starts does not, and everything can be read while the device is locked")
    func rules() {
        let rules = StorageRule.rules(for: HearthFolders(data: "/d", cache: "/c"))
        #expect(rules.map(\.path) == ["/d", "/d/Models", "/c"])
        #expect(rules.filter(\.isExcludedFromBackup).map(\.path) == ["/d/Models"])
        #expect(rules.allSatisfy { $0.protection == .untilFirstUnlock })
    }
}
