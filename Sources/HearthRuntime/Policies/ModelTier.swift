/// Which model a device can run.
package enum ModelTier: String, Sendable, Codable, CaseIterable {
    case large, small
    /// The system's own language model.
    case system
    /// No model: stories come from the library.
    case libraryOnly
}

/// The memory that a model needs, in bytes.
package struct ModelNeeds: Sendable, Equatable, Codable {
    /// Weights, mapped from their file: the system may drop pages and read them again.
    package var mapped: Int
    /// Memory that cannot be reclaimed: caches, activations, indices.
    package var dirty: Int

    /// Negative numbers count as 0.
    package init(mapped: Int, dirty: Int) {
        self.mapped = max(0, mapped)
        self.dirty = max(0, dirty)
    }

    /// Both, without overflow.
    package var total: Int {
        let sum = mapped.addingReportingOverflow(dirty)
        return sum.overflow ? .max : sum.partialValue
    }
}

/// Chooses the largest model that fits a device's memory. A model fits if
///
/// - all its memory is at most `workingShare` of what the device has, or of this process's limit if that is less: each token
///   reads every weight, and reclaimed pages are read again at the speed of the disk;
/// - the part that cannot be reclaimed is at most `availableShare` of what is available now.
///
/// An unknown value does not rule out the small model, but rules out the large one.
package struct ModelTierPolicy: Sendable, Equatable {
    /// The large model; by default Gemma 3 with 1B parameters in Q8_0 with a cache of 2048 tokens.
    package var large = ModelNeeds(mapped: 1_070_000_000, dirty: 200_000_000)
    /// The small model; by default Gemma 3 with 270M parameters in Q8_0 with a cache of 2048 tokens.
    package var small = ModelNeeds(mapped: 292_000_000, dirty: 100_000_000)
    /// Share of all memory; the rest is for the system, the app and other programs.
    package var workingShare = 0.6
    /// Share of the memory available now; the rest is for the app's other work.
    package var availableShare = 0.5

    /// The models that Hearth is designed for.
    package init() {}

    /// A tier, and why.
    package struct Decision: Sendable, Equatable {
        /// The model that fits.
        package var tier: ModelTier
        /// One sentence for the user.
        package var reason: String
    }

    /// - Parameters:
    ///   - total: bytes of the device's memory.
    ///   - limit: bytes that this process may use.
    ///   - available: bytes that are available now.
    package func decide(total: Int?, limit: Int?, available: Int?) -> Decision {
        let capacity = [total, limit].compactMap(\.self).min()
        guard let capacity else {
            return Decision(
                tier: .small, reason: "Nobody says how much memory there is; the small model is the safe one.")
        }
        var obstacle = ""
        for (tier, needs) in [(ModelTier.large, large), (.small, small)] {
            guard let problem = self.obstacle(needs, capacity: capacity, available: available) else {
                let fits =
                    "The \(tier.rawValue) model needs \(ByteText.text(needs.total)) of \(ByteText.text(capacity))"
                return Decision(tier: tier, reason: obstacle.isEmpty ? "\(fits)." : "\(obstacle); the small one fits.")
            }
            obstacle = "The \(tier.rawValue) model \(problem)"
        }
        return Decision(tier: .libraryOnly, reason: "\(obstacle); stories come from the library.")
    }

    /// The decision for a device's conditions. If the system has its own model, it is used instead of any but the large model: it is
    /// larger than the other models that fit, and uses the system's memory.
    package func decide(
        _ conditions: DeviceConditions, system: SystemModelAvailability = .noFramework
    ) -> Decision {
        let own = decide(
            total: conditions.memoryTotal, limit: conditions.memoryLimit, available: conditions.memoryAvailable)
        guard own.tier != .large, system == .available else { return own }
        return Decision(
            tier: .system, reason: "The large model does not fit, and the system's own takes none of the app's memory.")
    }

    /// Why a model does not fit, as the end of a sentence; nil if it does.
    private func obstacle(_ needs: ModelNeeds, capacity: Int, available: Int?) -> String? {
        if Double(needs.total) > Double(capacity) * workingShare {
            return "needs \(ByteText.text(needs.total)), too much of \(ByteText.text(capacity))"
        }
        if let available, Double(needs.dirty) > Double(available) * availableShare {
            return "needs \(ByteText.text(needs.dirty)) that cannot be dropped, too much of "
                + "\(ByteText.text(available)) available now"
        }
        return nil
    }
}
