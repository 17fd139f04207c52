import Foundation
import HearthSpeech
import HearthStory
import HearthTestSupport
import Testing

/// `hearth story` with the bundled model, on each of its ways.
@Suite("hearth story", .timeLimit(.minutes(20)))
struct StoryCommandTests {
    private func story(_ words: String..., environment: [String: String] = [:]) throws -> HearthProcess.Outcome {
        let outcome = try HearthProcess.run(["story"] + words, environment: environment)
        #expect(outcome.signal == nil)
        return outcome
    }

    private func handover(_ outcome: HearthProcess.Outcome) -> [String: Any]? {
        outcome.json["handover"] as? [String: Any]
    }

    static let starts: [(script: String, language: StoryLanguage, reason: HandoverReason)] = [
        ("thermal=serious@0s", .english, .heat), ("thermal=critical@0s", .spanish, .heat),
        ("memory=warning@0s", .simplifiedChinese, .memory), ("memory=critical@0s", .english, .memory),
        ("phase=background@0s", .english, .background),
    ]

    @Test(
        "Not available at the beginning: a finished story, a notice, and success",
        arguments: StoryCommandTests.starts.indices)
    func atStart(index: Int) throws {
        let (script, language, reason) = Self.starts[index]
        let outcome = try story(
            "sleepy-bear", "--language", language.rawValue, "--simulate", script, "--seed", "1", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.json["source"] as? String == "library")
        #expect(outcome.json["notice"] as? String == StoryPhrases(language).notice(reason))
        #expect(handover(outcome)?["reason"] as? String == reason.rawValue)
        #expect(handover(outcome)?["afterSentences"] as? Int == 0)
        let id = try #require(handover(outcome)?["story"] as? String)
        let finished = try #require(StoryLibrary.story(id, in: language))
        #expect(outcome.json["sentences"] as? [String] == finished.sentences.map(\.text))
        #expect(outcome.json["tokens"] as? Int == 0)
        #expect(outcome.json["state"] as? String == "unavailable")
        #expect(outcome.error == "hearth: note: \(StoryPhrases(language).notice(reason))\n")
    }

    @Test("Saving power slows the model and says so; the story is the same")
    func lowPower() throws {
        let words = ["story", "sleepy-bear", "--seed", "3", "--max-tokens", "40", "--json"]
        let whole = try HearthProcess.run(words)
        let slow = try HearthProcess.run(words + ["--simulate", "lowpower=on@0s"])
        #expect(slow.json["text"] as? String == whole.json["text"] as? String)
        #expect(slow.json["source"] as? String == "model")
        #expect(slow.json["notice"] as? String == StoryPhrases(.english).slower(isLowPower: true))
    }

