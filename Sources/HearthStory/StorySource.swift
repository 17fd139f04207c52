package import HearthRuntime
internal import HearthSystem
internal import HearthText

/// Where a story will come from: a model, a finished story, or a tale. Decided before anything is loaded.
package enum StorySource: Sendable {
    case model(path: String)
    case library(HandoverReason)
    /// Because it was asked for.
    case tale

    /// Who is to tell the story.
    package enum Choice: String, CaseIterable, Sendable { case auto, model, library }

    /// - Parameters:
    ///   - choice: who is to tell.
    ///   - isModelChosen: whether a model was asked for. If not, `locate` finds the bundled one, whose faults nobody here can mend.
    ///   - hasWants: whether a name or a length is wanted, which the bundled model does not know.
    ///   - conditions: of the device, now.
    ///   - locate: finds the model's file.
    /// - Throws: what is wrong with a chosen model, even where the device would not let it run; where only a model may tell,
    ///   ``StoryError``, and what `locate` throws.
    package init(
        _ choice: Choice, isModelChosen: Bool, hasWants: Bool, conditions: DeviceConditions, policy: HandoverPolicy,
        locate: () throws -> String
    ) throws {
        if choice == .library || choice == .auto && !isModelChosen && hasWants {
            self = .tale
            return
        }
        guard !hasWants || isModelChosen else { throw StoryError.bundledModelKnowsNoWants }
        let path: String
        do {
            path = try locate()
        } catch {
            guard !isModelChosen, choice == .auto else { throw error }
            self = .library(.missing)
            return
        }
        let size = Self.size(of: path)
        guard let reason = policy.obstacle(conditions, needs: size.map(Self.needs)) else {
            self = .model(path: path)
            return
        }
        // The folder of a compiled artifact was checked when that was made.
        if isModelChosen, !FileAccess.isFolder(path) { _ = try TextModel(path: path) }
        guard choice == .auto else { throw StoryError.modelUnavailable(reason) }
        self = .library(reason)
    }

    package var isTale: Bool { if case .tale = self { true } else { false } }

    /// Bytes of a model's file; nil for a folder.
    private static func size(of path: String) -> Int? {
        guard let status = try? SystemFiles().status(RealPath.of(path) ?? path), status.kind == .file else {
            return nil
        }
        return status.size
    }

    /// What a model of that size takes, before it is opened: its weights are mapped, and caches and indices grow with them.
    private static func needs(_ size: Int) -> ModelNeeds { ModelNeeds(mapped: size, dirty: size / 8 + (32 << 20)) }
}
