/// `--no-drafts`: turns speculative decoding off.
struct DraftOptions: ParsableArguments {
    @Flag(
        help: """
            Computes one token after the other, also where a table of likely ones lies beside the model. The text is \
            the same, and comes later.
            """)
    var noDrafts = false
}