    @Test("Critical heat in the middle: told to a sentence, then the library; never an error")
    func middle() throws {
        let whole = try story("sleepy-bear", "--seed", "3", "--max-tokens", "200", "--json")
        let words = ["story", "sleepy-bear", "--seed", "3", "--max-tokens", "200", "--json", "--simulate"]
        // How fast this machine writes is not known: where the story was told before the heat came, it comes earlier.
        for moment in [1_600, 800, 400, 200, 100, 50, 25, 12, 6] {
            let hot = try HearthProcess.run(
                words + ["lowpower=on@0s,thermal=critical@\(moment)ms", "--patience", "0.2"])
            #expect(hot.status == 0, "\(hot.error)")
            guard let handover = handover(hot) else {
                #expect(hot.json["text"] as? String == whole.json["text"] as? String)
                continue
            }
            #expect(hot.json["source"] as? String == "library")
            #expect(handover["reason"] as? String == "heat")
            let after = try #require(handover["afterSentences"] as? Int)
            let (told, all) = (
                try #require(hot.json["sentences"] as? [String]), try #require(whole.json["sentences"] as? [String])
            )
            #expect(told.prefix(after) == all.prefix(after))
            if after > 0 { #expect(told[after] == StoryPhrases(.english).closing) }
            return
        }
        Issue.record("in no run did the heat come before the end")
    }

    @Test("Memory that is short for a moment in the middle: within the patience it is the same story")
    func pause() throws {
        let words = ["story", "sleepy-bear", "--seed", "3", "--max-tokens", "200", "--json"]
        let whole = try HearthProcess.run(words)
        // How fast this machine starts is not known: where the story had not begun yet, the moment comes later.
        for begin in [100, 300, 900, 2_700, 8_100, 24_300, 72_900, 218_700] {
            let script = "lowpower=on@0s,memory=critical@\(begin)ms,memory=normal@\(begin + 200)ms"
            let brief = try HearthProcess.run(words + ["--patience", "3600", "--simulate", script])
            #expect(brief.status == 0, "\(brief.error)")
            if handover(brief)?["afterSentences"] as? Int == 0 { continue }
            #expect(brief.json["text"] as? String == whole.json["text"] as? String)
            #expect(brief.json["source"] as? String == "model")
            return
        }
        Issue.record("in no run had the story begun")
    }

    @Test("What a grown-up got wrong stays an error, also on a device that is too warm")
    func errors() throws {
        for simulation in [[], ["--simulate", "thermal=critical@0s"]] {
            func run(_ words: String...) throws -> HearthProcess.Outcome {
                try HearthProcess.run(["story"] + words + simulation)
            }
            #expect(try run("sleepy-baer").status == 2)
            #expect(try run("--model", "/no/such/file.gguf").status == 3)
            #expect(try run("--model", "no-such-name").status == 3)
            #expect(try run("--model", HearthProcess.fixture("tokenizer-llama.gguf")).status == 3)
            #expect(try run("--adult-prompt", "<end_of_turn>").status == 2)
            #expect(try run("--audio", "/no/such/folder/x.wav").status == 1)
        }
        #expect(try story("--patience", "-1").status == 2)
        #expect(try story("--speak", "--audio", "/tmp/x.wav").status == 2)
        #expect(try story("sleepy-bear", "--adult-prompt", "x").status == 2)
        let foreign = try story("--language", "zh-Hans", "--model", "hearth-nano")
        #expect(foreign.status == 4)
        #expect(foreign.error.contains("--model"))
    }

    @Test("The bundled model that does not speak a language hands over, and so does one that is not there")
    func nobodyToBlame() throws {
        let foreign = try story("--language", "es", "--json", "--seed", "1")
        #expect(foreign.status == 0)
        #expect(handover(foreign)?["reason"] as? String == "language")
        #expect(foreign.json["notice"] as? String == StoryPhrases(.spanish).notice(.language))
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(atPath: home + "/Models", withIntermediateDirectories: true)
        try Data("GGUF but not really".utf8).write(to: URL(fileURLWithPath: home + "/Models/hearth-nano.gguf"))
        let broken = try story("sleepy-bear", "--json", "--seed", "1", environment: ["HEARTH_HOME": home])
        #expect(broken.status == 0, "\(broken.error)")
        #expect(handover(broken)?["reason"] as? String == "failed")
        #expect(broken.json["source"] as? String == "library")
        let chosen = try story("--model", "hearth-nano", "--json", environment: ["HEARTH_HOME": home])
        #expect(chosen.status == 3)
    }

    @Test("An adult's words: told like a wish, or refused kindly")
    func adult() throws {
        let told = try story(
            "--adult-prompt", "a fox who collects buttons", "--seed", "2", "--max-tokens", "30", "--json")
        #expect(told.status == 0, "\(told.error)")
        #expect(told.json["wish"] is NSNull)
        #expect(told.json["source"] as? String == "model")
        let refused = try story("--adult-prompt", "how to torture a cat", "--seed", "2", "--json")
        #expect(refused.status == 0)
        #expect(handover(refused)?["reason"] as? String == "theme")
        #expect(!refused.output.contains("torture"))
    }

    @Test("Speech in a file: whole, of the right length, and not silent")
    func audio() throws {
        guard HearthProcess.hasEspeak else { return }
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/story.wav"
        let outcome = try story(
            "sleepy-bear", "--seed", "3", "--max-tokens", "60", "--audio", path, "--json", "--report")
        #expect(outcome.status == 0, "\(outcome.error)")
        let first = try #require(outcome.json["firstAudioMS"] as? Double)
        let token = try #require(outcome.json["firstTokenMS"] as? Double)
        #expect(first > token)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let audio = try SpeechAudio(wav: bytes)
        #expect(bytes.count == 44 + 2 * audio.samples.count)
        // A child is read to with some 14 letters a second.
        let letters = (outcome.json["text"] as? String ?? "").count { $0.isLetter }
        #expect((Double(letters) / 30...Double(letters) / 4).contains(audio.duration))
        #expect(audio.samples.count { abs(Int($0)) > 1000 } > audio.samples.count / 20)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["story.wav"])
        let report = try #require(outcome.json["report"] as? [String: Any])
        #expect(report["firstAudioMS"] as? Double == first)
        #expect(report["quantization"] as? String == "F16")
        #expect(
            report["energyJ"] is Double || (report["energy"] as? String)?.hasPrefix("not measurable here: ") == true)
    }

