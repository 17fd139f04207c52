internal import Foundation
public import HearthRuntime

#if canImport(FoundationModels)
internal import FoundationModels
#endif

/// The language model that the system brings (Apple Intelligence, from iOS 26 and macOS 26): one more that can tell stories, with
/// nothing to download and no memory of the app's.
///
///     if #available(iOS 26, macOS 26, *), SystemModel.availability(for: "en") == .available {
///         storyteller = Storyteller(conditions: { monitor.current() }, writer: SystemModel.text)
///     }
///
/// Its text is that of any other model: it passes Hearth's filter before anybody sees or hears it.
public enum SystemModel {
    /// Whether it answers now, in a language.
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
    /// The system's answer, piece by piece. Ending the iteration, or cancelling its task, stops the model.
    ///
    /// The stream throws what the framework throws: its guardrails, a context that is too long, a model that went away.
    /// - Parameters:
    ///   - instructions: for the whole session.
    ///   - prompt: what is answered.
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
