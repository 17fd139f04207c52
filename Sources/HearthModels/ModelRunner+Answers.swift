public import HearthCoreML
public import HearthImages
public import HearthRuntime
public import HearthText
import HearthTokenizer
public import HearthVision

extension ModelRunner where Engine == TextEngine {
    /// The model's answer to a message, as a stream of text. Ending the iteration, or cancelling its task, stops the generation;
    /// a cancelled iteration ends without an error.
    ///
    /// - Parameters:
    ///   - message: the user's message. A model without a chat template continues it.
    ///   - instructions: system instructions for the model; nil for none.
    ///   - options: sampling, and the maximum number of tokens.
    /// - Returns: pieces of text that together are the answer. The stream throws ``RunnerError`` if the model does not
    ///   become available, ``TextError``, and ``FileError`` if the file is damaged or was changed.
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
            let (tokens, prefix) = try template.prompt(message, instructions: instructions, model.tokenizer)
            return TextProgress(prompt: tokens, options: options, prefixTokens: prefix)
        }
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    for try await event in session.events() {
                        switch event {
                        case .token(_, let text), .finished(_, let text):
                            if !text.isEmpty { continuation.yield(text) }
                        case .began, .paused, .likelihood, .thought: break
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
    /// Classifies an image.
    ///
    /// - Parameters:
    ///   - path: path of an image file (``ImageDecoder``); its EXIF orientation is applied.
    ///   - crop: how the image is fitted into the model's input.
    ///   - top: the maximum number of classes, and their minimum confidence.
    /// - Returns: the most likely classes, best first.
    /// - Throws: ``ImageError`` for the image, ``CoreMLError`` for a model that is not a classifier, ``RunnerError``.
    public func classify(
        _ path: String, crop: CropAndScale = .centerCrop, top: TopResults = TopResults()
    ) async throws -> [Classification] {
        let classifier = try await withSoundModel { [file = engine.path] model in
            try ImageClassifier(model.interface, file: file, crop: crop, top: top)
        }
        let picture = try await classifier.picture.read(path)
        return try await withSoundModel { try await classifier.results(for: picture, by: $0) }
    }

    /// Detects objects in an image.
    ///
    /// - Parameters:
    ///   - path: path of an image file (``ImageDecoder``); its EXIF orientation is applied.
    ///   - crop: how the image is fitted into the model's input.
    /// - Returns: labels and boxes, most confident first. Boxes are fractions of the upright image's width and height.
    /// - Throws: ``ImageError`` for the image, ``CoreMLError`` for a model that is not a detector, ``RunnerError``.
    public func detect(_ path: String, crop: CropAndScale = .scaleFill) async throws -> [Detection] {
        let detector = try await withSoundModel { [file = engine.path] model in
            try ImageDetector(model.interface, file: file, crop: crop)
        }
        let picture = try await detector.picture.read(path)
        return try await withSoundModel { try await detector.results(for: picture, by: $0) }
    }
}
