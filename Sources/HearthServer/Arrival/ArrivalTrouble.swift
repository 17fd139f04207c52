internal import HearthDelivery

/// Why a model could not be fetched, as clients may hear it: no paths, no addresses.
package enum ArrivalTrouble: String, Sendable, CaseIterable {
    /// No connection, one that broke off, or a server that does not answer.
    case network
    /// The server does not give it.
    case refused
    /// The disk is full.
    case space
    /// What came is not what was expected, or no model.
    case damaged
    /// This device is too small for it.
    case device
    case other

    package init(_ error: any Error) {
        guard let error = error as? DeliveryError else {
            self = .other
            return
        }
        self =
            switch error {
            case .unreachable, .stalled, .serverBusy: .network
            case .refusedByServer, .redirectRefused, .hubRefused: .refused
            case .diskFull: .space
            case .wrongDigest, .wrongSize, .notAModel, .invalidArchive, .unknownLength, .invalidManifest,
                .unsafeManifest:
                .damaged
            case .tooLittleMemory: .device
            default: .other
            }
    }

    /// For grown-ups, in English, as everything of the API.
    package var sentence: String {
        let why =
            switch self {
            case .network: "the network, or the server that has it, does not answer"
            case .refused: "the server that has it does not give it"
            case .space: "there is too little room on the disk"
            case .damaged: "what arrived is not what was expected"
            case .device: "this device has too little memory for it"
            case .other: "the server's own messages say why"
            }
        return "The model could not be fetched: \(why). It is tried again."
    }
}

/// How long to wait before a model is asked for again. Pure.
package struct FetchPauses: Sendable, Equatable {
    /// After the first failure.
    var first: Duration

    package init(first: Duration) {
        self.first = first
    }

    /// The longest.
    static let longest = Duration.seconds(300)
    /// So many times longer where nothing suggests that it will go better: a file that is another one, a server that refuses.
    static let reluctance = 15

    /// - Parameters:
    ///   - failures: in a row, this one included, with nothing new in between.
    ///   - trouble: what it was this time.
    package func pause(afterFailures failures: Int, _ trouble: ArrivalTrouble) -> Duration {
        let doubled = first * (1 << min(max(failures - 1, 0), 16))
        return switch trouble {
        case .network, .space: min(doubled, Self.longest)
        case .refused, .damaged, .device, .other: min(doubled * Self.reluctance, Self.longest * Self.reluctance)
        }
    }
}
