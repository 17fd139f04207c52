// swift-format-ignore-file
// FoundationModels: sessions, prompts, transcripts, tools, schemas (OS 26); LanguageModel, its executor, request and channel (OS 27). Declarations only: nothing runs.
// Apple's documentation: "FoundationModels", "LanguageModelSession", "Transcript", "GenerationSchema", "LanguageModelExecutor", "LanguageModelExecutorGenerationRequest",
// "LanguageModelExecutorGenerationChannel" with its "Event", "Response.Action", "Reasoning.Action", "ToolCalls.Action", "ToolCalls.ToolCall.Action" and "Usage", "ContextOptions",
// "GenerationOptions.ToolCallingMode", "LanguageModelCapabilities.Capability", "LanguageModelError". SDK 27's module has version 2, as sources that support both SDKs test for it.
// The macros @Generable and @Guide are NOT declared: a conformance is written by hand to be checked.
// module version 2.0
import Foundation

@available(iOS 26.0, macOS 26.0, *) public struct GenerationID: Hashable, Sendable { public init() {} }
@available(iOS 26.0, macOS 26.0, *) public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable { var generatedContent: GeneratedContent { get } }
@available(iOS 26.0, macOS 26.0, *) public protocol ConvertibleFromGeneratedContent: SendableMetatype { init(_ content: GeneratedContent) throws }
@available(iOS 26.0, macOS 26.0, *) public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
    associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self
    static var generationSchema: GenerationSchema { get }
}
@available(iOS 26.0, macOS 26.0, *) extension Generable {
    public var instructionsRepresentation: Instructions { fatalError() }
    public var promptRepresentation: Prompt { fatalError() }
}
@available(iOS 26.0, macOS 26.0, *) public struct GeneratedContent: Sendable, Equatable, Generable, CustomDebugStringConvertible {
    public static var generationSchema: GenerationSchema { fatalError() }
    public init(_ content: GeneratedContent) throws { fatalError() }
    public init(json: String) throws { fatalError() }
    public init(_ value: some ConvertibleToGeneratedContent) { fatalError() }
    public init(properties: KeyValuePairs<String, any ConvertibleToGeneratedContent>, id: GenerationID? = nil) { fatalError() }
    public var generatedContent: GeneratedContent { self }
    public var jsonString: String { fatalError() }
    public var isComplete: Bool { fatalError() }
    public var debugDescription: String { fatalError() }
    public func value<V: ConvertibleFromGeneratedContent>(_ type: V.Type = V.self) throws -> V { fatalError() }
    public func value<V: ConvertibleFromGeneratedContent>(_ type: V.Type = V.self, forProperty property: String) throws -> V { fatalError() }
}
@available(iOS 26.0, macOS 26.0, *) extension String: Generable { public static var generationSchema: GenerationSchema { fatalError() }; public init(_ content: GeneratedContent) throws { fatalError() }; public var generatedContent: GeneratedContent { fatalError() } }
@available(iOS 26.0, macOS 26.0, *) extension Int: Generable { public static var generationSchema: GenerationSchema { fatalError() }; public init(_ content: GeneratedContent) throws { fatalError() }; public var generatedContent: GeneratedContent { fatalError() } }
@available(iOS 26.0, macOS 26.0, *) extension Double: Generable { public static var generationSchema: GenerationSchema { fatalError() }; public init(_ content: GeneratedContent) throws { fatalError() }; public var generatedContent: GeneratedContent { fatalError() } }
@available(iOS 26.0, macOS 26.0, *) extension Bool: Generable { public static var generationSchema: GenerationSchema { fatalError() }; public init(_ content: GeneratedContent) throws { fatalError() }; public var generatedContent: GeneratedContent { fatalError() } }
@available(iOS 26.0, macOS 26.0, *) extension Array: PromptRepresentable, InstructionsRepresentable, ConvertibleToGeneratedContent, ConvertibleFromGeneratedContent, Generable where Element: Generable { public typealias PartiallyGenerated = [Element]; public static var generationSchema: GenerationSchema { fatalError() }; public init(_ content: GeneratedContent) throws { fatalError() }; public var generatedContent: GeneratedContent { fatalError() } }
@available(iOS 26.0, macOS 26.0, *) public struct GenerationGuide<Value> {}
@available(iOS 26.0, macOS 26.0, *) public struct GenerationSchema: Sendable, Codable, CustomDebugStringConvertible {
    public struct Property: Sendable {
        public init<V: Generable>(name: String, description: String? = nil, type: V.Type, guides: [GenerationGuide<V>] = []) { fatalError() }
        public init<V: Generable>(name: String, description: String? = nil, type: V?.Type, guides: [GenerationGuide<V>] = []) { fatalError() }
    }
    public init(type: any Generable.Type, description: String? = nil, properties: [Property]) { fatalError() }
    public init(type: any Generable.Type, description: String? = nil, anyOf choices: [String]) { fatalError() }
    public init(root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]) throws { fatalError() }
    public var debugDescription: String { fatalError() }
}
@available(iOS 26.0, macOS 26.0, *) public struct DynamicGenerationSchema: Sendable {
    public struct Property: Sendable { public init(name: String, description: String? = nil, schema: DynamicGenerationSchema, isOptional: Bool = false) { fatalError() } }
    public init(name: String, description: String? = nil, properties: [Property]) { fatalError() }
    public init(name: String, description: String? = nil, anyOf choices: [String]) { fatalError() }
    public init(arrayOf itemSchema: DynamicGenerationSchema, minimumElements: Int? = nil, maximumElements: Int? = nil) { fatalError() }
    public init<V: Generable>(type: V.Type, guides: [GenerationGuide<V>] = []) { fatalError() }
}
@available(iOS 26.0, macOS 26.0, *) public protocol PromptRepresentable { var promptRepresentation: Prompt { get } }
@available(iOS 26.0, macOS 26.0, *) public protocol InstructionsRepresentable { var instructionsRepresentation: Instructions { get } }
@available(iOS 26.0, macOS 26.0, *) public struct Prompt: Sendable, PromptRepresentable { public init(_ content: some PromptRepresentable) {}; public var promptRepresentation: Prompt { self } }
@available(iOS 26.0, macOS 26.0, *) public struct Instructions: Sendable, InstructionsRepresentable { public init(_ content: some InstructionsRepresentable) {}; public var instructionsRepresentation: Instructions { self } }
@available(iOS 26.0, macOS 26.0, *) public struct GenerationOptions: Sendable, Equatable {
    public struct SamplingMode: Sendable, Equatable {
        public static var greedy: SamplingMode { fatalError() }
        public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode { fatalError() }
        public static func random(probabilityThreshold: Double, seed: UInt64? = nil) -> SamplingMode { fatalError() }
    }
    @available(iOS 27.0, macOS 27.0, *) public struct ToolCallingMode: Sendable, Equatable { public enum Kind: Sendable, Equatable { case allowed, required, disallowed }; public var kind: Kind { fatalError() }
        public static var allowed: ToolCallingMode { fatalError() }; public static var required: ToolCallingMode { fatalError() }; public static var disallowed: ToolCallingMode { fatalError() } }
    public init(sampling: SamplingMode? = nil, temperature: Double? = nil, maximumResponseTokens: Int? = nil) {}
    public var sampling: SamplingMode? { get { fatalError() } set {} }
    public var temperature: Double? { get { fatalError() } set {} }
    public var maximumResponseTokens: Int? { get { fatalError() } set {} }
    @available(iOS 27.0, macOS 27.0, *) public var samplingMode: SamplingMode? { get { fatalError() } set {} }
    @available(iOS 27.0, macOS 27.0, *) public var toolCallingMode: ToolCallingMode? { get { fatalError() } set {} }
}
@available(iOS 26.0, macOS 26.0, *) public protocol Tool<Arguments, Output>: Sendable {
    associatedtype Output: PromptRepresentable
    associatedtype Arguments: ConvertibleFromGeneratedContent
    var name: String { get }
    var description: String { get }
    var parameters: GenerationSchema { get }
    var includesSchemaInInstructions: Bool { get }
    @concurrent func call(arguments: Arguments) async throws -> Output
}
@available(iOS 26.0, macOS 26.0, *) extension Tool { public var name: String { fatalError() }; public var includesSchemaInInstructions: Bool { true } }
@available(iOS 26.0, macOS 26.0, *) extension Tool where Arguments: Generable { public var parameters: GenerationSchema { fatalError() } }
@available(iOS 26.0, macOS 26.0, *) public struct Transcript: Sendable, Equatable, RandomAccessCollection, Codable {
    public init(entries: some Sequence<Entry> = []) { fatalError() }
    public init(from decoder: any Decoder) throws { fatalError() }
    public func encode(to encoder: any Encoder) throws {}
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public subscript(index: Int) -> Entry { fatalError() }
    public enum Entry: Sendable, Identifiable, Equatable {
        case instructions(Instructions), prompt(Prompt), toolCalls(ToolCalls), toolOutput(ToolOutput), response(Response), reasoning(Reasoning)  // reasoning: OS 27
        public var id: String { fatalError() }
    }
    public enum Segment: Sendable, Identifiable, Equatable { case text(TextSegment), structure(StructuredSegment); public var id: String { fatalError() } }
    public struct TextSegment: Sendable, Identifiable, Equatable { public var id: String; public var content: String; public init(id: String = "", content: String) { fatalError() } }
    public struct StructuredSegment: Sendable, Identifiable, Equatable { public var id: String; public var source: String; public var content: GeneratedContent }
    public struct ToolDefinition: Sendable, Equatable { public var name: String; public var description: String; public var parameters: GenerationSchema { fatalError() }; public init(name: String, description: String, parameters: GenerationSchema) { fatalError() } }
    public struct Instructions: Sendable, Identifiable, Equatable { public var id: String; public var segments: [Segment]; public var toolDefinitions: [ToolDefinition]; public init(id: String = "", segments: [Segment], toolDefinitions: [ToolDefinition]) { fatalError() } }
    public struct ResponseFormat: Sendable, Equatable { public var name: String { fatalError() }; public init(schema: GenerationSchema) {} }
    public struct Prompt: Sendable, Identifiable, Equatable { public var id: String; public var segments: [Segment]; public var options: GenerationOptions; public var responseFormat: ResponseFormat?; public init(id: String = "", segments: [Segment], options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil) { fatalError() } }
    public struct Response: Sendable, Identifiable, Equatable { public var id: String; public var assetIDs: [String]; public var segments: [Segment]; public init(id: String = "", assetIDs: [String], segments: [Segment]) { fatalError() } }
    public struct Reasoning: Sendable, Identifiable, Equatable { public var id: String; public var segments: [Segment] }
    public struct ToolCall: Sendable, Identifiable, Equatable { public var id: String; public var toolName: String; public var arguments: GeneratedContent }
    public struct ToolCalls: Sendable, Identifiable, Equatable, RandomAccessCollection { public var id: String; public init<S: Sequence>(id: String = "", _ calls: S) where S.Element == ToolCall { fatalError() }; public var startIndex: Int { fatalError() }; public var endIndex: Int { fatalError() }; public subscript(index: Int) -> ToolCall { fatalError() } }
    public struct ToolOutput: Sendable, Identifiable, Equatable { public var id: String; public var toolName: String; public var segments: [Segment]; public init(id: String, toolName: String, segments: [Segment]) { fatalError() } }
}
@available(iOS 26.0, macOS 26.0, *) public final class SystemLanguageModel: Sendable {
    public enum Availability: Equatable, Sendable { public enum UnavailableReason: Equatable, Sendable { case deviceNotEligible, appleIntelligenceNotEnabled, modelNotReady }; case available, unavailable(UnavailableReason) }
    public static let `default` = SystemLanguageModel()
    public init() {}
    public var availability: Availability { fatalError() }
    public var isAvailable: Bool { fatalError() }
    public var supportedLanguages: Set<Locale.Language> { fatalError() }
    public func supportsLocale(_ locale: Locale = .current) -> Bool { fatalError() }
}
@available(iOS 26.0, macOS 26.0, *) public final class LanguageModelSession: @unchecked Sendable {
    public struct Response<Content> { public let content: Content; public let rawContent: GeneratedContent; public let transcriptEntries: ArraySlice<Transcript.Entry> }
    public struct ResponseStream<Content: Generable>: AsyncSequence {
        public struct Snapshot { public var content: Content.PartiallyGenerated; public var rawContent: GeneratedContent }
        public struct AsyncIterator: AsyncIteratorProtocol { public mutating func next() async throws -> Snapshot? { fatalError() } }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
        public func collect() async throws -> Response<Content> { fatalError() }
    }
    public enum GenerationError: Error, LocalizedError { public struct Context: Sendable { public let debugDescription: String }
        case exceededContextWindowSize(Context), assetsUnavailable(Context), guardrailViolation(Context), unsupportedGuide(Context), unsupportedLanguageOrLocale(Context), decodingFailure(Context), rateLimited(Context), concurrentRequests(Context) }
    public convenience init(model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil) { fatalError() }
    public convenience init(model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript) { fatalError() }
    @available(iOS 27.0, macOS 27.0, *) public convenience init(model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil) { fatalError() }
    @available(iOS 27.0, macOS 27.0, *) public convenience init(model: some LanguageModel, tools: [any Tool] = [], transcript: Transcript) { fatalError() }
    init() {}
    public var transcript: Transcript { fatalError() }
    public var isResponding: Bool { fatalError() }
    public func prewarm(promptPrefix: Prompt? = nil) {}
    @discardableResult nonisolated(nonsending) public func respond(to prompt: String, options: GenerationOptions = GenerationOptions()) async throws -> Response<String> { fatalError() }
    @discardableResult nonisolated(nonsending) public func respond(to prompt: Prompt, options: GenerationOptions = GenerationOptions()) async throws -> Response<String> { fatalError() }
    @discardableResult nonisolated(nonsending) public func respond<C: Generable>(to prompt: String, generating type: C.Type = C.self, includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()) async throws -> Response<C> { fatalError() }
    @discardableResult nonisolated(nonsending) public func respond(to prompt: String, schema: GenerationSchema, includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()) async throws -> Response<GeneratedContent> { fatalError() }
    public func streamResponse(to prompt: String, options: GenerationOptions = GenerationOptions()) -> ResponseStream<String> { fatalError() }
    public func streamResponse<C: Generable>(to prompt: String, generating type: C.Type = C.self, includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()) -> ResponseStream<C> { fatalError() }
}

