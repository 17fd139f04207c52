// Startup times, cold and warm: WarmStart MODEL.gguf
import Foundation
import Hearth

guard let model = CommandLine.arguments.dropFirst().first else {
    print("usage: WarmStart MODEL.gguf")
    exit(2)
}

// A place of its own, so that the first start is a cold one.
let place = FileManager.default.temporaryDirectory.appendingPathComponent("warm-start-\(UUID())").path
defer { try? FileManager.default.removeItem(atPath: place) }
let folders = HearthFolders(data: place + "/data", cache: place + "/cache")

for start in ["cold", "warm"] {
    let clock = ContinuousClock()
    let begin = clock.now
    let runner = ModelRunner(engine: try TextEngine(path: model, folders: folders))
    try await runner.prepare()
    let ready = clock.now
    var first: ContinuousClock.Instant?
    let options = TextGenerator.Options(maximumTokens: 16, sampling: SamplingOptions(seed: 1))
    for try await _ in runner.answer("Once upon a time", options: options) where first == nil { first = clock.now }
    await runner.release()
    print("\(start): ready after \(ready - begin), first text \((first ?? clock.now) - ready) later")
}
