/// Identifies an exchange.
typealias TransferID = Int

/// Receives the transport's events, on the thread that runs it.
protocol TransferHandler: AnyObject {
    /// - Returns: false to refuse the body.
    func transfer(_ id: TransferID, received response: TransferResponse) -> Bool
    /// - Returns: false to stop the transfer. The bytes are valid only during the call.
    func transfer(_ id: TransferID, received bytes: UnsafeRawBufferPointer) -> Bool
    func transfer(_ id: TransferID, ended end: TransferEnd)
}
