public import Foundation

/// Why a server cannot start.
public enum ServerError: Error, Equatable, Sendable {
    /// The address does not exist, or is in use.
    case cannotListen(address: String, port: Int, reason: String)
    /// The server is open to other machines and has no token.
    case tokenMissing(address: String)
    /// The token is too short, or has characters that cannot be sent.
    case weakToken(minimum: Int)
    /// Not a numeric address.
    case badAddress(String)
    /// There is no model to serve.
    case noModel
    /// A system call failed.
    case system(call: String, reason: String)
}

extension ServerError: LocalizedError {
    /// What happened, where, and what to do.
    public var errorDescription: String? {
        switch self {
        case .cannotListen(let address, let port, let reason):
            "cannot listen: \(reason) (\(address), port \(port)). Choose another port, or stop the program that listens there."
        case .tokenMissing(let address):
            "a server that other machines can reach needs a token (\(address)). Give it one."
        case .weakToken(let minimum):
            "the token is not valid (token). Use at least \(minimum) visible ASCII characters, such as those of 'openssl rand -hex 32'."
        case .badAddress(let text):
            "not a numeric address (\(text)). Pass an address of this machine, such as 192.168.1.20 or ::1."
        case .noModel: "there is no model to serve (models). Give the server one."
        case .system(let call, let reason):
            "the system refused to start the server: \(reason) (\(call)). Check the limits on open files and threads."
        }
    }
}
