import HearthSpeech
import Testing

@Suite("Reading aloud while other things happen")
struct ReadAloudTests {
    /// The actions that a sequence of events leads to.
    private func actions(_ events: ReadAloud.Event...) -> [ReadAloud.Action] {
        var state = ReadAloud()
        return events.flatMap { state.take($0) }
    }

    @Test("A call pauses; afterwards it goes on where the system says so, and the listener otherwise")
    func interruptions() {
        #expect(actions(.interruptionBegan, .interruptionEnded(mayResume: true)) == [.pause, .resume])
        #expect(actions(.interruptionBegan, .interruptionEnded(mayResume: false)) == [.pause])
        #expect(actions(.interruptionBegan, .interruptionEnded(mayResume: false), .play) == [.pause, .resume])
        // The end of an interruption that nobody noticed changes nothing.
        #expect(actions(.interruptionEnded(mayResume: true)) == [])
        // Paused before the call, or during it: it stays so.
        #expect(actions(.pause, .interruptionBegan, .interruptionEnded(mayResume: true)) == [.pause])
        #expect(actions(.interruptionBegan, .pause, .interruptionEnded(mayResume: true)) == [.pause])
        #expect(
            actions(.interruptionBegan, .interruptionBegan, .interruptionEnded(mayResume: true)) == [.pause, .resume])
    }

    @Test("Unplugged headphones pause, and a call that ends does not undo it")
    func outputLost() {
        #expect(actions(.outputLost) == [.pause])
        #expect(actions(.outputLost, .interruptionBegan, .interruptionEnded(mayResume: true)) == [.pause])
        #expect(actions(.outputLost, .toggle, .toggle) == [.pause, .resume, .pause])
    }

    @Test("An engine that died is made anew, and sounds only if it did")
    func reset() {
        #expect(actions(.servicesReset) == [.rebuild, .resume])
        #expect(actions(.pause, .servicesReset, .play) == [.pause, .rebuild, .resume])
        #expect(actions(.engineStopped) == [.resume])
        #expect(actions(.pause, .engineStopped) == [.pause])
    }

    @Test("Stopped is stopped")
    func stopped() {
        #expect(actions(.stop, .play, .servicesReset, .interruptionBegan, .stop) == [.stop])
        #expect(actions(.pause, .sleepTimerEnded, .toggle) == [.pause, .stop])
    }

    @Test(
        "Any sequence of events: what sounds is never resumed, what is silent never paused, and nothing follows a stop")
    func anySequence() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var state = seed
        func next(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
        let events: [ReadAloud.Event] = [
            .interruptionBegan, .interruptionEnded(mayResume: true), .interruptionEnded(mayResume: false), .outputLost,
            .servicesReset, .engineStopped, .play, .pause, .toggle, .stop, .sleepTimerEnded,
        ]
        for _ in 0..<2000 {
            var machine = ReadAloud()
            for _ in 0..<20 {
                let before = machine.silence
                let event = events[next(UInt64(events.count))]
                let actions = machine.take(event)
                if before == .stopped { #expect(actions.isEmpty && machine.silence == .stopped) }
                if actions.contains(.pause) { #expect(before == nil && machine.silence != nil) }
                if actions.contains(.resume) { #expect(machine.silence == nil) }
                #expect((machine.silence == .stopped) == (before == .stopped || actions.contains(.stop)))
            }
        }
    }

    @Test("AVAudioSession's numbers")
    func notifications() {
        #expect(ReadAloud.Event(interruption: 1, options: 0, reason: nil) == .interruptionBegan)
        #expect(ReadAloud.Event(interruption: 1, options: 0, reason: 0) == .interruptionBegan)
        // Told only when the app is back: the sound had stopped with the app.
        #expect(ReadAloud.Event(interruption: 1, options: 0, reason: 1) == nil)
        #expect(ReadAloud.Event(interruption: 0, options: 1, reason: nil) == .interruptionEnded(mayResume: true))
        #expect(ReadAloud.Event(interruption: 0, options: 0, reason: nil) == .interruptionEnded(mayResume: false))
        #expect(ReadAloud.Event(interruption: nil, options: 1, reason: nil) == nil)
        #expect(ReadAloud.Event(routeChange: 2) == .outputLost)
        for reason: UInt? in [nil, 0, 1, 3, 4, 6, 7, 8] { #expect(ReadAloud.Event(routeChange: reason) == nil) }
    }

    @Test("The sleep timer fades, and ends between sentences")
    func sleepTimer() {
        let timer = SleepTimer(deadline: .seconds(600), fade: .seconds(60))
        #expect(timer.volume(at: .zero) == 1 && timer.volume(at: .seconds(540)) == 1)
        #expect(abs(timer.volume(at: .seconds(570)) - 0.65) < 1e-6)
        #expect(abs(timer.volume(at: .seconds(900)) - 0.3) < 1e-6)
        #expect(!timer.isOver(at: .milliseconds(599_999)) && timer.isOver(at: .seconds(600)))
        #expect(SleepTimer(deadline: .zero, fade: .zero).volume(at: .seconds(1)) == 1)
    }
}

@Suite("Pieces that a player has")
struct PlaybackQueueTests {
    @Test("Heard in order; a piece that was heard has been once")
    func order() {
        var queue = PlaybackQueue<String>()
        let tickets = ["a", "b", "c"].map { queue.add($0) }
        #expect(queue.count == 3 && queue.first == "a")
        // The end of a piece was missed: that of the next one tells.
        #expect(queue.heard(tickets[1]) && queue.count == 1 && queue.first == "c")
        #expect(!queue.heard(tickets[0]) && !queue.heard(tickets[1]) && queue.count == 1)
        #expect(queue.heard(tickets[2]) && queue.first == nil)
    }

    @Test("A player that was replaced is not believed; the new one gets what is left")
    func replaced() {
        var queue = PlaybackQueue<String>()
        let old = ["a", "b"].map { queue.add($0) }
        queue.heard(old[0])
        let new = queue.replacePlayer()
        #expect(new.map(\.piece) == ["b"])
        // A player that is stopped says of all its pieces that they are done.
        #expect(!queue.heard(old[1]) && queue.count == 1)
        let later = queue.add("c")
        #expect(queue.heard(new[0].ticket) && queue.first == "c")
        queue.clear()
        #expect(!queue.heard(later) && queue.count == 0)
    }
}

@Suite("Which installed voice reads")
struct VoiceChoiceTests {
    private let voices = [
        InstalledVoice(identifier: "compact.en-US", language: "en-US", quality: 1),
        InstalledVoice(identifier: "compact.en-GB", language: "en-GB", quality: 1),
        InstalledVoice(identifier: "enhanced.en-AU", language: "en-AU", quality: 2),
        InstalledVoice(identifier: "novelty.Bells", language: "en-US", quality: 3, isSpecial: true),
        InstalledVoice(identifier: "compact.zh-CN", language: "zh-CN", quality: 1),
        InstalledVoice(identifier: "premium.zh-TW", language: "zh-TW", quality: 3),
        InstalledVoice(identifier: "compact.zh-HK", language: "zh-HK", quality: 2),
        InstalledVoice(identifier: "compact.pt-BR", language: "pt-BR", quality: 1),
        InstalledVoice(identifier: "compact.pt-PT", language: "pt-PT", quality: 1),
    ]

    private func best(_ language: String, _ regions: String...) -> String? {
        VoiceChoice.best(of: voices, for: language, regions: regions)?.identifier
    }

    @Test("The best quality first, then the region that was asked for, then the device's")
    func order() {
        #expect(best("en") == "enhanced.en-AU")
        #expect(best("pt-PT") == "compact.pt-PT" && best("pt_BR") == "compact.pt-BR")
        #expect(best("pt", "PT") == "compact.pt-PT" && best("pt", "br", "PT") == "compact.pt-BR")
        #expect(best("pt-PT", "BR") == "compact.pt-PT")
        // Nobody prefers one: the same one each time.
        #expect(best("pt") == "compact.pt-BR")
        #expect(VoiceChoice.best(of: voices.reversed(), for: "pt")?.identifier == "compact.pt-BR")
    }

    @Test("Chinese is spoken as it is written; a language without a voice has none")
    func languages() {
        #expect(best("zh-Hans") == "compact.zh-CN" && best("zh") == "compact.zh-CN")
        #expect(best("zh-Hant") == "premium.zh-TW" && best("zh-TW") == "premium.zh-TW")
        #expect(
            best("zh-HK") == "compact.zh-HK" && best("zh-Hant-HK") == "compact.zh-HK" && best("yue") == "compact.zh-HK")
        #expect(best("de") == nil && best("") == nil)
    }

    @Test("Samples beyond full scale are cut off")
    func samples() {
        #expect([-2, -1, 0, 0.5, 1, 9].map { SpeechAudio.sample($0) } == [-32767, -32767, 0, 16384, 32767, 32767])
        #expect(SpeechAudio.sample(.nan) == 0 && SpeechAudio.sample(.infinity) == 32767)
    }
}
