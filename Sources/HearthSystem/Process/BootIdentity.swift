#if canImport(Darwin)
internal import Darwin
#else
internal import Foundation
#endif

/// Which run of the system this is: a name that changes with every boot and with nothing else.
package enum BootIdentity {
    /// Empty if the system does not provide one.
    package static let current: String = {
        #if canImport(Darwin)
        var size = 64
        var name = [CChar](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        #endif
    }()
}
