// The protocols were added in the framework's second version (iOS 27, macOS 27); older SDKs lack them.
#if canImport(FoundationModels, _version: 2)
internal import Foundation
public import FoundationModels
public import HearthRuntime
public import HearthText

@available(iOS 27.0, macOS 27.0, *)
extension ModelRunner where Engine == TextEngine {
    /// This model for use in a `LanguageModelSession`: prompts, streams and transcripts are the framework's, while the runner
    /// loads, keeps and releases the model.
    ///
    ///     let session = LanguageModelSession(model: runner.sessionModel, instructions: "Answer briefly.")
    ///
    /// It generates text only: tools and guided generation are not supported, and not listed in its capabilities. Output is not
    /// filtered.
    public nonisolated var sessionModel: some LanguageModel { SessionModel(runner: self) }
}

@available(iOS 27.0, macOS 27.0, *)
struct SessionModel: LanguageModel {
    let runner: ModelRunner<TextEngine>

    var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
    var executorConfiguration: Executor.Configuration { Executor.Configuration() }

    /// Stateless: each request brings its model.
    struct Executor: LanguageModelExecutor {
        struct Configuration: Hashable, Sendable {}
        typealias Model = SessionModel

        init(configuration: Configuration) throws {}

        nonisolated(nonsending) func respond(
            to request: LanguageModelExecutorGenerationRequest, model: SessionModel,
            streamingInto channel: LanguageModelExecutorGenerationChannel
        ) async throws {
            let messages = try SessionTranscript.messages(request.transcript.map { SessionTranscript.Entry($0) })
            let wanted = SessionTranscript.Options(request.generationOptions)
            let session = TextSession(runner: model.runner) { text in
                guard let template = text.chatTemplate else {
                    throw TextError.noChatTemplate(architecture: text.configuration.architecture.rawValue)
                }
                return TextProgress(
                    prompt: try template.encode(messages, text.tokenizer),
                    options: wanted.options(text.samplingDefaults))
            }
            let entry = UUID().uuidString
            for try await event in session.events() {
                switch event {
                case .token(_, let text):
                    if !text.isEmpty {
                        await channel.send(.response(entryID: entry, action: .appendText(text, tokenCount: 1)))
                    }
                case .finished(let summary, let text):
                    if !text.isEmpty {
                        await channel.send(.response(entryID: entry, action: .appendText(text, tokenCount: 0)))
                    }
                    await channel.send(
                        .response(
                            entryID: entry,
                            action: .updateUsage(
                                input: .init(
                                    totalTokenCount: summary.promptTokens, cachedTokenCount: summary.cachedTokens),
                                output: .init(totalTokenCount: summary.generatedTokens, reasoningTokenCount: 0))))
                default: break
                }
            }
        }
    }
}

@available(iOS 27.0, macOS 27.0, *)
extension SessionTranscript.Entry {
    init(_ entry: Transcript.Entry) {
        switch entry {
        case .instructions(let instructions): self = Self.text(instructions.segments, Self.instructions)
        case .prompt(let prompt): self = Self.text(prompt.segments, Self.prompt)
        case .response(let response): self = Self.text(response.segments, Self.response)
        case .reasoning: self = .reasoning
        case .toolCalls: self = .other("calls of tools")
        case .toolOutput: self = .other("output of a tool")
        @unknown default: self = .other("of a later version")
        }
    }

    private static func text(_ segments: [Transcript.Segment], _ make: (String) -> Self) -> Self {
        var texts: [String] = []
        for segment in segments {
            switch segment {
            case .text(let text): texts.append(text.content)
            case .structure(let structure): texts.append(structure.content.jsonString)
            @unknown default: return .other("a segment that is not text")
            }
        }
        return make(texts.joined(separator: "\n"))
    }
}

@available(iOS 27.0, macOS 27.0, *)
extension SessionTranscript.Options {
    init(_ options: GenerationOptions) {
        self.init(
            temperature: options.temperature, maximumTokens: options.maximumResponseTokens,
            isGreedy: options.samplingMode == .greedy)
    }
}
#endif
