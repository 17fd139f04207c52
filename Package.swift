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
        .library(name: "HearthServer", targets: ["HearthServer"]),
        .library(name: "HearthCompression", targets: ["HearthCompression", "HearthCalibration"]),
        .executable(name: "hearth", targets: ["HearthCLI", "CHearthCommit"]),
    ],
    targets: [
        // 6
        .executableTarget(
            name: "HearthCLI",
            dependencies: [
                "HearthSystem", "HearthFormats", "HearthCompute", "HearthSpeech", "HearthSafety", "HearthRuntime",
                "HearthDelivery", "HearthText", "HearthVision", "HearthCompression", "HearthCalibration", "HearthStory",
                "HearthModels", "HearthSimulation", "HearthServer",
            ],
            swiftSettings: strict),
        // 5
        .target(
            name: "HearthServer",
            dependencies: [
                "HearthSystem", "HearthCompute", "HearthSafety", "HearthSpeech", "HearthRuntime", "HearthDelivery",
                "HearthText", "HearthStory", "CHearthPage",
            ],
            swiftSettings: strict),
        // Umbrella
        .target(
            name: "Hearth",
            dependencies: [
                "HearthSystem", "HearthFormats", "HearthCompute", "HearthSpeech", "HearthSafety", "HearthRuntime",
                "HearthDelivery", "HearthText", "HearthVision", "HearthStory", "HearthModels",
            ],
            swiftSettings: strict),
        // 4
        .target(
            name: "HearthModels",
            dependencies: [
                "HearthSystem", "HearthFormats", "HearthCompute", "HearthRuntime", "HearthDelivery", "HearthText",
                "HearthVision",
            ],
            swiftSettings: strict),
        .target(
            name: "HearthStory",
            dependencies: [
                "HearthSystem", "HearthCompute", "HearthSpeech", "HearthSafety", "HearthRuntime", "HearthText",
                "CHearthStories",
            ],
            resources: [.embedInCode("Resources/wishes.json")],
            swiftSettings: strict),
        .target(
            name: "HearthCalibration",
            dependencies: ["HearthSystem", "HearthCompute", "HearthVision", "HearthCompression"],
            swiftSettings: strict),
        // 3
        .target(
            name: "HearthText",
            dependencies: ["HearthSystem", "HearthFormats", "HearthCompute", "HearthRuntime", "HearthDelivery"],
            swiftSettings: strict),
        .target(
            name: "HearthVision",
            dependencies: [
                "HearthSystem", "HearthFormats", "HearthCompute", "HearthRuntime", "HearthDelivery", "CTurboJPEG",
                "CPNG",
            ],
            swiftSettings: strict),
        .target(
            name: "HearthCompression",
            dependencies: ["HearthSystem", "HearthFormats", "HearthRuntime", "CHearthCompression"],
            swiftSettings: strict),
        .target(name: "HearthSimulation", dependencies: ["HearthSystem", "HearthRuntime"], swiftSettings: strict),
        // 2
        .target(name: "HearthRuntime", dependencies: ["HearthSystem"], swiftSettings: strict),
        .target(name: "HearthDelivery", dependencies: ["HearthSystem", "CCurl"], swiftSettings: strict),
        // 1
        .target(name: "HearthFormats", dependencies: ["HearthSystem"], swiftSettings: strict),
        .target(name: "HearthCompute", dependencies: ["CHearthKernels", "CHearthSystem"], swiftSettings: strict),
        .target(name: "HearthSafety", dependencies: ["CHearthLexicon"], swiftSettings: strict),
        .target(name: "HearthSpeech", dependencies: ["HearthSystem"], swiftSettings: strict),
        // 0
        .target(
            name: "HearthSystem", dependencies: ["CHearthSystem", "CSQLite", "COpenSSL"], swiftSettings: strict),
        .target(name: "CHearthSystem"),
        // Linked into the program; nothing depends on it, so that a new commit costs a link and no compilation.
        .target(
            name: "CHearthCommit",
            cSettings: [.define("HEARTH_COMMIT", to: "\"\(Context.environment["HEARTH_COMMIT"] ?? "")\"")]),
        .target(name: "CHearthKernels"),
        .target(name: "CHearthCompression"),
        .target(name: "CHearthLexicon", exclude: ["Files"]),
        .target(name: "CHearthStories", exclude: ["Files"]),
        .target(name: "CHearthPage", exclude: ["Files"]),
        // What the system brings
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // No pkgConfig: its flags would link the libraries, which are loaded by the first download, server or picture.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", providers: [.apt(["libpng-dev"])]),

        // Shared by tests: file systems that fail, a server that misbehaves.
        .target(
            name: "HearthTestSupport", dependencies: ["HearthSystem", "HearthFormats"],
            path: "Tests/Support/HearthTestSupport",
            swiftSettings: strict),
        // Networks made by hand and at random, and the ranges in which their numbers have to stay.
        .target(
            name: "HearthGraphProof",
            dependencies: ["HearthVision", "HearthFormats", "HearthCompute", "HearthTestSupport"],
            path: "Tests/Support/HearthGraphProof",
            swiftSettings: strict),
        // Counts allocations, where the system lets a program stand in front of its allocator.
        .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
        .testTarget(
            name: "HearthSystemTests", dependencies: ["HearthSystem", "HearthTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "HearthRuntimeTests", dependencies: ["HearthRuntime", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthSimulationTests", dependencies: ["HearthSimulation", "HearthRuntime"], swiftSettings: strict),
        .testTarget(
            name: "HearthDeliveryTests", dependencies: ["HearthDelivery", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthFormatsTests", dependencies: ["HearthFormats", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthComputeTests", dependencies: ["HearthCompute", "CHearthKernels", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthTextTests",
            dependencies: [
                "HearthText", "HearthFormats", "HearthCompute", "HearthRuntime", "HearthDelivery", "HearthSystem",
                "CAllocationCount",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthVisionTests",
            dependencies: [
                "HearthVision", "HearthFormats", "HearthCompute", "HearthRuntime", "HearthDelivery", "HearthSystem",
                "HearthTestSupport", "HearthGraphProof",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCompressionTests",
            dependencies: [
                "HearthCompression", "HearthFormats", "HearthSystem", "CHearthCompression", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCalibrationTests",
            dependencies: ["HearthCalibration", "HearthVision", "HearthCompression", "HearthFormats", "HearthSystem"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthSafetyTests", dependencies: ["HearthSafety", "HearthTestSupport"], exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthSpeechTests", dependencies: ["HearthSpeech", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthStoryTests",
            dependencies: [
                "HearthStory", "HearthText", "HearthRuntime", "HearthSafety", "HearthSpeech", "HearthCompute",
                "HearthFormats", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCLITests",
            dependencies: [
                "HearthCLI", "HearthFormats", "HearthRuntime", "HearthDelivery", "HearthSystem", "HearthSpeech",
                "HearthStory", "HearthTestSupport", "HearthVision",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthServerTests",
            dependencies: [
                "HearthServer", "HearthRuntime", "HearthDelivery", "HearthSystem", "HearthFormats", "HearthCompute",
                "HearthText", "HearthSafety", "HearthTestSupport",
            ],
            swiftSettings: strict),
        // As an app would: it sees what is public, and imports the umbrella alone.
        .testTarget(name: "HearthTests", dependencies: ["Hearth"], packageAccess: false, swiftSettings: strict),
        .testTarget(name: "HouseTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

// What the tests call is optimised as it ships; their own code need not be, which saves a third of the build. But for those that
// count allocations: unoptimised, they would count their own.
for target in package.targets where target.type == .test && target.name != "HearthTextTests" {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}

// Fuzzing (scripts/fuzz): one more program, and every module counts its branches. The variable holds the path of the
// toolchain's fuzzing library; builds without it see nothing of this.
if let library = Context.environment["HEARTH_FUZZ"] {
    let counting: SwiftSetting = .unsafeFlags([
        "-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"
    ])
    for target in package.targets where target.swiftSettings != nil { target.swiftSettings?.append(counting) }
    let fuzzed: [Target.Dependency] = [
        "HearthSystem", "HearthFormats", "HearthCompute", "HearthSpeech", "HearthSafety", "HearthDelivery",
        "HearthText",
        "HearthVision", "HearthServer",
    ]
    package.targets.append(
        .executableTarget(
            name: "HearthFuzz", dependencies: fuzzed, path: "Fuzz/HearthFuzz", swiftSettings: strict + [counting],
            linkerSettings: [.unsafeFlags([library, "-lstdc++"])]))
    package.products.append(.executable(name: "hearth-fuzz", targets: ["HearthFuzz"]))
}

// Some suites alone (scripts/check): HEARTH_TEST_TARGETS names them, and nothing else is built but what they and fuzzing need.
if let names = Context.environment["HEARTH_TEST_TARGETS"] {
    var wanted =
        names.split(separator: ",").map(String.init) + (Context.environment["HEARTH_FUZZ"] == nil ? [] : ["HearthFuzz"])
    var needed: Set<String> = []
    while let name = wanted.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        for case .byNameItem(let name, _) in target.dependencies { wanted.append(name) }
    }
    package.products.removeAll { !$0.name.hasSuffix("fuzz") || !needed.contains("HearthFuzz") }
    package.targets.removeAll { !needed.contains($0.name) }
}
