// swift-tools-version: 6.1
import PackageDescription

/// Language features that a later Swift mode turns on by default; on from the first commit.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The floors of the house (see ARCHITECTURE.md): a target imports only floors below its own.
let package = Package(
    name: "Hearth",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Hearth", targets: ["Hearth"]),
        .executable(name: "hearth", targets: ["HearthCLI"]),
    ],
    targets: [
        // 6
        .executableTarget(
            name: "HearthCLI",
            dependencies: ["HearthFormats", "HearthCompute", "HearthSpeech", "HearthText", "HearthStory"],
            swiftSettings: strict),
        // Umbrella
        .target(
            name: "Hearth",
            dependencies: ["HearthFormats", "HearthCompute", "HearthSpeech", "HearthText", "HearthStory"],
            swiftSettings: strict),
        // 4
        .target(
            name: "HearthStory",
            dependencies: ["HearthSpeech", "HearthText"],
            resources: [.embedInCode("Resources/wishes.json")],
            swiftSettings: strict),
        // 3
        .target(name: "HearthText", dependencies: ["HearthFormats", "HearthCompute"], swiftSettings: strict),
        // 1
        .target(name: "HearthFormats", swiftSettings: strict),
        .target(name: "HearthCompute", dependencies: ["CHearthKernels"], swiftSettings: strict),
        .target(name: "HearthSpeech", swiftSettings: strict),
        // 0
        .target(name: "CHearthKernels"),

        .testTarget(name: "HearthFormatsTests", dependencies: ["HearthFormats"], swiftSettings: strict),
        .testTarget(
            name: "HearthComputeTests", dependencies: ["HearthCompute", "CHearthKernels"], swiftSettings: strict),
        .testTarget(
            name: "HearthTextTests", dependencies: ["HearthText", "HearthFormats", "HearthCompute"],
            swiftSettings: strict),
        .testTarget(name: "HearthSpeechTests", dependencies: ["HearthSpeech"], swiftSettings: strict),
        .testTarget(
            name: "HearthStoryTests", dependencies: ["HearthStory", "HearthText"], swiftSettings: strict),
        .testTarget(
            name: "HearthCLITests", dependencies: ["HearthCLI", "HearthFormats"], swiftSettings: strict),
        .testTarget(name: "HouseTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
