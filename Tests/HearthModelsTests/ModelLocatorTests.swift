import Foundation
import HearthModels
import Testing

@Suite("Models by name", .timeLimit(.minutes(20)))
struct ModelLocatorTests {
    @Test("Models are found in HEARTH_HOME, beside and above the program")
    func locator() throws {
        let folders = ModelLocator.folders(
            environment: ["HEARTH_HOME": "/h", "HOME": "/root"], executable: "/src/.build/x86/release/hearth")
        #expect(folders.first == "/h/Models")
        #expect(folders.contains("/src/Models"))
        #expect(folders.contains("/src/.build/x86/share/hearth/Models"))
        #expect(ModelLocator.folders(environment: ["HOME": "/u"], executable: nil) == ["/u/.local/share/hearth/Models"])

        let locator = ModelLocator(folders: ["/a", "/b"], exists: { $0 == "/b/nano.gguf" || $0 == "plain" })
        #expect(try locator.path(of: "nano") == "/b/nano.gguf")
        #expect(try locator.path(of: "x/nano") == "x/nano")
        #expect(try locator.path(of: "nano.gguf") == "nano.gguf")
        #expect(try locator.path(of: "plain") == "plain")
        for name in ["other", "", "..", "a b", "\u{1B}[2J"] {
            #expect(throws: ModelCatalogError.self) { try locator.path(of: name) }
        }
    }

    @Test("An unknown name and one that no model can have are told apart, and say what to do")
    func messages() {
        let locator = ModelLocator(folders: [], exists: { _ in false })
        #expect(throws: ModelCatalogError.unknownModel("other")) { try locator.path(of: "other") }
        #expect(throws: ModelCatalogError.invalidName("a b")) { try locator.path(of: "a b") }
        let text = ModelCatalogError.unknownModel("other").localizedDescription
        #expect(text.contains("(other)") && text.contains("Install it") && !text.contains("hearth pull"))
    }
}
