public import Foundation

/// Why a server does not start.
public enum ServerError: Error, Equatable, Sendable {
    /// The address is not there, or taken.
    case cannotListen(address: String, port: Int, reason: String)
    /// Open to other machines, and no secret to keep strangers out.
    case tokenMissing(address: String)
    /// A secret that can be guessed or cannot be sent.
    case weakToken(minimum: Int)
    /// Not an address in numbers.
    case badAddress(String)
    /// There is no model to serve.
    case noModel
    /// The system refused something that it never refuses.
    case system(call: String, reason: String)
}

extension ServerError: LocalizedError {
    /// What happened, where, and what to do.
    public var errorDescription: String? {
        switch self {
        case .cannotListen(let address, let port, let reason):
            "cannot listen: \(reason) (\(address), port \(port)). Pass another --port, or stop what listens there."
        case .tokenMissing(let address):
            "a server that other machines can reach needs a token (--host \(address)). Pass --token-file, or set HEARTH_TOKEN."
        case .weakToken(let minimum):
            "the token is not one (--token-file). Use at least \(minimum) visible ASCII characters, such as those of 'openssl rand -hex 32'."
        case .badAddress(let text):
            "not an address in numbers (--host \(text)). Pass one of this machine's, such as 192.168.1.20 or ::1."
        case .noModel: "there is no model to serve (--model). Pass one that 'hearth models' lists."
        case .system(let call, let reason):
            "the system refused to start the server: \(reason) (\(call)). Check the limits on open files and threads."
        }
    }
}
