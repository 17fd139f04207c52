/// The pieces of audio that were passed to a player and have not been played yet, in order. A player may have to be recreated,
/// for example when the system's media services were reset; completions reported by an old player are ignored.
package struct PlaybackQueue<Piece> {
    /// Identifies a piece and the player that received it.
    package struct Ticket: Sendable, Equatable {
        fileprivate var number: Int
        fileprivate var player: Int
    }

    private var pieces: [(number: Int, piece: Piece)] = []
    private var number = 0
    private var player = 0

    /// Creates an empty queue.
    package init() {}

    /// The number of pieces to be played.
    package var count: Int { pieces.count }
    /// The piece that is playing, or the next one to be played.
    package var first: Piece? { pieces.first?.piece }

    /// Adds a piece that is passed to the player.
    package mutating func add(_ piece: Piece) -> Ticket {
        number += 1
        pieces.append((number, piece))
        return Ticket(number: number, player: player)
    }

    /// Records that the player has played a piece, which implies all pieces before it.
    /// - Returns: whether this changed the queue.
    @discardableResult
    package mutating func heard(_ ticket: Ticket) -> Bool {
        guard ticket.player == player else { return false }
        let before = pieces.count
        pieces.removeAll { $0.number <= ticket.number }
        return pieces.count < before
    }

    /// Replaces the player, and returns the pieces to pass to the new one, in this order.
    package mutating func replacePlayer() -> [(ticket: Ticket, piece: Piece)] {
        player += 1
        return pieces.map { (Ticket(number: $0.number, player: player), $0.piece) }
    }

    /// Removes all pieces.
    package mutating func clear() { pieces = [] }
}