// OS 27
@available(iOS 27.0, macOS 27.0, *) public struct LanguageModelCapabilities: Sendable {
    public struct Capability: Hashable, Sendable { public static var guidedGeneration: Capability { fatalError() }; public static var reasoning: Capability { fatalError() }; public static var toolCalling: Capability { fatalError() }; public static var vision: Capability { fatalError() } }
    public init(_ capabilities: [Capability]) {}
    public init(capabilities: [Capability]) {}
    public func contains(_ capability: Capability) -> Bool { fatalError() }
}
@available(iOS 27.0, macOS 27.0, *) public protocol LanguageModel: Sendable {
    associatedtype Executor: LanguageModelExecutor where Executor.Model == Self
    var capabilities: LanguageModelCapabilities { get }
    var executorConfiguration: Executor.Configuration { get }
}
@available(iOS 27.0, macOS 27.0, *) public protocol LanguageModelExecutor: Sendable {
    associatedtype Configuration: Hashable, Sendable
    associatedtype Model: LanguageModel
    init(configuration: Configuration) throws
    func prewarm(model: Model, transcript: Transcript)
    nonisolated(nonsending) func respond(to request: LanguageModelExecutorGenerationRequest, model: Model, streamingInto channel: LanguageModelExecutorGenerationChannel) async throws
}
@available(iOS 27.0, macOS 27.0, *) extension LanguageModelExecutor { public func prewarm(model: Model, transcript: Transcript) {} }
@available(iOS 27.0, macOS 27.0, *) public struct ContextOptions: Sendable { public struct ReasoningLevel: Hashable, Sendable {}; public var reasoningLevel: ReasoningLevel? { fatalError() }; public var includeSchemaInPrompt: Bool? { fatalError() } }
@available(iOS 27.0, macOS 27.0, *) public struct LanguageModelExecutorGenerationRequest: Sendable {
    public var id: UUID { fatalError() }
    public var transcript: Transcript { fatalError() }
    public var schema: GenerationSchema? { fatalError() }
    public var enabledToolDefinitions: [Transcript.ToolDefinition] { fatalError() }
    public var generationOptions: GenerationOptions { fatalError() }
    public var contextOptions: ContextOptions { fatalError() }
}
@available(iOS 27.0, macOS 27.0, *) public struct LanguageModelExecutorGenerationChannel: Sendable {
    public init() {}
    public struct Usage: Sendable { public struct Input: Sendable { public init(totalTokenCount: Int, cachedTokenCount: Int) {} }; public struct Output: Sendable { public init(totalTokenCount: Int, reasoningTokenCount: Int) {} } }
    public struct Response: Sendable {
        public struct Action: Sendable {
            public static func appendText(_ text: String, segmentID: String? = nil, tokenCount: Int) -> Action { fatalError() }
            public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Action { fatalError() }
            public static func updateUsage(input: Usage.Input, output: Usage.Output, metadata: [String: any ConvertibleToGeneratedContent] = [:]) -> Action { fatalError() }
        }
    }
    public struct Reasoning: Sendable {
        public struct Action: Sendable {
            public static func appendText(_ text: String, segmentID: String? = nil, tokenCount: Int) -> Action { fatalError() }
            public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Action { fatalError() }
            public static func updateUsage(input: Usage.Input, output: Usage.Output, metadata: [String: any ConvertibleToGeneratedContent] = [:]) -> Action { fatalError() }
        }
    }
    // "The first event for a given id opens the tool call"; removeToolCall: "a tool call the model retracted".
    public struct ToolCalls: Sendable {
        public struct ToolCall: Sendable {
            public struct Action: Sendable {
                public static func appendArguments(_ content: String, tokenCount: Int) -> Action { fatalError() }
                public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Action { fatalError() }
            }
        }
        public struct Action: Sendable {
            public static func toolCall(id: String, name: String, action: ToolCall.Action) -> Action { fatalError() }
            public static func removeToolCall(id: String) -> Action { fatalError() }
            public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Action { fatalError() }
            // Listed on the page of ToolCalls.Action with `input` and `output`; a `metadata` as Response.Action has is not declared.
            public static func updateUsage(input: Usage.Input, output: Usage.Output) -> Action { fatalError() }
        }
    }
    public struct Event: Sendable {
        public static func response(entryID: String? = nil, action: Response.Action) -> Event { fatalError() }
        public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event { fatalError() }
        public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event { fatalError() }
    }
    nonisolated(nonsending) public func send(_ event: Event) async {}
}
@available(iOS 27.0, macOS 27.0, *) public enum LanguageModelError: Error {
    public struct UnsupportedCapability: Sendable { public init(capability: LanguageModelCapabilities.Capability, debugDescription: String, metadata: [String: any Sendable] = [:]) {} }
    public struct UnsupportedGenerationGuide: Sendable { public init(schemaName: String?, debugDescription: String, metadata: [String: any Sendable] = [:]) {} }
    public struct ContextSizeExceeded: Sendable { public init(contextSize: Int, tokenCount: Int, debugDescription: String, metadata: [String: any Sendable] = [:]) {} }
    public struct UnsupportedTranscriptContent: Sendable { public init(unsupportedContent: [Transcript.Entry], debugDescription: String, metadata: [String: any Sendable] = [:]) {} }
    public struct Context: Sendable { public init(debugDescription: String) {} }
    case unsupportedCapability(UnsupportedCapability), unsupportedGenerationGuide(UnsupportedGenerationGuide)
    case contextSizeExceeded(ContextSizeExceeded), unsupportedTranscriptContent(UnsupportedTranscriptContent)
    case rateLimited(Context), refusal(Context), timeout(Context), guardrailViolation(Context), unsupportedLanguageOrLocale(Context)
}
