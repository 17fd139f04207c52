internal import HearthDelivery

/// Why a model could not be fetched, in a form that is safe for clients: no paths, no addresses.
package enum ArrivalTrouble: String, Sendable, CaseIterable {
    /// No connection, a lost one, or a server that does not respond.
    case network
    /// The server refused the request.
    case refused
    /// The disk is full.
    case space
    /// The content does not match the expected one, or is not a model.
    case damaged
    /// The device has too little memory.
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

    /// An explanation for adults, in English like the rest of the API.
    package var sentence: String {
        let why =
            switch self {
            case .network: "the network is down, or the server does not respond"
            case .refused: "the server refused the request"
            case .space: "not enough disk space"
            case .damaged: "the downloaded file is not the expected one"
            case .device: "this device has too little memory for it"
            case .other: "the server's own messages say why"
            }
        return "The model could not be downloaded: \(why). Retrying."
    }
}

/// Delays between attempts to fetch a model. Pure.
package struct FetchPauses: Sendable, Equatable {
    /// After the first failure.
    var first: Duration
    /// Upper limit of the delay.
    var longest: Duration

    package init(first: Duration, longest: Duration = .seconds(300)) {
        (self.first, self.longest) = (first, longest)
    }

    /// Multiplier for failures that are unlikely to pass soon: wrong content, or a refusal by the server.
    static let reluctance = 15

    /// - Parameters:
    ///   - failures: consecutive failures without new data in between, including this one.
    ///   - trouble: the reason of this one.
    package func pause(afterFailures failures: Int, _ trouble: ArrivalTrouble) -> Duration {
        let doubled = first * (1 << min(max(failures - 1, 0), 16))
        return switch trouble {
        case .network, .space: min(doubled, longest)
        case .refused, .damaged, .device, .other: min(doubled, longest) * Self.reluctance
        }
    }
}
