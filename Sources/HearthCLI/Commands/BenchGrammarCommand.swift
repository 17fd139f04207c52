import Foundation
import HearthGrammar
import HearthModels
import HearthText
import HearthTokenizer

/// `hearth bench grammar`: measures the cost of a constraint.
struct BenchGrammarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench grammar",
        abstract: "Measures what a constraint costs.",
        discussion: """
            Compiles the constraint with the tokenizer already loaded, then computes the mask over all tokens before
            each token of a text that the constraint accepts, and after the last one. Without --text-file, a text is
            drawn at random from the constraint. The vocabulary of a GGUF file is enough.
            """,
        examples: [
            (
                "bench grammar --model gemma.gguf --schema trip.json --text-file trip-answer.json",
                "Time to the first mask, and for each mask along a text."
            )
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @OptionGroup var constraint: ConstraintOptions
    @Option(valueName: "F", help: "File with a text that the constraint accepts.")
    var textFile: String?
    @Option(valueName: "N", help: "Maximum number of tokens of a drawn text.")
    var tokens: Int = 500
    @Flag(help: "With --json, adds the time of each mask.")
    var each = false
    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Figures: Encodable {
        var compileMS: Double
        var tokens: Int
        var maskMicrosMedian: Double
        var maskMicrosP99: Double
        var trieMS: Double
        var masksMicros: [Double]?
    }

    mutating func run() async throws {
        guard let source = try constraint.constraint() else {
            throw UsageError(
                "no constraint", command: "bench grammar", suggestion: "Pass --schema, --grammar, --regex or --choice.")
        }
        try checkPositive("tokens", tokens)
        let path = try ModelLocator.current.path(of: model)
        let tokenizer = try ModelOpening(kernels: EngineOptions.kernels()).tokenizer(path)
        var clock = Self.now
        _ = tokenizer.vocabulary.tokenTrie
        let trieMS = Double(Self.now - clock) / 1e6

        clock = Self.now
        var text = ConstrainedText(try source.compiled(), tokenizer)
        try text.update()
        let compileMS = Double(Self.now - clock) / 1e6

        var bytes: [UInt8]?
        if let textFile {
            bytes = try InputFile.bytes(textFile, option: "--text-file")
            // The last line break belongs to the file, not to the text.
            if bytes?.last == 0x0A { bytes?.removeLast() }
        }
        let ids = bytes.map { tokenizer.encode(bytes: $0) }
        var micros: [Double] = []
        var count = 0
        var drawing = DrawnText()
        while true {
            let start = Self.now
            try text.update()
            micros.append(Double(Self.now - start) / 1e3)
            let next: TokenID? =
                if let ids { count < ids.count ? ids[count] : nil } else {
                    count < tokens ? drawing.next(text, tokenizer.vocabulary.count) : nil
                }
            guard let next else { break }
            guard text.allows(next), try text.advance(next).all else {
                throw CommandFailure(
                    .invalidInput, "the constraint does not accept the text at token \(count)",
                    at: "\(textFile ?? "")", todo: "Pass a text that it accepts.")
            }
            count += 1
        }
        if ids != nil, !text.isComplete {
            throw CommandFailure(
                .invalidInput, "the text ends too early for the constraint", at: textFile, todo: "Pass a whole text.")
        }
        let sorted = micros.sorted()
        let figures = Figures(
            compileMS: compileMS, tokens: count, maskMicrosMedian: sorted[sorted.count / 2],
            maskMicrosP99: sorted[min(sorted.count - 1, sorted.count * 99 / 100)], trieMS: trieMS,
            masksMicros: each ? micros : nil)
        if json { return try Output.standard.writeJSON(figures) }
        Output.standard.writeLine(
            """
            compile to first mask  \(Self.rounded(figures.compileMS)) ms
            masks                  \(Self.rounded(figures.maskMicrosMedian)) µs median, \
            \(Self.rounded(figures.maskMicrosP99)) µs p99, along \(count) tokens
            """)
    }

    private static func rounded(_ value: Double) -> String { String(format: "%.3f", value) }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// Draws allowed tokens pseudo-randomly, the same ones each time.
private struct DrawnText {
    private var seed: UInt64 = 1

    mutating func next(_ text: ConstrainedText, _ count: Int) -> TokenID? {
        if text.mustEnd { return nil }
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let start = Int(truncatingIfNeeded: seed >> 33) % count
        for offset in 0..<count {
            let id = TokenID((start + offset) % count)
            if text.allows(id), !text.isEnd(id) { return id }
        }
        return nil
    }
}
