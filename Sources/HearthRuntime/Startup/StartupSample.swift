public import Foundation

/// What one start of a model cost, under one profile, on one device and system.
public struct StartupSample: Sendable, Equatable, Codable {
    /// How much of the work of starting had been done before.
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

        /// The kind of a start that was only watched.
        /// - Parameters:
        ///   - reused: whether an earlier result of compiling was found.
        ///   - residentFraction: of the files that loading maps, how much lay in the page cache before; nil where the
        ///     system does not say. Below a half, the disk decides what the start costs.
        public init(reused: Bool, residentFraction: Double?) {
            self = !reused ? .coldCompile : (residentFraction ?? 1) < 0.5 ? .coldDisk : .warm
        }
    }

    /// How cold.
    public var kind: Kind
    /// Compiling, or finding what was compiled before.
    public var compileMS: Double
    /// Mapping what was compiled.
    public var loadMS: Double
    /// The first inference, which reads what loading has only mapped.
    public var firstInferenceMS: Double
    /// One token, or one inference, in steady state; nil where it was not measured.
    public var steadyMS: Double?
    /// The most memory that the process had, mapped files included.
    public var peakResidentBytes: Int
    /// Memory that the system could not take back, when the model was ready.
    public var dirtyBytes: Int
    /// The device's model, such as `iPhone17,1`.
    public var device: String
    /// The system's name and version.
    public var osVersion: String
    /// What was started.
    package var profile: RuntimeProfile
    /// When; UTC, as dates are.
    public var time: Date
    /// The version of the program that measured.
    public var processVersion: String
    /// Whether the start was made to be measured, its cold kinds on purpose; false for a start that somebody wanted.
    public var isMeasured: Bool

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

    /// From the first step to a model that answers.
    public var totalMS: Double { compileMS + loadMS + firstInferenceMS }
}
