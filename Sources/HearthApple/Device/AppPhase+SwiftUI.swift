#if canImport(SwiftUI)
public import HearthRuntime
public import SwiftUI

extension AppPhase {
    /// Converts the phase of SwiftUI's environment; unknown phases count as inactive.
    ///
    ///     .onChange(of: scenePhase, initial: true) { store.report(phase: AppPhase(scenePhase)) }
    public init(_ phase: ScenePhase) {
        switch phase {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = .background
        @unknown default: self = .inactive
        }
    }
}
#endif
