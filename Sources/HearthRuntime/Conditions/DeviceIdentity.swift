internal import Foundation
internal import HearthSystem

#if canImport(Darwin)
internal import Darwin
#endif

/// Which device and which system this is: what figures and compiled work are filed under.
package struct DeviceIdentity: Sendable, Equatable, Codable {
    /// Such as `LENOVO ThinkPad X1 Carbon`, `Raspberry Pi 5 Model B`, `iPhone17,1`, or the processor's name.
    package var model: String
    /// Name and version, such as `Debian GNU/Linux 12 (bookworm)` or `macOS 15.2`.
    package var osVersion: String
    /// The kernel's release on Linux, the system's build on Apple systems.
    package var osBuild: String
    /// Processors that are online.
    package var processors: Int

    /// A device that is known already.
    package init(model: String, osVersion: String, osBuild: String, processors: Int) {
        self.model = model
        self.osVersion = osVersion
        self.osBuild = osBuild
        self.processors = processors
    }

    /// This device.
    /// - Parameter root: prefix of `/sys`, `/proc` and `/etc`, to read a recorded device.
    package static func current(root: String = "") -> DeviceIdentity {
        #if canImport(Darwin)
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let number = "\(version.majorVersion).\(version.minorVersion)"
        let patch = version.patchVersion > 0 ? ".\(version.patchVersion)" : ""
        return DeviceIdentity(
            model: systemValue(modelKey) ?? unknown, osVersion: "\(osName) \(number)\(patch)",
            osBuild: systemValue("kern.osversion") ?? unknown,
            processors: ProcessInfo.processInfo.activeProcessorCount)
        #else
        return linux(root: root)
        #endif
    }

    /// The processor's name; nil if it is unknown.
    /// - Parameter root: prefix of `/proc`, to read a recorded device.
    package static func processor(root: String = "") -> String? {
        #if canImport(Darwin)
        systemValue("machdep.cpu.brand_string")
        #else
        processorName(SmallFile.text(root + "/proc/cpuinfo", limit: 1 << 20) ?? "")
        #endif
    }

    /// Reads a Linux system under `root`.
    package static func linux(root: String) -> DeviceIdentity {
        let cpuInfo = SmallFile.text(root + "/proc/cpuinfo", limit: 1 << 20) ?? ""
        let listed = cpuInfo.systemLines.count { $0.hasPrefix("processor") }
        let release = SmallFile.text(root + "/etc/os-release") ?? SmallFile.text(root + "/usr/lib/os-release") ?? ""
        return DeviceIdentity(
            model: board(root) ?? processorName(cpuInfo) ?? unknown,
            osVersion: clean(osName(release)) ?? "Linux",
            osBuild: clean(SmallFile.text(root + "/proc/sys/kernel/osrelease")) ?? unknown,
            processors: processorsOnline(root) ?? max(listed, 1))
    }

    private static let unknown = "unknown"
    /// What firmware says when its maker did not fill it in.
    private static let placeholders: Set<String> = [
        "to be filled by o.e.m.", "default string", "system product name", "system manufacturer", "not specified",
        "not applicable", "none", "o.e.m.", "unknown", "oem", "invalid", "product name", "0123456789",
    ]

    /// Maker and product by the firmware, or the model of the device tree.
    private static func board(_ root: String) -> String? {
        let dmi = root + "/sys/devices/virtual/dmi/id/"
        if let product = named(SmallFile.text(dmi + "product_name")) {
            guard let vendor = named(SmallFile.text(dmi + "sys_vendor")),
                !product.lowercased().hasPrefix(vendor.lowercased())
            else { return product }
            // Lenovo puts the product's name into the version, and a type number into the name.
            let known = vendor == "LENOVO" ? named(SmallFile.text(dmi + "product_version")) ?? product : product
            return "\(vendor) \(known)"
        }
        return named(SmallFile.text(root + "/proc/device-tree/model"))
    }

    private static func named(_ text: String?) -> String? {
        clean(text).flatMap { placeholders.contains($0.lowercased()) ? nil : $0 }
    }

    private static func processorName(_ cpuInfo: String) -> String? {
        // x86 and a few others say "model name", older Arm kernels "Hardware" or "Processor".
        for key in ["model name", "Model", "Hardware", "Processor", "cpu model"] {
            for line in cpuInfo.systemLines {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == key else { continue }
                if let name = clean(String(parts[1])) { return name }
            }
        }
        return nil
    }

    /// `PRETTY_NAME` of os-release(5), quotes removed.
    private static func osName(_ release: String) -> String? {
        for key in ["PRETTY_NAME=", "NAME="] {
            for line in release.systemLines where line.hasPrefix(key) {
                let value = line.dropFirst(key.count).trimmingCharacters(in: .whitespaces)
                return value.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
            }
        }
        return nil
    }

    /// `0-3,6` is five processors.
    private static func processorsOnline(_ root: String) -> Int? {
        guard let text = SmallFile.text(root + "/sys/devices/system/cpu/online"), !text.isEmpty else { return nil }
        var count = 0
        for range in text.split(separator: ",").prefix(1024) {
            let ends = range.split(separator: "-").map { Int($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first >= 0,
                last >= first,
                last < 1 << 16
            else { return nil }
            count += last - first + 1
        }
        return count
    }

    /// One short line without control characters; nil if nothing is left.
    private static func clean(_ text: String?) -> String? {
        guard let text else { return nil }
        let words = text.unicodeScalars.prefix(256).split {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }
        let line = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        return line.isEmpty ? nil : String(line.prefix(96))
    }

    #if canImport(Darwin)
    private static var osName: String {
        #if os(macOS)
        "macOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #else
        "iOS"
        #endif
    }

    /// `hw.machine` is `iPhone17,1` on a phone and the architecture on a Mac, where `hw.model` is `Mac15,3`.
    private static var modelKey: String {
        #if os(macOS)
        "hw.model"
        #else
        "hw.machine"
        #endif
    }

    /// A text of sysctl(3).
    private static func systemValue(_ name: String) -> String? {
        var size = 0
        guard sysctlbyname(name, nil, &size, nil, 0) == 0, (1...1024).contains(size) else { return nil }
        var buffer = [UInt8](repeating: 0, count: size)
        guard sysctlbyname(name, &buffer, &size, nil, 0) == 0 else { return nil }
        return clean(String(decoding: buffer.prefix(size).prefix { $0 != 0 }, as: UTF8.self))
    }
    #endif
}
