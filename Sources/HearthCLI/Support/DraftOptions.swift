/// `--no-drafts`: turns speculative decoding off.
struct DraftOptions: ParsableArguments {
    @Flag(help: "Turns speculative decoding off: same text, slower.")
    var noDrafts = false
}
