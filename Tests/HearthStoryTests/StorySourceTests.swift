import HearthRuntime
import HearthStory
import HearthSystem
import HearthText
import Testing

@Suite("Where a story comes from", .timeLimit(.minutes(20)))
struct StorySourceTests {
    private struct NotFound: Error {}

    private func source(
        _ choice: StorySource.Choice, chosen: Bool = false, wants: Bool = false, _ conditions: DeviceConditions = .calm,
        path: String? = "/no/such/model.gguf"
    ) throws -> String {
        let source = try StorySource(
            choice, isModelChosen: chosen, hasWants: wants, conditions: conditions, policy: HandoverPolicy(),
            locate: {
                guard let path else { throw NotFound() }
                return path
            })
        switch source {
        case .tale: return "tale"
        case .library(let reason): return reason.rawValue
        case .model(let path): return path
        }
    }

    @Test("A tale is told if it is asked for, or if the bundled model cannot be asked for what is wanted")
    func tales() throws {
        #expect(try source(.library) == "tale")
        #expect(try source(.library, chosen: true, wants: true) == "tale")
        #expect(try source(.auto, wants: true) == "tale")
        #expect(try source(.auto, chosen: true, wants: true) == "/no/such/model.gguf")
        let error = #expect(throws: StoryError.bundledModelKnowsNoWants) { try source(.model, wants: true) }
        #expect(error?.category == .invalidOption)
    }

    @Test("A missing model is an error if it was asked for; otherwise a finished story is told")
    func missing() throws {
        #expect(try source(.auto, path: nil) == "missing")
        #expect(throws: NotFound.self) { try source(.auto, chosen: true, path: nil) }
        #expect(throws: NotFound.self) { try source(.model, path: nil) }
    }

    @Test("A device that is too warm gets a finished story; the file of a chosen model is looked at anyway")
    func obstacles() throws {
        var warm = DeviceConditions.calm
        warm.thermal = .critical
        #expect(try source(.auto, warm) == "heat")
        let error = #expect(throws: StoryError.modelUnavailable(.heat)) { try source(.model, warm) }
        #expect(error?.category == .unavailable)
        #expect(throws: FileError.self) { try source(.auto, chosen: true, warm) }
        #expect(throws: FileError.self) { try source(.model, chosen: true, warm) }
    }
}
