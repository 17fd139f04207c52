public import Foundation

/// The times of one start of a model, with its profile, device and system.
public struct StartupSample: Sendable, Equatable, Codable {
    /// How cold a start was.
    public enum Kind: String, Sendable, Codable, CaseIterable, Comparable {
        /// Nothing was compiled yet.
        case coldCompile = "cold-compile"
        /// Compiled, and not in the page cache.
        case coldDisk = "cold-disk"
        /// Compiled, and in the page cache.
        case warm

        private var rank: Int { self == .coldCompile ? 0 : self == .coldDisk ? 1 : 2 }
        /// Coldest first.
        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

        /// The kind of a start that was observed rather than measured on purpose.
        /// - Parameters:
        ///   - reused: whether an earlier result of compiling was found.
        ///   - residentFraction: the fraction of the mapped files that was in the page cache before; nil if unknown. Below one
        ///     half, the start counts as `coldDisk`.
        package init(reused: Bool, residentFraction: Double?) {
            self = !reused ? .coldCompile : (residentFraction ?? 1) < 0.5 ? .coldDisk : .warm
        }
    }

    /// How cold the start was.
    public var kind: Kind
    /// Milliseconds to compile, or to find the compiled artifact.
    public var compileMS: Double
    /// Milliseconds to map the artifact.
    public var loadMS: Double
    /// Milliseconds of the first inference, which reads what loading only mapped.
    public var firstInferenceMS: Double
    /// Milliseconds of one token, or one inference, in steady state; nil if not measured.
    package var steadyMS: Double?
    /// Peak resident memory of the process in bytes, mapped files included.
    package var peakResidentBytes: Int
    /// Memory in bytes that the system could not reclaim when the model was ready.
    public var dirtyBytes: Int
    /// The device model, such as `iPhone17,1`.
    public var device: String
    /// The system's name and version.
    package var osVersion: String
    /// What was started.
    package var profile: RuntimeProfile
    /// When the start happened.
    public var time: Date
    /// The version of the program that measured it.
    package var processVersion: String
    /// Whether the start was made in order to measure it; false for a start in normal use.
    package var isMeasured: Bool

    /// A start with its times.
    package init(
        kind: Kind, times: PreparationTimes, steadyMS: Double? = nil, peakResidentBytes: Int, dirtyBytes: Int,
        device: String, osVersion: String, profile: RuntimeProfile, time: Date = Date(), processVersion: String,
        isMeasured: Bool = false
    ) {
        self.kind = kind
        compileMS = times.compileMS
        loadMS = times.loadMS
        firstInferenceMS = times.firstInferenceMS
        self.steadyMS = steadyMS
        self.peakResidentBytes = peakResidentBytes
        self.dirtyBytes = dirtyBytes
        self.device = device
        self.osVersion = osVersion
        self.profile = profile
        self.time = time
        self.processVersion = processVersion
        self.isMeasured = isMeasured
    }

    /// Milliseconds from the first step to a model that answers.
    public var totalMS: Double { compileMS + loadMS + firstInferenceMS }
}
