import Foundation
import HearthModels
import HearthRuntime
import HearthStory
import HearthSystem
import HearthText

/// Where a story will come from: a model, or at once the library. Decided before anything is loaded.
enum StorySource {
    case model(path: String)
    case library(HandoverReason)
    /// Because it was asked for.
    case tale

    /// Who tells, as `--source` says it.
    enum Choice: String, CaseIterable, ExpressibleByArgument { case auto, model, library }

    /// - Parameters:
    ///   - choice: who is to tell.
    ///   - model: the model that was asked for; nil for the bundled one, whose faults nobody here can mend.
    ///   - hasWants: whether a name or a length is wanted, of which the bundled model knows nothing.
    /// - Throws: what is wrong with a model that was asked for, also when the device would not let it run; where only a model may
    ///   tell, also what keeps it from it.
    init(
        _ choice: Choice, model: String?, hasWants: Bool, conditions: DeviceConditions, policy: HandoverPolicy
    ) throws {
        if choice == .library || choice == .auto && model == nil && hasWants {
            self = .tale
            return
        }
        guard !hasWants || model != nil else {
            throw UsageError(
                "the bundled model knows no names and no lengths", command: "story",
                suggestion: "Leave out --source model, or pass another --model.")
        }
        let path: String
        do {
            path = try ModelLocator.using.path(of: model ?? ModelLocator.bundled)
        } catch {
            guard model == nil, choice == .auto else { throw error }
            self = .library(.missing)
            return
        }
        guard let reason = policy.obstacle(conditions, needs: Self.needs(path)) else {
            self = .model(path: path)
            return
        }
        if model != nil, !ModelOpening.isFolder(path) { _ = try TextModel(path: path) }
        guard choice == .auto else {
            throw CommandFailure(
                .unavailable, "the model cannot tell a story on this device now: \(reason.rawValue)",
                at: "--source model",
                todo: "Try again later, or leave out --source.")
        }
        self = .library(reason)
    }

    var isTale: Bool { if case .tale = self { true } else { false } }

    /// What a model of that size takes, before it is opened: its weights are mapped, and caches and indices grow with them.
    private static func needs(_ path: String) -> ModelNeeds? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: RealPath.of(path) ?? path),
            let size = attributes[.size] as? Int, !ModelOpening.isFolder(path)
        else { return nil }
        return ModelNeeds(mapped: size, dirty: size / 8 + (32 << 20))
    }
}

extension StoryLength: ExpressibleByArgument {}
extension StoryChild.Pronoun: ExpressibleByArgument {}
