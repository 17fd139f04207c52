import Dispatch
import Foundation
import HearthGGUF
import HearthModels
import HearthRuntime
import HearthStory
import HearthSystem
import HearthText

/// `hearth story`: tells a bedtime story.
struct StoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "story",
        abstract: "Tells a bedtime story.",
        discussion: """
            WISH is an id listed by 'hearth wishes'; without one, the seed chooses. The bundled model tells
            hand-written tales in English: it chooses the wording of each sentence. --free lets it write by
            itself. For other languages pass a multilingual Gemma. Sentences appear as soon as they are
            complete and have passed the filter. If the model cannot tell the story or has to stop (heat,
            memory), a finished story from 'hearth stories' is told.

            With --name or --length, or with --source library, a tale is told: written by hand in three
            languages, with the name filled in and another wording each time. The bundled model supports
            neither option; any other --model takes both, and so does --free if the model's file says that it
            answers plans (hearth.story.format).

            --story tells a certain tale or finished story, --like another one about the same wish, --after
            another evening with the same friends: the hero of the tale, as --seed tells it, tells a second tale.
            With --json, story is the id to pass.

            Children never type. --adult-prompt is for adults: free text instead of WISH, cleaned and checked.
            With --json, firstTokenMS and firstAudioMS are measured from the start of the command, seed repeats
            the story, source is "library" if any part came from the finished stories, and handover says why.
            """,
        examples: [
            ("story", "Tells a story about a random wish."),
            ("story friendly-dragon --seed 7", "Tells the same story about a friendly dragon every time."),
            ("story sleepy-bear --speak", "Reads the story aloud while it is written."),
            (
                "story sleepy-bear --audio bear.wav --report",
                "Writes the speech to a file, and reports the figures of this device."
            ),
            (
                "story sleepy-bear --speak --voice en_US-lessac-medium",
                "Reads it aloud with a Piper voice; 'hearth voices' lists those that are there."
            ),
            (
                "story sleepy-bear --language es --model gemma-3-1b-it.gguf",
                "Tells a story in Spanish with another model."
            ),
            (
                "story kind-giant --name Mina --pronoun she --length long",
                "Tells a long tale with somebody named Mina in it."
            ),
            ("story --after the-hoard --seed 7", "Tells the second evening with the friends of a tale."),
            ("story --simulate thermal=serious@0s", "Shows what happens when the device is warm."),
        ])

    @Argument(valueName: "WISH", help: "Id of what the story is about.")
    var wish: String?
    @Option(valueName: "L", help: "Language of the story.")
    var language: StoryLanguage = .english
    @Option(
        valueName: "M",
        help: "GGUF file, or the name of an installed or bundled model (default: \(ModelLocator.bundled)).")
    var model: String?
    @Option(valueName: "N", help: "Seed; the same seed repeats the story (default: random).")
    var seed: UInt64?
    @Option(
        valueName: "N",
        help: "Maximum number of tokens (default: \(StoryRequest.defaultMaximumTokens), twice that for a long story).")
    var maxTokens: Int?
    @Option(
        valueName: "W",
        help: "When the model's context is full: stop, or shift, which forgets the middle of the story and continues.")
    var onFull: FullContext = .stop
    @Option(valueName: "NAME", help: "The child's name, for somebody in the story.")
    var name: String?
    @Option(valueName: "P", help: "Pronoun that goes with the name (default: they).")
    var pronoun: StoryChild.Pronoun?
    @Option(valueName: "L", help: "How long the story is.")
    var length: StoryLength?
    @Option(valueName: "S", help: "Who tells: a model, or the stories that come with Hearth.")
    var source: StorySource.Choice = .auto
    @Option(valueName: "ID", help: "Tells this tale or finished story.")
    var story: String?
    @Option(valueName: "ID", help: "Tells another story about the same wish.")
    var like: String?
    @Option(valueName: "ID", help: "Tells another evening with the friends of this tale.")
    var after: String?
    @Option(valueName: "N", help: "With --after: which evening, 2 to 365 (default: 2).")
    var evening: Int?
    @Flag(help: "Reads the story aloud on the sound device.")
    var speak = false
    @Option(valueName: "FILE", help: "Writes the story's speech to a WAV file.")
    var audio: String?
    @Option(
        valueName: "V",
        help: "With --speak or --audio: a Piper voice, FILE.onnx or a name of 'hearth voices' (default: espeak).")
    var voice: String?
    @Option(valueName: "TEXT", help: "For adults, instead of WISH: free text about the story.")
    var adultPrompt: String?
    @Flag(help: "Lets the bundled model write freely instead of telling a tale; each paragraph is chosen from several.")
    var free = false
    @Flag(help: "As --free, but tells the first text that the model generates.")
    var noChoosing = false
    @Flag(help: "With --json: adds the slips that the judge of the bundled model's stories finds.")
    var judge = false
    @Flag(help: "Prints figures of this device: load, first token, first audio, speed, memory, energy.")
    var report = false
    @Option(valueName: "SECONDS", help: "Seconds that a story waits for a model that was released.")
    var patience: Float = 30
    @OptionGroup var writing: WritingOptions
    @OptionGroup var simulation: DeviceScriptOptions
    @OptionGroup var trace: TraceOptions
    @Flag(help: "Prints one JSON object at the end.")
    var json = false

    func validate() throws {
        try checkPositive("max-tokens", maxTokens)
        if wish != nil, adultPrompt != nil {
            throw UsageError("WISH and --adult-prompt exclude each other", command: "story")
        }
        if adultPrompt != nil, source == .library || model == nil && (name != nil || length != nil) {
            throw UsageError(
                "tales need a WISH; --adult-prompt is not one", command: "story",
                suggestion: "Pass --model with a model that is not the bundled one, or a WISH.")
        }
        if pronoun != nil, name == nil {
            throw UsageError("--pronoun needs --name", command: "story")
        }
        try checkChoice()
        if free || noChoosing, source == .library || choice != nil { throw tellsNoTale }
        if judge, !json { throw UsageError("'--judge' goes with --json only", command: "story") }
        if speak, audio != nil {
            throw UsageError("--speak and --audio exclude each other", command: "story")
        }
        if voice != nil, !speak, audio == nil {
            throw UsageError("--voice needs --speak or --audio", command: "story")
        }
        guard (0...3600).contains(patience) else {
            throw UsageError("'--patience \(patience)' is out of range: expected 0 to 3600 seconds", command: "story")
        }
    }

    private func checkChoice() throws {
        let given = [("story", story), ("like", like), ("after", after)].filter { $0.1 != nil }.map(\.0)
        if given.count > 1 {
            throw UsageError("--\(given[0]) and --\(given[1]) exclude each other", command: "story")
        }
        if let evening {
            guard after != nil else { throw UsageError("--evening needs --after", command: "story") }
            guard StoryChoice.evenings.contains(evening) else {
                throw UsageError("'--evening \(evening)' is out of range: expected 2 to 365", command: "story")
            }
        }
        guard let option = given.first else { return }
        if wish != nil { throw UsageError("WISH and --\(option) exclude each other", command: "story") }
        if adultPrompt != nil {
            throw UsageError("--adult-prompt and --\(option) exclude each other", command: "story")
        }
        if model != nil || source == .model {
            throw UsageError("--\(option) tells a story that comes with Hearth, and uses no model", command: "story")
        }
    }

    /// The request, its output, and the device monitor.
    private struct Setting {
        var request: StoryRequest
        /// ID of the tale or finished story that is told; nil if a model writes freely.
        var tale: FinishedStory.ID?
        var source: StorySource
        var policy: HandoverPolicy
        var monitor: any DeviceMonitor
        var page: StoryPage
        var voice: StoryVoice?
    }

    mutating func run() async throws {
        try writing.compute.check()
        let begin = ContinuousClock.now
        let teller = model ?? ModelLocator.bundled
        try OutputPlace.check(audio, option: "--audio", command: "story", apartFrom: OutputPlace.models([teller]))
        try trace.begin(command: "story", model: teller, files: [("--audio", audio)])
        let energy = report ? EnergyMeter().read() : nil
        let setting = try setting(begin)
        Interruption.shared.setLastWords { [page = setting.page, voice = setting.voice] in
            voice?.silence()
            page.end(stop: .cancelled)
        }
        Interruption.shared.setLastAct { [voice = setting.voice] in voice?.silence() }
        RecentUse.record()
        do {
            let host = try await host(setting)
            setting.page.runner = host?.runner
            let (summary, changed) = try await tellToTheEnd(setting, host, begin)
            if let host { await writing.finish(host, context: nil) }
            var failure: (any Error)?
            do { try await setting.voice?.finish() } catch { failure = error }
            var row: DeviceRow?
            if let energy { row = await self.row(setting, host, summary, EnergyMeter().read().since(energy)) }
            Interruption.shared.finish { setting.page.end(stop: summary?.stop ?? .end, summary, report: row) }
            if let failure = failure ?? changed { throw failure }
        } catch {
            setting.voice?.silence()
            setting.page.abandon()
            throw error
        }
    }

    // MARK: - Setup

    private func setting(_ begin: ContinuousClock.Instant) throws -> Setting {
        // Errors of the command line are reported whatever the device's conditions.
        _ = try writing.engine.kernels()
        let piper = try PiperChoice(voice)
        let seed = seed ?? drawnSeed()
        let monitor = try simulation.monitor()
        var policy = HandoverPolicy()
        policy.patience = .milliseconds(Int(patience * 1000))
        let (subject, refused) = try subject(seed)
        var request = StoryRequest(subject, in: language, seed: seed)
        request.maximumTokens = maxTokens ?? (length == .long ? 2 : 1) * StoryRequest.defaultMaximumTokens
        request.maximumPlanTokens = maxTokens ?? request.maximumPlanTokens
        request.onFull = onFull
        request.child = try child()
        request.length = length
        request.choice = choice
        request.isModelChosen = model != nil
        request.manner = noChoosing ? .plain : free ? .chosen : .tale
        // The filter's lexicons are loaded at the same time as the model.
        DispatchQueue.global(qos: .userInitiated).async { [language] in Storyteller.prepare(language) }
        let source = try StorySource(
            choice == nil ? source : .library, isModelChosen: model != nil, hasWants: try needsTale(request),
            conditions: monitor.current(), policy: policy,
            locate: { try ModelLocator.using.path(of: model ?? ModelLocator.bundled) })
        let tale = tale(request, source, seed)
        let page = StoryPage(
            wish: adultPrompt == nil ? subject.wish?.id : nil, language: language, seed: seed, json: json,
            tale: tale, isFromLibrary: source.isTale,
            evening: after.map { _ in evening ?? StoryChoice.evenings.lowerBound }, judges: judge)
        let voice =
            speak || audio != nil
            ? try StoryVoice(file: audio, language: language, voice: piper.synthesizer, begun: begin) { page.aside($0) }
            : nil
        if let notice = piper.notice(for: language) { page.aside(notice) }
        page.voice = voice
        return Setting(
            request: request, tale: tale, source: refused ? .library(.theme) : source, policy: policy, monitor: monitor,
            page: page, voice: voice)
    }

    /// Starts loading the model; nil if the story comes from the library.
    private func host(_ setting: Setting) async throws -> ModelHost<TextEngine>? {
        guard case .model(let path) = setting.source else { return nil }
        try checkAdapters(path)
        let phrases = StoryPhrases(language)
        let page = setting.page
        let notices = DeviceNotices(
            wording: { [monitor = setting.monitor] reason, level in
                let conditions = monitor.current()
                var obstacle = HandoverPolicy().obstacle(conditions, needs: nil, isLoaded: true)
                if level == .suspended { obstacle = obstacle ?? .heat }
                guard let obstacle else {
                    return level == .reduced ? phrases.slower(isLowPower: conditions.isLowPower) : reason
                }
                // Before the first sentence nothing can be paused; a handover has its own notice.
                return page.hasTold ? phrases.pause(obstacle) : nil
            }, show: { page.note($0) })
        let host = try writing.host(
            path, context: nil, texts: isChosen(setting) ? Storyteller.candidates : 1,
            opening: Storyteller.opening(setting.request))
        await host.watch(setting.monitor, notices)
        return host
    }

    /// Adapters are the user's choice even where the model is not: one that does not fit is an error, not a reason for a
    /// finished story.
    private func checkAdapters(_ path: String) throws {
        guard !writing.adapters.lora.isEmpty else { return }
        let kernels = try writing.engine.kernels()
        try writing.adapters.check(
            for: ModelOpening(kernels: kernels).model(path, context: nil).model, kernels: kernels)
    }

    /// Whether the story is chosen from several texts that are generated together.
    private func isChosen(_ setting: Setting) -> Bool {
        guard setting.request.manner != .plain, setting.tale == nil, case .model(let path) = setting.source else {
            return false
        }
        return model == nil || setting.request.manner == .chosen && StoryPlan.isAnswered(byModelAt: path)
    }

    // MARK: - Telling

    /// - Returns: the summary, or the error to report after a finished story replaced the model's, because the chosen
    ///   model's file was changed.
    private func tellToTheEnd(
        _ setting: Setting, _ host: ModelHost<TextEngine>?, _ begin: ContinuousClock.Instant
    ) async throws -> (summary: GenerationSummary?, changed: (any Error)?) {
        do {
            return (try await tell(setting, host, begin), nil)
        } catch  where error.changedModelFile != nil && setting.page.hasTold {
            return (nil, error)
        }
    }

    private func tell(
        _ setting: Setting, _ host: ModelHost<TextEngine>?, _ begin: ContinuousClock.Instant
    ) async throws -> GenerationSummary? {
        let telling = Trace.shared.begin("tell")
        defer { Trace.shared.end(telling) }
        let (page, voice) = (setting.page, setting.voice)
        var summary: GenerationSummary?
        for try await event in events(setting, host) {
            switch event {
            case .title(let title): page.title(title)
            case .progress(let tokens):
                if tokens == 1 { Trace.shared.event("first token") }
                page.progress(tokens, at: (ContinuousClock.now - begin).milliseconds)
            case .sentence(let sentence, let startsParagraph):
                Trace.shared.event("sentence")
                page.add(sentence, startsParagraph: startsParagraph)
            case .spoken(let piece):
                Trace.shared.event("spoken")
                await voice?.say(piece)
            case .paused: page.pause()
            case .handover(let handover): page.handOver(handover)
            case .finished(let figures): summary = figures
            }
        }
        return summary
    }

    private func events(_ setting: Setting, _ host: ModelHost<TextEngine>?) -> AsyncThrowingStream<
        StoryEvent, any Error
    > {
        guard let host else {
            return switch setting.source {
            case .tale: Storyteller.tellTale(setting.request)
            case .library(let reason): Storyteller.tellFinished(setting.request, because: reason)
            case .model: Storyteller.tellFinished(setting.request, because: .unavailable)
            }
        }
        return Storyteller(
            runner: host.runner, pace: host.pace, policy: setting.policy,
            conditions: { [monitor = setting.monitor] in monitor.current() }
        ).tell(setting.request)
    }

    /// A row of the table of devices, after the story has been told.
    private func row(
        _ setting: Setting, _ host: ModelHost<TextEngine>?, _ summary: GenerationSummary?, _ energy: EnergyMeter.Energy
    ) async -> DeviceRow {
        guard case .model(let path) = setting.source else {
            return setting.page.fill(DeviceRow(model: "library", quantization: nil, energy: energy), nil)
        }
        let gguf = ModelOpening.isFolder(path) ? nil : try? GGUFFile(path: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var row = DeviceRow(model: name, quantization: gguf.map(ModelReport.quantization), energy: energy)
        row.coldLoadMS = await host?.runner.lastPreparation?.totalMS
        return setting.page.fill(row, summary)
    }
}

extension CommandFailure {
    /// An error for a story that another model could tell.
    init(_ error: StoryError) {
        switch error {
        case .languageNotSpoken(let language, let languages):
            self.init(
                .unavailable, "this model does not write \(language.name)",
                at: "--language \(language.rawValue); the model writes: \(languages.joined(separator: ", "))",
                todo: "Pass --model with a multilingual Gemma, such as gemma-3-1b-it.")
        case .noChatTemplate, .modelUnavailable, .bundledModelKnowsNoWants, .unusableName:
            self.init(error as any HearthError)
        }
    }
}

extension StorySource.Choice: ExpressibleByArgument {}
extension StoryLength: ExpressibleByArgument {}
extension StoryChild.Pronoun: ExpressibleByArgument {}
