/// Whether weights may be stored without their zeros, as networks that were pruned have many.
///
/// A weight is stored that way only where that takes fewer bytes (mask, alignment and the operations that it needs included) at
/// no greater error, or as many bytes at a smaller error.
package enum SparseForms: Sendable, Equatable {
    /// Never.
    case never
    /// In the forms that the copy's version of the format has: before version 9 a mask and floating-point numbers, from
    /// version 9 on palettes and integers too.
    case sameVersion
    /// In all forms: the copy has version 9 (iOS 18) at least.
    case newest
}
