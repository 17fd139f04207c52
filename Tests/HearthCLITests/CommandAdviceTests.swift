import Foundation
import HearthCLI
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthGPU
import HearthModels
import HearthServer
import HearthStory
import HearthSystem
import HearthText
import Testing

/// Errors of the libraries are for every app; what they are called on the command line is added by the program.
@Suite("Advice on errors")
struct CommandAdviceTests {
    private static let place = CoreMLError.Place(file: "m.mlpackage", field: "main")
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
        (TextError.contextTooLong(wanted: 2, limit: 1), "--context"),
        (TextError.invalidOption(name: "top-p", value: "2", allowed: "0 to 1"), "--top-p"),
        (TextError.invalidAdapter(file: "m.gguf", field: "general.type", problem: "no adapter"), "--lora"),
        (GPUError.noLoader, "--compute cpu"), (GPUError.outOfMemory(bytes: 1 << 30), "--compute cpu"),
        (GPUError.failed(call: "vkQueueSubmit", code: -13), "--compute cpu"),
        (ComputeError.threadsUnavailable(code: 11), "--threads 1"),
        (CoreMLError.takesNoPicture(place, inputs: ["x"]), "hearth predict"),
        (CoreMLError.notAClassifier(place), "hearth predict"),
        (CoreMLError.notADetector(place, outputs: ["y"]), "hearth predict"),
        (StoryError.modelUnavailable(.heat), "--source model"),
        (StoryError.bundledModelKnowsNoWants, "--source model"),
    ]

    @Test("The message names a place, but no option and no command; the program's line does", arguments: cases.indices)
    func advice(_ index: Int) throws {
        let (error, advice) = Self.cases[index]
        let message = error.localizedDescription
        #expect(!message.contains("--") && !message.contains("hearth ") && message.hasSuffix("."), "\(message)")
        // WHAT (WHERE). WHAT TO DO.
        #expect(message.contains("). "), "\(message)")
        let line = CommandFailure(error as any Error).line
        #expect(line.hasPrefix("hearth: error: \(message) ") && line.contains(advice), "\(line)")
    }

    @Test("Errors of the server name an option in the program's line only")
    func server() {
        let cases: [(error: ServerError, advice: String)] = [
            (.cannotListen(address: "127.0.0.1", port: 80, reason: "no"), "--port"),
            (.tokenMissing(address: "0.0.0.0"), "--token-file"), (.weakToken(minimum: 16), "--token-file"),
            (.badAddress("localhost"), "--host"), (.noModel, "--model"),
        ]
        for (error, advice) in cases {
            let message = error.localizedDescription
            #expect(!message.contains("--") && !message.contains("hearth ") && message.hasSuffix("."), "\(message)")
            let line = CommandFailure(error as any Error).line
            #expect(line.hasPrefix("hearth: error: \(message) ") && line.contains(advice), "\(line)")
        }
    }

    @Test("Errors of stories and manifests that need no further advice name no option either")
    func others() {
        let errors: [any HearthError] = [
            StoryError.languageNotSpoken(.spanish, modelLanguages: ["en"]), StoryError.noChatTemplate(file: "m.gguf"),
            StoryError.unusableName, ModelCatalogError.otherManifest("m.json"),
        ]
        for error in errors { #expect(!error.localizedDescription.contains("--"), "\(error.localizedDescription)") }
    }
}
