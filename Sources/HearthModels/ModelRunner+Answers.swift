public import HearthRuntime
internal import HearthSystem
public import HearthText
public import HearthVision

extension ModelRunner where Engine == TextEngine {
    /// The model's answer to a message, in pieces as they come. Ending the iteration stops the model.
    ///
    /// - Parameters:
    ///   - message: of the user. A model that was not trained for turns continues it.
    ///   - instructions: what the model is told before.
    /// - Throws: `RunnerError` where the model cannot be had; `TextError`; `FormatError` for a file that is damaged or changed.
    public nonisolated func answer(
        _ message: String, instructions: String? = nil, options: TextGenerator.Options = .init()
    ) -> AsyncThrowingStream<String, any Error> {
        let session = TextSession(runner: self) { model in
            guard let template = model.chatTemplate else {
                let tokenizer = model.tokenizer
                let tokens = tokenizer.encode(
                    message, addBOS: tokenizer.vocabulary.addsBOS, parseSpecial: false)
                return TextProgress(prompt: tokens, options: options)
            }
            let messages =
                (instructions.map { [ChatMessage(role: .system, content: $0)] } ?? [])
                + [ChatMessage(role: .user, content: message)]
            let tokens = try template.encode(messages, model.tokenizer)
            let prefix = try template.prefixTokens(of: messages, tokens, model.tokenizer)
            return TextProgress(prompt: tokens, options: options, prefixTokens: prefix)
        }
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for try await event in session.events() {
                        switch event {
                        case .token(_, let text), .finished(_, let text):
                            if !text.isEmpty { continuation.yield(text) }
                        case .began, .paused: break
                        }
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

extension ModelRunner where Engine == CoreMLEngine {
    /// What a picture shows: the classes that the model is surest of, best first.
    ///
    /// - Parameters:
    ///   - path: of a JPEG or PNG file; turned upright as its Exif data say.
    ///   - crop: how the picture is fitted into the model's input.
    /// - Throws: `ImageError` for the picture, `CoreMLError` for a model that is no classifier; `RunnerError`.
    public func classify(
        _ path: String, crop: CropAndScale = .centerCrop, top: TopResults = TopResults()
    ) async throws -> [Classification] {
        let image = try await OwnThread.run { _ in try ImageDecoder().picture(at: path) }
        return try await withSoundModel { session in
            let classifier = try ImageClassifier(session.interface, crop: crop, top: top)
            return try classifier.results(of: try await session.predict(classifier.inputs(for: image)))
        }
    }

    /// Where things are in a picture, and which; surest first.
    ///
    /// - Parameters:
    ///   - path: of a JPEG or PNG file; boxes are in pixels of the upright picture.
    ///   - crop: how the picture is fitted into the model's input.
    /// - Throws: `ImageError` for the picture, `CoreMLError` for a model that is no detector; `RunnerError`.
    public func detect(_ path: String, crop: CropAndScale = .scaleFill) async throws -> [Detection] {
        let image = try await OwnThread.run { _ in try ImageDecoder().picture(at: path) }
        return try await withSoundModel { session in
            let detector = try ImageDetector(session.interface, crop: crop)
            let outputs = try await session.predict(detector.inputs(for: image))
            return try detector.results(of: outputs, in: image)
        }
    }
}