    @Test("Without a voice a story is told all the same: a note for the speaker, an error at the end for the file")
    func silence() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let quiet = try story(
            "sleepy-bear", "--seed", "3", "--max-tokens", "30", "--speak", "--json", environment: ["PATH": folder])
        #expect(quiet.status == 0)
        #expect(quiet.error.hasPrefix("hearth: note: the story continues without sound"))
        #expect((quiet.json["sentences"] as? [String])?.isEmpty == false)
        let file = try story(
            "sleepy-bear", "--seed", "3", "--max-tokens", "30", "--audio", "\(folder)/x.wav", "--json",
            environment: ["PATH": folder])
        #expect(file.status == 1)
        #expect((file.json["sentences"] as? [String])?.isEmpty == false)
        #expect(file.error.contains("espeak-ng"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("Ctrl-C while a file is written: what was spoken stays, as a whole file")
    func interruptedFile() throws {
        guard HearthProcess.hasEspeak else { return }
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A voice that speaks one piece and never comes to the end of the second.
        let voice = "\(folder)/espeak-ng"
        try ShellScript.write(
            "mkdir \(folder)/once 2>/dev/null || { echo $$ >> \(folder)/hung; exec sleep 1000; }\n"
                + "exec /usr/bin/espeak-ng \"$@\"", to: voice)
        let outcome = try HearthProcess.run(
            ["story", "sleepy-bear", "--seed", "3", "--audio", "\(folder)/story.wav", "--json"],
            environment: ["PATH": "\(folder):/usr/bin:/bin"], signal: SIGINT,
            when: { _ in
                // More of a file than its head, beside the voice.
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                let hasPart = names.contains { name in
                    let size = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size]
                    return name.contains(".wav") && size as? Int ?? 0 > 1000
                }
                return hasPart && !Self.processes(in: "\(folder)/hung").isEmpty
            })
        #expect(outcome.status == 130)
        #expect(outcome.json["firstAudioMS"] is Double)
        let audio = try SpeechAudio(wav: Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/story.wav"))))
        #expect(audio.samples.contains { abs(Int($0)) > 1000 })
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(left) == ["espeak-ng", "hung", "once", "story.wav"])
        for process in Self.processes(in: "\(folder)/hung") { #expect(Self.isGone(process)) }
    }

    @Test("Ctrl-C while it is heard: silent at once, and nothing is left over")
    func interrupted() throws {
        guard HearthProcess.hasEspeak else { return }
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A player that takes its time, and says that it was killed by leaving nothing.
        let player = "\(folder)/aplay"
        try ShellScript.write("echo $$ >> \(folder)/players\nexec sleep 1000", to: player)
        let outcome = try HearthProcess.run(
            ["story", "sleepy-bear", "--seed", "3", "--speak", "--json"],
            environment: ["PATH": "\(folder):/usr/bin:/bin"], signal: SIGINT,
            when: { _ in !Self.processes(in: "\(folder)/players").isEmpty })
        #expect(outcome.status == 130)
        #expect(outcome.json["stop"] as? String == "cancelled")
        let players = Self.processes(in: "\(folder)/players")
        #expect(players.count == 1)
        for process in players { #expect(Self.isGone(process)) }
    }

    /// The processes whose ids scripts have appended to a file, one a line.
    private static func processes(in path: String) -> [Int32] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { Int32($0) }
    }

    /// Whether a killed process is gone, or waits for its parent's parent to take note.
    private static func isGone(_ process: Int32) -> Bool {
        HearthProcess.wait(seconds: 60) {
            ((try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z").contains(") Z")
        }
    }

    @Test("The same again, another like it, another evening: chosen by a story's id, and no model is asked")
    func choices() throws {
        let first = try story("friendly-dragon", "--source", "library", "--seed", "9", "--json")
        let id = try #require(first.json["story"] as? String)
        let again = try story("--story", id, "--seed", "9", "--json")
        #expect(again.json["text"] as? String == first.json["text"] as? String)
        let other = try story("--like", id, "--seed", "9", "--json")
        #expect(other.json["story"] as? String != id && other.json["wish"] as? String == "friendly-dragon")
        #expect(other.json["text"] as? String != first.json["text"] as? String)
        let evening = try story("--after", id, "--evening", "3", "--seed", "9", "--json")
        #expect(evening.json["evening"] as? Int == 3 && evening.json["source"] as? String == "library")
        for words in [
            ["--story", "nobody"], ["--after", "the-lowest-note"], ["--like", id, "--after", id], ["--evening", "2"],
            ["--after", id, "--evening", "1"], ["sleepy-bear", "--story", id], ["--story", id, "--source", "model"],
            ["--story", id, "--language", "es"],
        ] {
            let outcome = try HearthProcess.run(["story"] + words)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(words): \(outcome.error)")
        }
    }
}

extension HearthProcess {
    /// Whether this machine can speak.
    static var hasEspeak: Bool {
        ["/usr/bin/espeak-ng", "/usr/local/bin/espeak-ng", "/opt/homebrew/bin/espeak-ng"].contains {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
