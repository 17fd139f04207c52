package import Foundation
internal import HearthCompute
internal import HearthDelivery
internal import HearthImages
package import HearthRuntime
internal import HearthSpeech
internal import HearthSystem
internal import HearthText

/// Checks a machine, quickly and without leaving files behind.
package struct Doctor {
    let environment: [String: String]
    let locator: ModelLocator
    let monitor: any DeviceMonitor
    let patience: Double

    /// - Parameter patience: seconds within which a program has to answer. Each answers within half a second, Python's piper too; a
    ///   busy machine takes longer.
    package init(
        environment: [String: String], locator: ModelLocator = .current,
        monitor: any DeviceMonitor = SystemMonitor.make(), patience: Double = 10
    ) {
        self.environment = environment
        self.locator = locator
        self.monitor = monitor
        self.patience = patience
    }

    /// All checks, in the order in which they are shown.
    package func checks() -> [DoctorCheck] {
        [device(), kernels(), threads()] + gpus() + memory() + [sensors()] + libraries() + pictures()
            + [video(), speech(), piper()] + folders() + [model(), clock()]
    }

    func device() -> DoctorCheck {
        let identity = DeviceIdentity.current()
        return .ok("device", "\(identity.model), \(identity.osVersion), \(identity.osBuild)")
    }

    func kernels() -> DoctorCheck {
        let names = KernelSet.available.map(\.name)
        let forced = environment["HEARTH_KERNELS"].flatMap { $0.isEmpty ? nil : $0 }
        do {
            let chosen = try KernelSet.selected(by: forced).name
            let detail = "\(chosen)\(forced == nil ? "" : " by HEARTH_KERNELS"), of \(names.joined(separator: ", "))"
            if names == ["portable"] {
                return .warning(
                    "kernels", detail,
                    todo: "Models run slowly here: AVX2, AVX-512 or NEON would be several times as fast.")
            }
            return .ok("kernels", detail)
        } catch {
            return .missing(
                "kernels", "HEARTH_KERNELS names '\(forced ?? "")', which this processor does not run",
                todo: "Unset HEARTH_KERNELS, or set it to one of: \(names.joined(separator: ", ")).")
        }
    }

    func threads() -> DoctorCheck {
        let count = WorkerPool.defaultThreads
        return .ok(
            "threads", "\(count) compute\(count == 1 ? "s" : ""), of \(DeviceIdentity.current().processors) processors")
    }

    /// Memory, and the process's limits.
    func memory() -> [DoctorCheck] {
        let conditions = monitor.current()
        let tier = ModelTierPolicy().decide(conditions)
        let sizes = [
            conditions.memoryTotal.map { ByteSize.binary($0) + " in all" },
            conditions.memoryLimit.map { ByteSize.binary($0) + " for this process" },
            conditions.memoryAvailable.map { ByteSize.binary($0) + " available" },
        ].compactMap(\.self)
        let detail = sizes.isEmpty ? "not measured here" : sizes.joined(separator: ", ")
        let memory: DoctorCheck =
            tier.tier == .libraryOnly
            ? .warning("memory", "\(detail). \(tier.reason)", todo: "Close what is not needed, or raise the limit.")
            : .ok("memory", "\(detail). \(tier.reason)")
        return [memory, limits()]
    }

    /// Weights are mapped and never locked, so only a limit on the address space matters.
    private func limits() -> DoctorCheck {
        var limit = rlimit()
        #if os(Linux)
        let known = unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
        #else
        let known = unsafe getrlimit(RLIMIT_AS, &limit) == 0
        #endif
        guard known, limit.rlim_cur < 1 << 34 else {
            return .ok(
                "limits", "address space is not limited; weights are mapped, so no limit on locked memory matters")
        }
        return .warning(
            "limits", "address space is limited to \(ByteSize.binary(Int(clamping: limit.rlim_cur)))",
            todo: "A model larger than that cannot be mapped; raise it with 'ulimit -v unlimited'.")
    }

    func sensors() -> DoctorCheck {
        let sources = monitor.sources()
        let heat = sources["thermal"] ?? "not measured here"
        let battery = sources["batteryLevel"] ?? "none"
        return .ok("sensors", "heat: \(heat); battery: \(battery)")
    }

    func libraries() -> [DoctorCheck] {
        // A known digest shows that the library works, not only that it is installed.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let hash: DoctorCheck =
            SHA256.digest(of: [UInt8]()) == empty
            ? .ok("libcrypto", SystemLibraries.crypto)
            : .missing(
                "libcrypto", "\(SystemLibraries.crypto) computes wrong digests",
                todo: "Install the system's OpenSSL again; downloads cannot be verified.")
        return [.ok("sqlite3", SystemLibraries.sqlite), hash, transfers()]
    }

    /// The library that the first download loads.
    private func transfers() -> DoctorCheck {
        do {
            // The rest of the line lists what it was built with.
            let version = try TransferLibrary.version().split(separator: " ").prefix(2).joined(separator: ", ")
            return .ok("libcurl", version)
        } catch DeliveryError.libraryMissing(let library, let package) {
            let (detail, isMissing) = LibraryProbe.finding(library)
            return .warning(
                "libcurl", "\(detail): nothing can be downloaded",
                todo: isMissing
                    ? "Install it, for example with 'apt install \(package)'; models that are here work without it."
                    : Self.again(package))
        } catch {
            return .warning("libcurl", error.localizedDescription, todo: Self.again("libcurl4"))
        }
    }

    /// The libraries that the first image loads.
    func pictures() -> [DoctorCheck] {
        ImageLibraries.checks().map { check in
            if let detail = check.detail { return .ok(check.name, detail) }
            let package = check.package ?? check.name
            guard case .libraryMissing(let library, _) = check.problem else {
                return .warning(
                    check.name, check.problem?.localizedDescription ?? "does not work", todo: Self.again(package))
            }
            let (detail, isMissing) = LibraryProbe.finding(library)
            return .warning(
                check.name, "\(detail): \(check.need)",
                todo: isMissing
                    ? "Install it, for example with 'apt install \(package)'; text works without."
                    : Self.again(package))
        }
    }

    private static func again(_ package: String) -> String {
        "Install it again, for example with 'apt install --reinstall \(package)'."
    }

    private var programFolders: String { ProgramPath.folders(environment: environment) }

    /// The program that decodes videos.
    func video() -> DoctorCheck {
        guard let path = ProgramPath.find("ffmpeg", in: programFolders) else {
            return .warning(
                "video", "no ffmpeg on the path",
                todo:
                    "Install ffmpeg to watch videos, for example with 'apt install ffmpeg'; pictures are read without it."
            )
        }
        guard let line = ProgramProbe.firstLine(path, ["-version"], limit: patience) else {
            return .warning("video", "\(path) does not answer", todo: "Install ffmpeg again.")
        }
        // The rest of the line is the copyright notice.
        let version = line.split(separator: " Copyright").first.map(String.init) ?? line
        return .ok("video", "\(path): \(version.prefix(60))")
    }

    func speech() -> DoctorCheck {
        #if canImport(Darwin)
        return .ok("speech", "AVSpeechSynthesizer")
        #else
        guard let path = EspeakSynthesizer.program(in: programFolders) else {
            return .warning(
                "speech", "no espeak-ng on the path",
                todo: "Install espeak-ng to have stories read aloud; without it they are only shown.")
        }
        guard let line = ProgramProbe.firstLine(path, ["--version"], limit: patience) else {
            return .warning("speech", "\(path) does not answer", todo: "Install espeak-ng again.")
        }
        // The rest of the line is the folder of its data.
        return .ok("speech", "\(path): \(line.split(separator: "  ").first.map(String.init)?.prefix(60) ?? "")")
        #endif
    }

    /// The program that speaks with the voices of `hearth story --voice`.
    func piper() -> DoctorCheck {
        guard let path = PiperSynthesizer.program(in: programFolders) else {
            return .warning(
                "piper", "no piper on the path",
                todo: "Install it to have stories read with Piper voices: pipx install piper-tts")
        }
        // Python's knows no --version; the older one prints its help as an error.
        guard
            let line = ProgramProbe.firstLine(path, ["--help"], limit: patience)
                ?? ProgramProbe.firstLine(path, ["--version"], limit: patience)
        else { return .warning("piper", "\(path) does not answer", todo: "Install it again: pipx install piper-tts") }
        // A program that sets up computer mice has the same name.
        guard line.contains("MODEL") || line.first?.isNumber == true else {
            return .warning(
                "piper", "\(path) is another program of this name",
                todo: "Put the piper of piper-tts before it on the path: pipx install piper-tts")
        }
        return .ok("piper", path)
    }

    func folders() -> [DoctorCheck] {
        guard let folders = HearthFolders(environment: environment) else {
            return [
                .missing(
                    "folders", "the environment names neither a home nor Hearth's folder",
                    todo: "Set HOME, or HEARTH_HOME to a folder that may be written.")
            ]
        }
        if folders.data == folders.cache { return [FolderProbe.check("folder", folders.data)] }
        return [FolderProbe.check("data folder", folders.data), FolderProbe.check("cache folder", folders.cache)]
    }

    func model() -> DoctorCheck {
        let name = ModelLocator.bundled
        guard let path = try? locator.path(of: name), FileAccess.canRead(path) else {
            return .missing(
                "model", "the bundled model \(name) was not found",
                todo: "Put \(name).gguf into \(locator.folders.first ?? "$HEARTH_HOME/Models").")
        }
        let begin = ContinuousClock.now
        do {
            let model = try TextModel(path: path)
            let milliseconds = Int((ContinuousClock.now - begin).milliseconds.rounded())
            return .ok("model", "\(path): \(ByteSize.binary(model.weightBytes)), mapped in \(milliseconds) ms")
        } catch {
            return .missing(
                "model", error.localizedDescription, todo: "Replace \(path) by the file that comes with Hearth.")
        }
    }

    /// Certificates and manifests expire, so that downloads fail if the clock is years off.
    package func clock(now: Date = Date()) -> DoctorCheck {
        let text = now.formatted(.iso8601)
        let release = Date(timeIntervalSince1970: 1_748_736_000)  // 1 June 2025: nothing here is older
        guard now > release, now < release.addingTimeInterval(50 * 365 * 86400) else {
            return .warning("clock", text, todo: "Set the clock: downloads are refused while it is this far off.")
        }
        return .ok("clock", text)
    }
}
