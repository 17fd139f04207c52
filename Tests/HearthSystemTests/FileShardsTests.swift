import HearthSystem
import Testing

@Suite("Names of models in several files", .timeLimit(.minutes(20)))
struct FileShardsTests {
    @Test("A name says which of how many it is, and the names of the others")
    func names() throws {
        let shards = try #require(FileShards("models/gemma-Q4_K_M-00002-of-00012.gguf"))
        #expect(shards.index == 1 && shards.count == 12)
        #expect(shards[0] == "models/gemma-Q4_K_M-00001-of-00012.gguf")
        #expect(shards.paths.count == 12 && shards.paths[11] == "models/gemma-Q4_K_M-00012-of-00012.gguf")
        #expect(shards.paths[1] == "models/gemma-Q4_K_M-00002-of-00012.gguf")
    }

    @Test(
        "Other names are those of one file",
        arguments: [
            "gemma.gguf", "gemma-00001-of-00001.gguf", "gemma-00000-of-00003.gguf", "gemma-00004-of-00003.gguf",
            "gemma-1-of-3.gguf", "gemma-00001-of-00003.bin", "gemma00001-of-00003.gguf", "-of-00003.gguf", "",
            "gemma-0000१-of-00003.gguf", "gemma-00001-of-99999.gguf", "-of-.gguf",
        ])
    func others(name: String) {
        #expect(FileShards(name) == nil)
        #expect(FileShards.paths(of: name) == [name])
    }

    @Test("Where some are missing, the one that is asked for stands alone")
    func missing() {
        let path = "/nowhere/gemma-00001-of-00003.gguf"
        #expect(FileShards.paths(of: path) == [path])
    }
}
