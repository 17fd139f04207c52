import Foundation
import HearthCompute
import HearthModels
import HearthSystem
import HearthText
import HearthTokenizer

/// `hearth score`: measures how well a model predicts a text.
struct ScoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "score",
        abstract: "Measures how well a model predicts a text.",
        discussion: """
            Runs one forward pass. Prints the mean negative log-likelihood in nats over the n - 1 predictions,
            and the perplexity, its exponential. The ids of --tokens-file are used as they are; --text-file gets
            the beginning-of-text token if the model's file asks for it. --logits writes little-endian float32,
            row-major, one row of vocabulary size for each token. Activations have 16 bits and the KV cache 32
            unless an option says otherwise.
            """,
        examples: [
            ("score --model gemma.gguf --text-file story.txt", "Prints the perplexity of a text."),
            (
                "score --model gemma.gguf --tokens-file ids.json --logits out.f32 --json",
                "Writes all logits, for a comparison."
            ),
        ])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "F", help: "File with a JSON array of token ids; - reads standard input.")
    var tokensFile: String?
    @Option(valueName: "F", help: "File with UTF-8 text; - reads standard input.")
    var textFile: String?
    @Option(valueName: "OUT.f32", help: "Writes the logits to this file.")
    var logits: String?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var compute: ComputeOptions
    @OptionGroup var adapters: AdapterOptions
    @Option(
        valueName: "F",
        help: "KV cache format: float32 (default), float16, int8 or int4.")
    var kv: KVCacheFormat = .float32
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        guard (tokensFile == nil) != (textFile == nil) else {
            throw UsageError(
                tokensFile == nil ? "nothing to score" : "more than one source", command: "score",
                suggestion: "Pass exactly one of --tokens-file and --text-file.")
        }
    }

    private struct Result: Encodable {
        var tokens: Int
        @ExplicitNull var meanNLL: Double?
        @ExplicitNull var perplexity: Double?
    }

    mutating func run() async throws {
        try compute.check()
        // A measuring instrument: exact unless told otherwise, as its KV cache is.
        engine.activations = engine.activations ?? 16
        try OutputPlace.check(
            logits, option: "--logits", command: "score", apartFrom: OutputPlace.models([model]),
            files: [("--tokens-file", tokensFile), ("--text-file", textFile)])
        let ids = try tokensFile.map { try TokenFile.ids($0, option: "--tokens-file") }
        let text = try textFile.map { try InputFile.text($0, option: "--text-file") }
        let model = try engine.model(model)
        let tokens = try tokens(model, ids: ids, text: text)
        guard tokens.count <= model.configuration.contextLength else {
            throw CommandFailure(
                .invalidInput,
                "there are \(tokens.count) tokens, more than the model's context of \(model.configuration.contextLength)",
                at: tokensFile ?? textFile, todo: "Score a part of the text, or several parts one by one.")
        }
        let generator = try engine.generator(model: model, context: tokens.count, cache: kv, adapters: adapters.lora)
        try await compute.apply(to: generator, model: self.model)

        let score: Score
        if let logits {
            let writer = try FloatFileWriter(path: logits, unfinished: Interruption.shared.unfinished)
            score = try await generator.score(tokens) { try writer.append($0) }
            try writer.finish()
        } else {
            score = try await generator.score(tokens)
        }
        let mean = score.meanNegativeLogLikelihood
        // exp() may overflow for a very poor prediction; a number that JSON cannot represent is a failure.
        guard mean?.isFinite ?? true, score.perplexity?.isFinite ?? true else {
            throw CommandFailure(
                .failure, "the result is not finite", at: "perplexity",
                todo: "The weights are damaged, or the text is far from the training data.")
        }
        if json {
            try Output.standard.writeJSON(
                Result(tokens: score.tokens, meanNLL: mean, perplexity: score.perplexity))
        } else {
            Output.standard.writeLine(
                """
                tokens      \(score.tokens)
                mean NLL    \(mean.map { "\(rounded($0)) nats" } ?? "undefined for one token")
                perplexity  \(score.perplexity.map(rounded) ?? "undefined for one token")
                """)
        }
    }

    private func tokens(_ model: TextModel, ids: [Int]?, text: String?) throws -> [TokenID] {
        let vocabulary = model.tokenizer.vocabulary
        if let ids { return try TokenFile.tokens(ids, file: tokensFile ?? "", count: vocabulary.count) }
        let tokens = model.tokenizer.encode(text ?? "", addBOS: vocabulary.addsBOS, parseSpecial: false)
        guard !tokens.isEmpty, text?.isEmpty == false else {
            throw CommandFailure(.invalidInput, "the text is empty", at: textFile, todo: "Pass a file with text.")
        }
        return tokens
    }

    private func rounded(_ value: Double) -> String { String(format: "%.4f", value) }
}
