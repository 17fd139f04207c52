// swift-tools-version: 6.2
import PackageDescription

/// Language features that a later Swift mode turns on by default; on from the first commit.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Targets without a file in Tests/HouseTests/UnsafeMemory.txt: the compiler demands a mark at every call that it cannot prove to be
/// safe.
let checked: [SwiftSetting] = strict + [.strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error)]

/// A library that is needed on Linux only; on Apple systems CryptoKit, URLSession, ImageIO and SQLite3 take its place.
func linux(_ name: String) -> Target.Dependency { .byName(name: name, condition: .when(platforms: [.linux])) }

// The layers of the package (see ARCHITECTURE.md): a target imports only floors below its own.
let package = Package(
    name: "Hearth",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Hearth", targets: ["Hearth"]),
        .library(name: "HearthServer", targets: ["HearthServer"]),
        .library(name: "HearthUI", targets: ["HearthUI"]),
        .library(name: "HearthCompression", targets: ["HearthCompression", "HearthReports", "HearthCalibration"]),
        .executable(name: "hearth", targets: ["HearthCLI", "CHearthCommit"]),
    ],
    targets: [
        // 6
        .executableTarget(
            name: "HearthCLI",
            dependencies: [
                "HearthSystem", "HearthGGUF", "HearthCoreMLFormat", "HearthGrammar", "HearthCompute", "HearthSpeech",
                "HearthSafety", "HearthRuntime", "HearthDelivery", "HearthTokenizer", "HearthImages", "HearthText",
                "HearthCoreML", "HearthVision", "HearthCompression", "HearthReports", "HearthCalibration",
                "HearthStory", "HearthGPU",
                "HearthModels", "HearthSimulation", "HearthServer",
            ],
            swiftSettings: strict),
        // 5
        .target(
            name: "HearthServer",
            dependencies: [
                "HearthSystem", "HearthGrammar", "HearthCompute", "HearthSafety", "HearthSpeech", "HearthRuntime",
                "HearthDelivery", "HearthTokenizer", "HearthText", "HearthStory", "CHearthPage",
            ],
            swiftSettings: strict),
        .target(
            name: "HearthUI",
            dependencies: ["HearthSystem", "HearthApple", "HearthRuntime", "HearthSpeech", "HearthStory"],
            swiftSettings: strict),
        .target(
            name: "HearthCalibration",
            dependencies: [
                "HearthSystem", "HearthCoreMLFormat", "HearthCompute", "HearthRuntime", "HearthImages", "HearthCoreML",
                "HearthVision", "HearthCompression", "HearthReports",
            ],
            swiftSettings: checked),
        // Umbrella
        .target(
            name: "Hearth",
            dependencies: [
                "HearthSystem", "HearthCompute", "HearthSpeech", "HearthSafety",
                "HearthRuntime", "HearthDelivery", "HearthTokenizer", "HearthImages", "HearthText", "HearthCoreML",
                "HearthVision", "HearthStory", "HearthModels", "HearthApple",
            ],
            swiftSettings: checked),
        // 4
        .target(
            name: "HearthApple",
            dependencies: [
                "HearthSystem", "HearthCoreMLFormat", "HearthGrammar", "HearthSpeech", "HearthRuntime",
                "HearthDelivery", "HearthTokenizer", "HearthImages", "HearthText", "HearthCoreML",
            ],
            swiftSettings: strict),
        .target(
            name: "HearthModels",
            dependencies: [
                "HearthSystem", "HearthGGUF", "HearthCoreMLFormat", "HearthCompute", "HearthGPU", "HearthSpeech",
                "HearthRuntime", "HearthDelivery", "HearthTokenizer", "HearthImages", "HearthText", "HearthCoreML",
                "HearthVision",
            ],
            swiftSettings: checked),
        .target(
            name: "HearthStory",
            dependencies: [
                "HearthSystem", "HearthCompute", "HearthSpeech", "HearthSafety", "HearthRuntime", "HearthTokenizer",
                "HearthText", "CHearthStories",
            ],
            resources: [.embedInCode("Resources/wishes.json")],
            swiftSettings: strict),
        .target(
            name: "HearthVision",
            dependencies: ["HearthSystem", "HearthRuntime", "HearthImages", "HearthCoreML"],
            swiftSettings: checked),
        // 3
        .target(
            name: "HearthText",
            dependencies: [
                "HearthSystem", "HearthGGUF", "HearthGrammar", "HearthCompute", "HearthGPU", "HearthRuntime",
                "HearthDelivery", "HearthTokenizer",
            ],
            swiftSettings: strict),
        .target(
            name: "HearthCoreML",
            dependencies: [
                "HearthSystem", "HearthCoreMLFormat", "HearthCompute", "HearthGPU", "HearthRuntime", "HearthDelivery",
                "HearthImages",
            ],
            swiftSettings: strict),
        .target(
            name: "HearthCompression",
            dependencies: ["HearthSystem", "HearthGGUF", "HearthCoreMLFormat", "CHearthCompression"],
            swiftSettings: strict),
        .target(name: "HearthReports", dependencies: ["HearthSystem", "HearthRuntime"], swiftSettings: strict),
        .target(name: "HearthSimulation", dependencies: ["HearthSystem", "HearthRuntime"], swiftSettings: checked),
        // 2
        .target(name: "HearthRuntime", dependencies: ["HearthSystem"], swiftSettings: strict),
        .target(
            name: "HearthDelivery", dependencies: ["HearthSystem", linux("CCurl"), "CZlib"], swiftSettings: strict),
        .target(
            name: "HearthTokenizer", dependencies: ["HearthSystem", "HearthGGUF", "HearthGrammar"],
            swiftSettings: checked),
        .target(
            name: "HearthImages",
            dependencies: ["HearthSystem", "HearthCompute", linux("CTurboJPEG"), linux("CPNG"), linux("CHEIF")],
            swiftSettings: strict),
        // 1
        .target(name: "HearthGGUF", dependencies: ["HearthSystem"], swiftSettings: strict),
        .target(name: "HearthCoreMLFormat", dependencies: ["HearthSystem"], swiftSettings: strict),
        .target(name: "HearthGrammar", swiftSettings: checked),
        .target(
            name: "HearthCompute", dependencies: ["HearthSystem", "CHearthKernels", "CHearthSystem"],
            swiftSettings: strict),
        .target(
            name: "HearthGPU", dependencies: ["HearthSystem", linux("CHearthGPU"), "CHearthShaders"],
            swiftSettings: strict),
        .target(name: "HearthSafety", dependencies: ["HearthSystem", "CHearthLexicon"], swiftSettings: strict),
        .target(name: "HearthSpeech", dependencies: ["HearthSystem"], swiftSettings: strict),
        // 0
        .target(
            name: "HearthSystem", dependencies: ["CHearthSystem", linux("CSQLite"), linux("COpenSSL")],
            swiftSettings: strict),
        .target(name: "CHearthSystem"),
        // Linked into the program; nothing depends on it, so that a new commit costs a link and no compilation.
        .target(
            name: "CHearthCommit",
            cSettings: [.define("HEARTH_COMMIT", to: "\"\(Context.environment["HEARTH_COMMIT"] ?? "")\"")]),
        .target(name: "CHearthKernels"),
        .target(name: "CHearthGPU"),
        .target(name: "CHearthShaders", exclude: ["Files"]),
        .target(name: "CHearthCompression"),
        .target(name: "CHearthLexicon", exclude: ["Files"]),
        .target(name: "CHearthStories", exclude: ["Files", "Tales"]),
        .target(name: "CHearthPage", exclude: ["Files", "Fonts"]),
        // What the system brings
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // No pkgConfig: its flags would link the libraries, which are loaded by the first download, server or picture.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CHEIF"),
        .systemLibrary(name: "CPNG", providers: [.apt(["libpng-dev"])]),

        // Shared by tests: file systems that fail, a server that misbehaves.
        .target(
            name: "HearthTestSupport",
            dependencies: ["HearthSystem", "HearthGGUF", "HearthTokenizer", "HearthRuntime"],
            path: "Tests/Support/HearthTestSupport",
            swiftSettings: strict),
        // Networks made by hand and at random, and the ranges in which their numbers have to stay.
        .target(
            name: "HearthGraphProof",
            dependencies: ["HearthCoreML", "HearthCoreMLFormat", "HearthCompute", "HearthTestSupport"],
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
            name: "HearthGGUFTests", dependencies: ["HearthGGUF", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCoreMLFormatTests", dependencies: ["HearthCoreMLFormat", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthTokenizerTests",
            dependencies: ["HearthTokenizer", "HearthGGUF", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthReportsTests",
            dependencies: ["HearthReports", "HearthRuntime", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthImagesTests",
            dependencies: ["HearthImages", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCoreMLTests",
            dependencies: [
                "HearthCoreML", "HearthImages", "HearthCoreMLFormat", "HearthCompute", "HearthGPU", "HearthRuntime",
                "HearthDelivery", "HearthSystem", "HearthTestSupport", "HearthGraphProof",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthGrammarTests", dependencies: ["HearthGrammar", "HearthTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "HearthComputeTests", dependencies: ["HearthCompute", "CHearthKernels", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthGPUTests", dependencies: ["HearthGPU", "HearthSystem", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthTextTests",
            dependencies: [
                "HearthTokenizer", "HearthText", "HearthGGUF", "HearthGrammar", "HearthCompute", "HearthGPU",
                "HearthRuntime", "HearthDelivery", "HearthSystem", "CAllocationCount", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthAllocationTests",
            dependencies: [
                "HearthText", "HearthTokenizer", "HearthCompute", "HearthSystem", "CAllocationCount",
                "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthVisionTests",
            dependencies: [
                "HearthImages", "HearthCoreML", "HearthVision", "HearthRuntime", "HearthSystem", "HearthTestSupport",
                "HearthGraphProof",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCompressionTests",
            dependencies: [
                "HearthCompression", "HearthGGUF", "HearthCoreMLFormat", "HearthSystem", "CHearthCompression",
                "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCalibrationTests",
            dependencies: [
                "HearthCalibration", "HearthImages", "HearthCoreMLFormat", "HearthCoreML", "HearthVision",
                "HearthCompression", "HearthReports", "HearthRuntime", "HearthSystem", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthSafetyTests", dependencies: ["HearthSafety", "HearthTestSupport"], exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthSpeechTests", dependencies: ["HearthSystem", "HearthSpeech", "HearthTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HearthStoryTests",
            dependencies: [
                "HearthStory", "HearthSystem", "HearthTokenizer", "HearthText", "HearthRuntime", "HearthSafety",
                "HearthSpeech", "HearthGrammar",
                "HearthCompute", "HearthGGUF", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthAppleTests",
            dependencies: [
                "HearthApple", "HearthImages", "HearthCoreML", "HearthVision", "HearthCoreMLFormat", "HearthRuntime",
                "HearthDelivery", "HearthSystem", "HearthText", "HearthTokenizer",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthModelsTests",
            dependencies: [
                "HearthModels", "HearthRuntime", "HearthCoreML", "HearthVision", "HearthCompute", "HearthDelivery",
                "HearthText", "HearthSystem", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthCLITests",
            dependencies: [
                "HearthCLI", "HearthGGUF", "HearthCoreMLFormat", "HearthRuntime", "HearthDelivery", "HearthSystem",
                "HearthSpeech", "HearthStory", "HearthText", "HearthModels", "HearthTestSupport", "HearthImages",
                "HearthVision", "HearthCompute", "HearthCoreML", "HearthGPU", "HearthServer",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthServerTests",
            dependencies: [
                "HearthServer", "HearthRuntime", "HearthDelivery", "HearthSystem", "HearthGGUF", "HearthCompute",
                "HearthText", "HearthSafety", "HearthStory", "HearthTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HearthUITests",
            dependencies: [
                "HearthUI", "HearthStory", "HearthSpeech", "HearthRuntime", "HearthText", "HearthTestSupport",
            ],
            swiftSettings: strict),
        // As an app would: it sees what is public, and imports the umbrella alone.
        .testTarget(name: "HearthTests", dependencies: ["Hearth"], packageAccess: false, swiftSettings: strict),
        .testTarget(name: "HouseTests", exclude: ["UnsafeMemory.txt"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

// What the tests call is optimised as it ships; their own code need not be, nor be described for debuggers, which saves a
// third of the build: a failed expectation names its line without that. Excepted are tests that compare with plain loops of
// their own, and those that count allocations, which would count what their own code allocates.
// Unsafe flags of a test target do not keep a package from being a dependency (SwiftPM and Xcode look at the targets of its
// products only); those further below are for builds that a variable asks for.
let optimised = ["HearthAllocationTests", "HearthComputeTests", "HearthCompressionTests"]
for target in package.targets where target.type == .test && !optimised.contains(target.name) {
    target.swiftSettings?.append(
        .unsafeFlags(
            ["-Onone", "-gnone", "-no-emit-module-separately-wmo", "-Xfrontend", "-disable-llvm-verify"],
            .when(configuration: .release)))
}

// Fuzzing (scripts/fuzz): one more program, and every module counts its branches. The variable holds the path of the
// toolchain's fuzzing library; builds without it see nothing of this.
if let library = Context.environment["HEARTH_FUZZ"] {
    let counting: SwiftSetting = .unsafeFlags([
        "-sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table"
    ])
    for target in package.targets where target.swiftSettings != nil { target.swiftSettings?.append(counting) }
    let fuzzed: [Target.Dependency] = [
        "HearthSystem", "HearthGGUF", "HearthCoreMLFormat", "HearthGrammar", "HearthCompute", "HearthSpeech",
        "HearthSafety",
        "HearthDelivery", "HearthTokenizer", "HearthText",
        "HearthImages", "HearthCoreML", "HearthVision", "HearthServer",
    ]
    package.targets.append(
        .executableTarget(
            name: "HearthFuzz", dependencies: fuzzed, path: "Fuzz/HearthFuzz", swiftSettings: strict + [counting],
            linkerSettings: [.unsafeFlags([library, "-lstdc++"])]))
    package.products.append(.executable(name: "hearth-fuzz", targets: ["HearthFuzz"]))
}

// A target is compiled again when a module that it names has changed. How large the values of such a module are depends on modules
// below it, whose changes need not show in its own interface: so every target names all that are below it.
let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
for target in package.targets {
    var waiting = target.dependencies
    var known: Set<String> = []
    target.dependencies = []
    while let dependency = waiting.popLast() {
        guard case .byNameItem(let name, _) = dependency, known.insert(name).inserted else { continue }
        target.dependencies.append(dependency)
        waiting += targets[name]?.dependencies ?? []
    }
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
