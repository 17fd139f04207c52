// swift-tools-version: 6.1
// The folder's ending is what Xcode and Swift Playgrounds open as an app. Plain SwiftPM, which has no product for apps, sees an
// executable: it can still read the package, and on a Mac `swift run` starts it.
import PackageDescription

#if canImport(AppleProductTypes)
import AppleProductTypes

let products: [Product] = [
    .iOSApplication(
        name: "BedtimeApp", targets: ["BedtimeApp"], bundleIdentifier: "com.example.bedtime", displayVersion: "1.0",
        bundleVersion: "1", appIcon: .placeholder(icon: .moon), accentColor: .presetColor(.indigo),
        supportedDeviceFamilies: [.pad, .phone],
        supportedInterfaceOrientations: [.portrait, .landscapeRight, .landscapeLeft])
]
#else
let products: [Product] = [.executable(name: "BedtimeApp", targets: ["BedtimeApp"])]
#endif

let package = Package(
    name: "BedtimeApp",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: products,
    dependencies: [.package(name: "Hearth", path: "../..")],
    targets: [
        .executableTarget(
            name: "BedtimeApp",
            dependencies: [
                .product(name: "Hearth", package: "Hearth"), .product(name: "HearthUI", package: "Hearth"),
            ],
            resources: [.copy("Resources")])
    ],
    swiftLanguageModes: [.v6]
)
