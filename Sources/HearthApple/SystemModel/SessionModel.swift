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
    /// It generates text, values of `Generable` types, and calls of tools, which the session runs. Output is not filtered.
    public nonisolated var sessionModel: some LanguageModel { SessionModel(runner: self) }
}

@available(iOS 27.0, macOS 27.0, *)
struct SessionModel: LanguageModel {
    let runner: ModelRunner<TextEngine>

    var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.guidedGeneration, .toolCalling]) }
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
            let entries = (response: UUID().uuidString, calls: UUID().uuidString)
            do {
                try await SessionRequest(request).answer(by: model.runner, id: UUID().uuidString) { event in
                    await channel.send(event.event(response: entries.response, calls: entries.calls))
                }
            } catch {
                throw Self.thrown(error, request)
            }
        }

        /// The framework's error of the same meaning, if there is one.
        private static func thrown(
            _ error: any Error, _ request: LanguageModelExecutorGenerationRequest
        ) -> any Error {
            switch error {
            case TextError.unsupportedConstraint, TextError.invalidConstraint:
                LanguageModelError.unsupportedGenerationGuide(
                    .init(schemaName: nil, debugDescription: error.localizedDescription))
            case TextError.contextOverflow(let tokens, let limit):
                LanguageModelError.contextSizeExceeded(
                    .init(contextSize: limit, tokenCount: tokens, debugDescription: error.localizedDescription))
            case SystemModelError.unsupportedEntry, SystemModelError.noPrompt:
                LanguageModelError.unsupportedTranscriptContent(
                    .init(
                        unsupportedContent: Array(request.transcript), debugDescription: error.localizedDescription))
            default: error
            }
        }
    }
}

@available(iOS 27.0, macOS 27.0, *)
extension SessionRequest {
    init(_ request: LanguageModelExecutorGenerationRequest) throws {
        let tools = try request.enabledToolDefinitions.map { tool in
            ToolDefinition(
                name: tool.name, description: tool.description,
                parameters: try SessionSchema.ordered(Self.json(tool.parameters)))
        }
        self.init(
            request.transcript.map { SessionTranscript.Entry($0) }, options: .init(request.generationOptions),
            tools: tools, toolMode: ToolMode(request.generationOptions.toolCallingMode),
            schema: try request.schema.map { try Self.json($0) },
            showsSchema: request.contextOptions.includeSchemaInPrompt ?? true)
    }

    /// Encodes a schema. Names are sorted, so that equal schemas have equal texts.
    private static func json(_ schema: GenerationSchema) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(schema), as: UTF8.self)
    }
}

@available(iOS 27.0, macOS 27.0, *)
extension SessionRequest.ToolMode {
    init(_ mode: GenerationOptions.ToolCallingMode?) {
        switch mode?.kind {
        case .required: self = .required
        case .disallowed: self = .disallowed
        case .allowed, nil: self = .allowed
        @unknown default: self = .allowed
        }
    }
}

@available(iOS 27.0, macOS 27.0, *)
extension SessionAnswer.Event {
    /// The framework's event.
    /// - Parameters:
    ///   - response: the identifier of the transcript's entry for text.
    ///   - calls: the identifier of the entry for calls.
    func event(response: String, calls: String) -> LanguageModelExecutorGenerationChannel.Event {
        switch self {
        case .text(let text, let tokens):
            return .response(entryID: response, action: .appendText(text, tokenCount: tokens))
        case .arguments(let call, let tool, let text, let tokens):
            return .toolCalls(
                entryID: calls,
                action: .toolCall(id: call, name: tool, action: .appendArguments(text, tokenCount: tokens)))
        case .retracted(let call):
            return .toolCalls(entryID: calls, action: .removeToolCall(id: call))
        case .usage(let usage):
            let input = LanguageModelExecutorGenerationChannel.Usage.Input(
                totalTokenCount: usage.promptTokens, cachedTokenCount: usage.cachedTokens)
            let output = LanguageModelExecutorGenerationChannel.Usage.Output(
                totalTokenCount: usage.generatedTokens, reasoningTokenCount: 0)
            // Usage creates the entry that it is for, so a response without text is not mentioned beside calls.
            return usage.isOfCalls
                ? .toolCalls(entryID: calls, action: .updateUsage(input: input, output: output))
                : .response(entryID: response, action: .updateUsage(input: input, output: output))
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
        case .toolCalls(let calls):
            self = .toolCalls(
                calls.map { ToolCall(id: $0.id, name: $0.toolName, arguments: $0.arguments.jsonString) })
        case .toolOutput(let output):
            self = Self.text(output.segments) { .toolOutput(id: output.id, tool: output.toolName, $0) }
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
