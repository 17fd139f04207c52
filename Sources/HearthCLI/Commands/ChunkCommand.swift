import Foundation
import HearthSpeech

/// `hearth chunk`: splits text into sentences, or into chunks for speech, as JSON Lines.
struct ChunkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chunk",
        abstract: "Splits text into sentences, or into chunks for speech synthesis.",
        discussion: """
            Reads one JSON object per line: "text", or "pieces" (strings) or "pieces_b64" (UTF-8 as base64,
            which may be cut inside a character), which are fed one by one; "lang", such as en, es or zh-Hans;
            and "mode", sentence or tts. Answers each with {"sentences": [...]}, or {"error": ...} for a line
            that cannot be parsed.
            """,
        examples: [
            (
                "chunk < texts.jsonl",
                "Answers {\"text\": \"Mr. Fox sat down. He yawned.\"} with two sentences."
            )
        ])

    private struct Request: Decodable {
        var lang: String?
        var mode: String?
        var text: String?
        var pieces: [String]?
        var pieces_b64: [String]?
    }
    private struct Answer: Encodable { var sentences: [String] }

    mutating func run() async throws {
        try LineProgram.run(Request.self) { Answer(sentences: try Self.sentences($0)) }
    }

    private static func sentences(_ request: Request) throws -> [String] {
        let mode: SentenceChunker.Mode
        switch request.mode ?? "sentence" {
        case "sentence": mode = .sentence
        case "tts": mode = .speech(SpeechLimits())
        case let other: throw LineProgram.Problem("unknown mode '\(other)': expected sentence or tts")
        }
        var chunker = SentenceChunker(language: request.lang ?? "en", mode: mode)
        var sentences: [SentenceChunker.Sentence] = []
        if let pieces = request.pieces_b64 {
            for (index, piece) in pieces.enumerated() {
                guard let bytes = Data(base64Encoded: piece) else {
                    throw LineProgram.Problem("pieces_b64[\(index)] is not base64")
                }
                sentences += chunker.feed(utf8: bytes)
            }
        } else if let pieces = request.pieces {
            for piece in pieces { sentences += chunker.feed(piece) }
        } else if let text = request.text {
            sentences += chunker.feed(text)
        } else {
            throw LineProgram.Problem("no text: expected text, pieces or pieces_b64")
        }
        return (sentences + chunker.finish()).map(\.text)
    }
}
