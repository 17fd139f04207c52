// swift-tools-version: 6.2
import PackageDescription

// What an app does with Hearth, each in one file. `swift run --package-path Examples Story`.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Hearth", path: "..")],
    targets: ["Story", "Chat", "ChatTool", "Classify", "Guard", "WarmStart"].map { name in
        .executableTarget(name: name, dependencies: [.product(name: "Hearth", package: "Hearth")])
    },
    swiftLanguageModes: [.v6]
)
