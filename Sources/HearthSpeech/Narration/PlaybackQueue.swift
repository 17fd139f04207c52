/// Pieces of sound that a player has and that were not heard yet, in their order. A player may have to be made anew (the
/// system's media services were reset); what the old one then says of its pieces is not believed.
package struct PlaybackQueue<Piece> {
    /// Names a piece, and the player that has it.
    package struct Ticket: Sendable, Equatable {
        fileprivate var number: Int
        fileprivate var player: Int
    }

    private var pieces: [(number: Int, piece: Piece)] = []
    private var number = 0
    private var player = 0

    /// A player without pieces.
    package init() {}

    /// Pieces that are to be heard.
    package var count: Int { pieces.count }
    /// The piece that sounds, or is the next to.
    package var first: Piece? { pieces.first?.piece }

    /// A piece is given to the player.
    package mutating func add(_ piece: Piece) -> Ticket {
        number += 1
        pieces.append((number, piece))
        return Ticket(number: number, player: player)
    }

    /// The player says that a piece was heard; those before it were, too.
    /// - Returns: whether that changes anything.
    @discardableResult
    package mutating func heard(_ ticket: Ticket) -> Bool {
        guard ticket.player == player else { return false }
        let before = pieces.count
        pieces.removeAll { $0.number <= ticket.number }
        return pieces.count < before
    }

    /// Another player takes the place of the one before: these are to be given to it, in this order.
    package mutating func replacePlayer() -> [(ticket: Ticket, piece: Piece)] {
        player += 1
        return pieces.map { (Ticket(number: $0.number, player: player), $0.piece) }
    }

    /// Nothing is to be heard any more.
    package mutating func clear() { pieces = [] }
}
