// A model that calls a function of the app, and an answer that is a value of a type: ChatTool MODEL [QUESTION].
import Foundation
import Hearth

/// What the model may look up. What `call` throws is told to it.
struct Weather: ChatTool {
    struct Arguments: Decodable, TextSchemaHints {
        enum Unit: String, CaseIterable, Decodable { case celsius, fahrenheit }
        var city: String
        var unit: Unit?

        static let schemaHints: [String: [TextSchemaHint]] = [
            "city": [.description("The city, as in \"Bonn\"."), .length(1...40)]
        ]
    }
    struct UnknownCity: LocalizedError {
        var city: String
        var errorDescription: String? { "there is no weather of \(city)" }
    }

    let name = "get_weather"
    let description = "Tells the weather of a city."

    func call(_ arguments: Arguments) async throws -> String {
        let degrees = ["Bonn": 21.0, "Ulm": 17, "Oslo": 9]
        guard let celsius = degrees[arguments.city] else { throw UnknownCity(city: arguments.city) }
        return arguments.unit == .fahrenheit ? "\(celsius * 9 / 5 + 32) °F" : "\(celsius) °C"
    }
}

/// What the model is asked for: it can write nothing else.
struct Animal: Decodable, Sendable, TextSchemaHints {
    enum Size: String, CaseIterable, Decodable, Sendable { case small, large }
    var name: String
    var legs: Int
    var size: Size
    var friends: [String]?

    static let schemaHints: [String: [TextSchemaHint]] = [
        "name": [.length(3...12), .pattern("^[A-Z][a-z]+$")], "legs": [.range(0...8)],
        "friends": [.count(1...3), .length(1...20)],
    ]
}

let words = Array(CommandLine.arguments.dropFirst())
guard let model = words.first else {
    print("usage: ChatTool MODEL [QUESTION]")
    exit(2)
}
let runner = try ModelCatalog().text(model)
let options = TextGenerator.Options(maximumTokens: 200)

// Tools. Where a child listens, the filter sees what goes to them and what comes back.
let filter = OutputFilter()
let chat = ChatSession(
    runner: runner, tools: [Weather()],
    review: { text in
        let verdict = filter.judge(text, in: .english)
        return verdict.action == .stop ? nil : verdict.text
    })
let question = words.count > 1 ? words[1] : "What is the weather in Bonn?"
for try await event in chat.respond(to: question, options: options) {
    switch event {
    case .calling(let tool, let arguments): print("[\(tool) \(arguments)]")
    case .result(_, let result): print("[→ \(result)]")
    case .text(let text): print(text, terminator: "")
    default: break
    }
}

// A value.
print("\n\nThe schema: \(try TextSchema(of: Animal.self).json)")
let animal = try await ChatSession(runner: runner)
    .respond(to: "Think of an animal.", generating: Animal.self, options: options)
print("\(animal.name) is \(animal.size.rawValue), has \(animal.legs) legs, and \(animal.friends?.count ?? 0) friends.")
await runner.release()
