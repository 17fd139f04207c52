// What pictures show: Classify MODEL PICTURE… where MODEL is a Core ML package, or the address of a model that is installed first.
import Foundation
import Hearth

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else {
    print("usage: Classify MODEL PICTURE…")
    exit(2)
}

let catalog = try ModelCatalog()
let runner = try catalog.images(words[0])

// The first use compiles the model for this device; how far that is can be shown while it goes on.
let watching = Task {
    for await state in runner.states {
        if case .warming(let progress) = state { print("preparing: \(Int(progress * 100)) %") }
        if case .ready = state { break }
    }
}
try await runner.prepare()
watching.cancel()

for picture in words.dropFirst() {
    let found = try await runner.classify(picture)
    let shown = found.map { "\($0.label) \(Int(($0.confidence * 100).rounded())) %" }
    print("\(picture): \(shown.joined(separator: ", "))")
}
await runner.release()
