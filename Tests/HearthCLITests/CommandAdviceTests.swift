import Foundation
import HearthCLI
import HearthDelivery
import HearthModels
import HearthStory
import HearthSystem
import HearthText
import Testing

/// Errors of the libraries are for every app; what they are called on the command line is added by the program.
@Suite("Advice on errors")
struct CommandAdviceTests {
    private static let cases: [(error: any HearthError, advice: String)] = [
        (DeliveryError.diskFull(path: "/d", needed: 2, available: 1), "hearth prune"),
        (DeliveryError.diskFull(path: "/d", needed: nil, available: nil), "hearth prune"),
        (DeliveryError.unknownLength(url: "https://h/f"), "--sha256"),
        (DeliveryError.noNameInAddress("https://h/"), "--name"),
        (DeliveryError.olderRevision(name: "m", offered: "1", newest: "2"), "--allow-downgrade"),
        (DeliveryError.tooLittleMemory(name: "m", needed: 2, available: 1), "--allow-little-memory"),
        (DeliveryError.notInstalled(name: "m", version: nil), "hearth models"),
        (DeliveryError.nothingBefore(name: "m"), "hearth models"),
        (ModelCatalogError.unknownModel("m"), "hearth pull"),
        (TextError.embeddingModel(file: "m.gguf"), "hearth embed"),
        (TextError.contextMemory(tokens: 2, bytes: 2, limit: 1), "--kv int8"),
        (TextError.invalidAdapter(file: "m.gguf", field: "general.type", problem: "no adapter"), "--lora"),
        (StoryError.modelUnavailable(.heat), "--source model"),
        (StoryError.bundledModelKnowsNoWants, "--source model"),
    ]

    @Test("The message names no option and no command; the program's line does", arguments: cases.indices)
    func advice(_ index: Int) throws {
        let (error, advice) = Self.cases[index]
        let message = error.localizedDescription
        #expect(!message.contains("--") && !message.contains("hearth ") && message.hasSuffix("."), "\(message)")
        let line = CommandFailure(error as any Error).line
        #expect(line.hasPrefix("hearth: error: \(message) ") && line.contains(advice), "\(line)")
    }

    @Test("Errors of stories and manifests that need no further advice name no option either")
    func others() {
        let errors: [any HearthError] = [
            StoryError.languageNotSpoken(.spanish, modelLanguages: ["en"]), StoryError.noChatTemplate,
            StoryError.unusableName, ModelCatalogError.otherManifest("m.json"),
        ]
        for error in errors { #expect(!error.localizedDescription.contains("--"), "\(error.localizedDescription)") }
    }
}
