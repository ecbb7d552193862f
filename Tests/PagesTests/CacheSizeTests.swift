import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

@Suite struct CacheSizeTests {
  @Test(
    arguments: [
      (nil, 64 << 20), (0, 16 << 20), (100 << 20, 16 << 20), (512 << 20, 64 << 20), (2 << 30, 256 << 20),
      (8 << 30, 1 << 30), (.max, 1 << 30),
    ] as [(UInt64?, Int)])
  func `the cache is an eighth of the memory, within bounds`(memory: UInt64?, bytes: Int) {
    #expect(CacheSize.bytes(memory) == bytes)
  }

  @Test(arguments: [(1 << 20, 4 << 20), (16 << 20, 16 << 20), (64 << 20, 64 << 20), (1 << 30, 64 << 20)])
  func `the limit for drafts is at most the cache, within bounds`(cache: Int, drafts: Int) {
    #expect(CacheSize.drafts(beside: cache) == drafts)
  }

  @Test func `a store takes the size from its options, and otherwise from the machine`() throws {
    let fileSystem = SimulatedFileSystem()
    var options = StoreOptions.forTests
    options.cacheBytes = 3 << 20
    let told = try Store.words(fileSystem, "/a.roost", options)
    #expect(try told.statistics().cachePages == 768)
    options.cacheBytes = nil
    let chosen = try Store.words(fileSystem, "/b.roost", options)
    #expect(try chosen.statistics().cachePages == CacheSize.usual() / Page.size)
    // The limit for changed pages follows the cache size, from the options or the machine.
    #expect(told.draftLimit == 1024 && chosen.draftLimit == CacheSize.drafts(beside: CacheSize.usual()) / Page.size)
    options.draftBytes = 5 << 20
    #expect(try Store.words(fileSystem, "/c.roost", options).draftLimit == 1280)
    #expect(CacheSize.usual() >= 16 << 20)
    #expect(CacheSize.usual() <= 1 << 30)
  }
}
