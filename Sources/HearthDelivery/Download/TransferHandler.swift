/// Names an exchange.
typealias TransferID = Int

/// Takes what the transport brings, on the thread that runs it.
protocol TransferHandler: AnyObject {
    /// - Returns: false where the body is not wanted.
    func transfer(_ id: TransferID, received response: TransferResponse) -> Bool
    /// - Returns: false where no more is wanted. The bytes are gone afterwards.
    func transfer(_ id: TransferID, received bytes: UnsafeRawBufferPointer) -> Bool
    func transfer(_ id: TransferID, ended end: TransferEnd)
}
