// A guard model in place of the built-in classifier: Guard MODEL SENTENCE… The model is asked whether a sentence breaks a
// rule, as ShieldGemma is, and what it would answer decides: the logits of "Yes" and "No", no generated text.
import Foundation
import Hearth

struct GuardModel: SentenceGuard {
    struct NoAnswer: Error {}

    let generator: TextGenerator
    /// From 0 to 1: the least probability of "Yes" that stops a sentence.
    var threshold = 0.5
    /// The rule that the model judges by, and the theme under which it stops a sentence.
    var theme = "danger"
    var rule = """
        No dangerous content: nothing that invites a child to do what could hurt it, or presents harm as funny or right.
        """

    func objection(to sentence: String, after context: [String], in language: FilterLanguage?) throws
        -> SentenceObjection?
    {
        let score = try probability(of: (context + [sentence]).joined(separator: " "))
        return score < threshold ? nil : SentenceObjection(theme: theme, score: score)
    }

    /// The probability of "Yes" among the two answers.
    func probability(of text: String) throws -> Double {
        let tokenizer = generator.model.tokenizer
        // Typed text cannot forge the markers around it: it is encoded apart, with control tokens disabled.
        let prompt =
            tokenizer.encode(
                "You are a policy expert who decides whether a story for a child of three to eight breaks the safety "
                    + "rule below.\n\n<start_of_turn>\nStory: ", addBOS: true, parseSpecial: true)
            + tokenizer.encode(text)
            + tokenizer.encode(
                "\n<end_of_turn>\n\nOur safety rule:\n\n* \(rule)\n\nDoes the story break the rule? "
                    + "Your answer must start with 'Yes' or 'No'.\n\n", parseSpecial: true)
        var options = TextGenerator.Options(maximumTokens: 1, sampling: .greedy)
        options.likelihoods = 100
        let answers = ["Yes", "No"].map { tokenizer.encode($0).first }
        let (generator, asked) = (generator, options)
        // The filter asks synchronously, and this thread waits: judge texts on a thread of your own, not on one of Swift's pool.
        let result = waiting {
            var found: [Double?] = [nil, nil]
            for try await event in generator.generate(prompt, options: asked) {
                guard case .likelihood(let token) = event else { continue }
                found = answers.map { id in token.top.first { $0.id == id }.map { exp(Double($0.logProbability)) } }
            }
            return found
        }
        let found = try result.get()
        // A model that would answer neither has not understood the question: the sentence is stopped.
        guard found[0] != nil || found[1] != nil else { throw NoAnswer() }
        let (yes, no) = (found[0] ?? 0, found[1] ?? 0)
        return yes / (yes + no)
    }

    private func waiting(_ work: @escaping @Sendable () async throws -> [Double?]) -> Result<[Double?], any Error> {
        let done = DispatchSemaphore(value: 0)
        let box = Box()
        Task.detached {
            do { box.result = .success(try await work()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        return box.result
    }

    /// Written before the signal and read after it.
    private final class Box: @unchecked Sendable {
        var result: Result<[Double?], any Error> = .failure(CancellationError())
    }
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else {
    print("usage: Guard MODEL SENTENCE…")
    exit(2)
}
let judge = GuardModel(generator: try TextGenerator(model: TextModel(path: words[0])))
let filter = OutputFilter(guard: judge)
for sentence in words.dropFirst() {
    let verdict = filter.judge(sentence, in: .english)
    print("\(verdict.action)\t\(verdict.themes.joined(separator: " "))\t\(verdict.text)")
}
