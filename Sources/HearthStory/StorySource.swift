package import HearthRuntime
internal import HearthSystem
internal import HearthText

/// The source of a story: a model, a finished story, or a tale. Decided before anything is loaded.
package enum StorySource: Sendable {
    case model(path: String)
    case library(HandoverReason)
    /// A tale, because it was requested.
    case tale

    /// The requested source.
    package enum Choice: String, CaseIterable, Sendable { case auto, model, library }

    /// Selects the source.
    /// - Parameters:
    ///   - choice: the requested source.
    ///   - isModelChosen: whether a model was requested. If not, `locate` finds the bundled one, whose problems the user cannot
    ///     fix.
    ///   - hasWants: whether a name or a length is requested, which the bundled model does not support.
    ///   - conditions: the current conditions of the device.
    ///   - locate: finds the model's file.
    /// - Throws: the error of an unusable requested model, even if the device could not run it; if only a model may tell the
    ///   story, ``StoryError`` or what `locate` throws.
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
        // The folder of a compiled artifact was validated when it was compiled.
        if isModelChosen, !FileAccess.isFolder(path) { _ = try TextModel(path: path) }
        guard choice == .auto else { throw StoryError.modelUnavailable(reason) }
        self = .library(reason)
    }

    package var isTale: Bool { if case .tale = self { true } else { false } }

    /// The size of a model's file in bytes; nil for a folder.
    private static func size(of path: String) -> Int? {
        guard let status = try? SystemFiles().status(RealPath.of(path) ?? path), status.kind == .file else {
            return nil
        }
        return status.size
    }

    /// Estimated memory of a model of that size before it is opened: its weights are mapped; caches and indices grow with them.
    private static func needs(_ size: Int) -> ModelNeeds { ModelNeeds(mapped: size, dirty: size / 8 + (32 << 20)) }
}
