internal import HearthSafety
internal import HearthSpeech
internal import HearthStory

/// `/v1/audio/speech`, and the sentences of stories: text in, WAV out.
struct SpeechEndpoints: Sendable {
    var stories: StoryShelf
    /// One voice at a time: two would only hold each other up.
    var queue: TurnQueue
    var limits: ServerLimits
    /// nil where no program that speaks is installed.
    var synthesizer: EspeakSynthesizer?

    /// Most characters of one text, as with OpenAI.
    static let mostCharacters = 4096

    private struct Request: Decodable {
        var input: String
        var language: String
        var speed: Double
        var isPCM: Bool

        private enum Keys: String, CodingKey {
            case input, voice, speed
            case responseFormat = "response_format"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Keys.self)
            input = try fields.decode(String.self, forKey: .input)
            guard (1...SpeechEndpoints.mostCharacters).contains(input.unicodeScalars.count) else {
                throw HTTPFailure.field(
                    "input", "has to be from 1 to \(SpeechEndpoints.mostCharacters) characters long.")
            }
            // A voice is a language; the names of OpenAI's voices speak English.
            let voice = try fields.decodeIfPresent(String.self, forKey: .voice) ?? "en"
            language = FilterLanguage(tag: voice).map { _ in voice } ?? "en"
            speed = try fields.number(.speed, in: 0.25...4.0) ?? 1
            let format = try fields.decodeIfPresent(String.self, forKey: .responseFormat) ?? "wav"
            guard format == "wav" || format == "pcm" else {
                throw HTTPFailure.field("response_format", "has to be wav or pcm here.")
            }
            isPCM = format == "pcm"
        }
    }

    func speech(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let wanted = try JSONGuard(limits: limits).decode(Request.self, from: request.body)
        var synthesizer = try available()
        synthesizer.rate = Int((Double(synthesizer.rate) * wanted.speed).rounded())
        let audio = try await queue.turn(waitingAtMost: limits.waitingTime) { [synthesizer] in
            try await synthesizer.speech(for: wanted.input, language: wanted.language)
        }
        exchange.answer(
            wanted.isPCM
                ? ServerResponse(type: "audio/pcm", body: audio.pcm)
                : ServerResponse(type: "audio/wav", body: audio.wav))
    }

    /// One sentence of a story that this server told.
    func sentence(_ number: Int, of id: String, _ exchange: HTTPExchange) async throws {
        guard let sentence = await stories.sentence(number, of: id) else {
            throw HTTPFailure(404, "not_found", "This sentence is not there any more. Ask for a new story.")
        }
        let synthesizer = try available()
        let audio = try await queue.turn(waitingAtMost: .seconds(30)) {
            try await synthesizer.speech(for: sentence.text, language: sentence.language.rawValue)
        }
        exchange.answer(
            ServerResponse(type: "audio/wav", headers: [("Cache-Control", "private, max-age=3600")], body: audio.wav))
    }

    private func available() throws -> EspeakSynthesizer {
        guard let synthesizer else {
            throw HTTPFailure(
                503, "no_voice", "No program that speaks is installed on this server. Install espeak-ng.")
        }
        return synthesizer
    }
}
