internal import HearthSafety
internal import HearthSpeech
internal import HearthStory

/// `/v1/audio/speech`, and audio for the sentences of stories.
struct SpeechEndpoints: Sendable {
    var stories: StoryShelf
    /// One synthesis at a time: concurrent ones would only slow each other down.
    var queue: TurnQueue
    var limits: ServerLimits
    /// Whether texts are read aloud only as far as the story filter lets them pass.
    var filters: Bool
    /// nil if no speech synthesizer is installed.
    var synthesizer: EspeakSynthesizer?
    /// The voice that the operator chose for its language.
    var voice: PiperSynthesizer?
    /// nil if no audio encoder is installed.
    var encoder: AudioEncoder?

    /// Maximum number of characters in one text, as in OpenAI's API.
    static let mostCharacters = 4096

    private enum Format: Equatable {
        case wav, pcm
        case compressed(AudioEncoder.Format)

        init?(_ name: String) {
            switch name {
            case "wav": self = .wav
            case "pcm": self = .pcm
            default:
                guard let format = AudioEncoder.Format(rawValue: name) else { return nil }
                self = .compressed(format)
            }
        }

        var type: String {
            switch self {
            case .wav: "audio/wav"
            case .pcm: "audio/pcm"
            case .compressed(.mp3): "audio/mpeg"
            case .compressed(.opus): "audio/ogg"
            case .compressed(.aac): "audio/aac"
            case .compressed(.flac): "audio/flac"
            }
        }

        /// Whether it is sent sentence by sentence; a file with a length or checksum has to be complete.
        var isSentInPieces: Bool {
            switch self {
            case .wav: false
            case .pcm: true
            case .compressed(let format): format.joins
            }
        }
    }

    private struct Request: Decodable {
        var input: String
        var language: String
        var speed: Double
        var format: Format

        private enum Keys: String, CodingKey {
            case input, voice, speed
            case responseFormat = "response_format"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Keys.self)
            input = try fields.decode(String.self, forKey: .input)
            guard (1...SpeechEndpoints.mostCharacters).contains(input.unicodeScalars.count) else {
                throw HTTPFailure.field(
                    "input", "must be from 1 to \(SpeechEndpoints.mostCharacters) characters long.")
            }
            // A voice is a language tag; the names of OpenAI's voices mean English.
            let voice = try fields.decodeIfPresent(String.self, forKey: .voice) ?? "en"
            let known = FilterLanguage(tag: voice)?.rawValue ?? "en"
            // A region, as in en-GB, chooses among the voices of a language.
            language = voice.lowercased().hasPrefix("\(known.prefix(2))-") ? voice : known
            speed = try fields.number(.speed, in: 0.25...4.0) ?? 1
            let name = try fields.decodeIfPresent(String.self, forKey: .responseFormat) ?? "wav"
            guard let format = Format(name) else {
                throw HTTPFailure.field("response_format", "must be wav, pcm, mp3, opus, aac or flac.")
            }
            self.format = format
            // Server-sent events with Base64 audio are not supported.
            try RequestFields.check(
                try decoder.container(keyedBy: JSONValue.Name.self), ["stream_format": ["audio"], "instructions": [""]])
        }
    }

    func speech(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        var wanted = try JSONGuard(limits: limits).decode(Request.self, from: request.body)
        if filters {
            var gate = SentenceGate(FilterLanguage(tag: wanted.language) ?? .english)
            wanted.input = gate.admit(wanted.input)
            guard !gate.isStopped else {
                throw HTTPFailure(
                    400, SentenceGate.finish, "The story filter does not let this text pass. Send another one.",
                    field: "input")
            }
        }
        let spoken = wanted
        let synthesizer = try available(for: spoken.language, speed: spoken.speed)
        if case .compressed(let format) = spoken.format, encoder == nil {
            throw HTTPFailure.field(
                "response_format",
                "is \(format.rawValue), which needs ffmpeg, and that is not installed on this server. Send wav or pcm.")
        }
        try await queue.turn(waitingAtMost: limits.waitingTime) {
            if spoken.format.isSentInPieces {
                try await pieces(spoken, synthesizer, exchange)
            } else {
                let audio = try await synthesizer.speech(for: spoken.input, language: spoken.language)
                exchange.answer(
                    ServerResponse(type: spoken.format.type, body: try await bytes(of: audio, spoken.format)))
            }
        }
    }

    /// Sends each sentence as soon as it is synthesized.
    private func pieces(
        _ wanted: Request, _ synthesizer: any SpeechSynthesizer, _ exchange: HTTPExchange
    ) async throws {
        var sentences = SentenceChunker(language: wanted.language)
        for sentence in sentences.feed(wanted.input) + sentences.finish() {
            let audio = try await synthesizer.speech(for: sentence.text, language: wanted.language)
            let bytes = try await bytes(of: audio, wanted.format)
            exchange.begin(ServerResponse(type: wanted.format.type, headers: [("Cache-Control", "no-store")], body: []))
            try await exchange.send(bytes)
        }
        // A text without a sentence gives an empty response.
        exchange.begin(ServerResponse(type: wanted.format.type, headers: [("Cache-Control", "no-store")], body: []))
        exchange.finish()
    }

    private func bytes(of audio: SpeechAudio, _ format: Format) async throws -> [UInt8] {
        switch format {
        case .wav: audio.wav
        case .pcm: audio.pcm
        case .compressed(let format): try await encoder?.encode(audio, as: format) ?? []
        }
    }

    /// Audio for one sentence of a story that this server told.
    func sentence(_ number: Int, of id: String, _ exchange: HTTPExchange) async throws {
        guard let sentence = await stories.sentence(number, of: id) else {
            throw HTTPFailure(404, "not_found", "This sentence is no longer available. Ask for a new story.")
        }
        let synthesizer = try available(for: sentence.language.rawValue)
        let audio = try await queue.turn(waitingAtMost: .seconds(30)) {
            try await synthesizer.speech(for: sentence.text, language: sentence.language.rawValue)
        }
        exchange.answer(
            ServerResponse(type: "audio/wav", headers: [("Cache-Control", "private, max-age=3600")], body: audio.wav))
    }

    private func available(for language: String, speed: Double = 1) throws -> any SpeechSynthesizer {
        if var voice, voice.speaks(language) {
            voice.slowness /= speed
            return voice
        }
        guard var synthesizer else {
            throw HTTPFailure(
                503, "no_voice", "No program that speaks is installed on this server. Install espeak-ng.")
        }
        synthesizer.rate = Int((Double(synthesizer.rate) * speed).rounded())
        return synthesizer
    }
}
