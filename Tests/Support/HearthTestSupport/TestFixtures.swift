package import Foundation

/// The files of `Tests/Fixtures`, which several suites read.
package enum TestFixtures {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures")

    /// - Parameter name: a path below the folder.
    package static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
}
