internal import Foundation
public import HearthRuntime

#if canImport(FoundationModels)
internal import FoundationModels
#endif

/// The system's language model (Apple Intelligence, from iOS 26 and macOS 26). It can tell stories without a download and
/// without using the app's memory.
///
///     if #available(iOS 26, macOS 26, *), SystemModel.availability(for: "en") == .available {
///         storyteller = Storyteller(conditions: { monitor.current() }, writer: SystemModel.text)
///     }
///
/// Like the text of any other model, its text passes Hearth's filter before it is shown or spoken.
public enum SystemModel {
    /// Whether the model is available for a language now.
    /// - Parameter language: a BCP 47 tag such as `en`, `zh-Hans` or `es`.
    public static func availability(for language: String) -> SystemModelAvailability {
        #if canImport(FoundationModels)
        guard #available(iOS 26.0, macOS 26.0, *) else { return .noFramework }
        let model = SystemLanguageModel.default
        let availability = SystemModelAvailability(model.availability)
        guard availability == .available else { return availability }
        return model.supportsLocale(Locale(identifier: language)) ? .available : .languageNotSupported
        #else
        .noFramework
        #endif
    }
}

#if canImport(FoundationModels)
extension SystemModel {
    /// Streams the system model's answer. Ending the iteration, or cancelling its task, stops the model.
    ///
    /// The stream throws the framework's errors, for example if a guardrail was triggered, the context is too long, or the
    /// model became unavailable.
    /// - Parameters:
    ///   - instructions: the instructions for the whole session.
    ///   - prompt: the prompt to answer.
    @available(iOS 26.0, macOS 26.0, *)
    @Sendable
    public static func text(instructions: String, prompt: String) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    let session = LanguageModelSession(instructions: instructions)
                    var text = SnapshotText()
                    for try await snapshot in session.streamResponse(to: prompt) {
                        let new = try text.take(snapshot.content)
                        if !new.isEmpty { continuation.yield(new) }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

@available(iOS 26.0, macOS 26.0, *)
extension SystemModelAvailability {
    init(_ availability: SystemLanguageModel.Availability) {
        switch availability {
        case .available: self = .available
        case .unavailable(.deviceNotEligible): self = .deviceNotEligible
        case .unavailable(.appleIntelligenceNotEnabled): self = .notEnabled
        case .unavailable(.modelNotReady): self = .notReady
        case .unavailable: self = .unknown
        @unknown default: self = .unknown
        }
    }
}
#endif
