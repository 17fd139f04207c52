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

    /// - Parameter model: the model that was asked for; nil for the bundled one, whose faults nobody here can mend.
    /// - Throws: what is wrong with a model that was asked for, also when the device would not let it run.
    init(model: String?, conditions: DeviceConditions, policy: HandoverPolicy) throws {
        let path: String
        do {
            path = try ModelLocator.using.path(of: model ?? ModelLocator.bundled)
        } catch {
            guard model == nil else { throw error }
            self = .library(.missing)
            return
        }
        guard let reason = policy.obstacle(conditions, needs: Self.needs(path)) else {
            self = .model(path: path)
            return
        }
        if model != nil, !ModelOpening.isFolder(path) { _ = try TextModel(path: path) }
        self = .library(reason)
    }

    /// What a model of that size takes, before it is opened: its weights are mapped, and caches and indices grow with them.
    private static func needs(_ path: String) -> ModelNeeds? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: RealPath.of(path) ?? path),
            let size = attributes[.size] as? Int, !ModelOpening.isFolder(path)
        else { return nil }
        return ModelNeeds(mapped: size, dirty: size / 8 + (32 << 20))
    }
}
