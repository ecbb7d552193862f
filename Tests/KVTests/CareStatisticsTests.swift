import RoostKV
import RoostPages
import RoostTestSupport
import Testing

@Suite struct CareStatisticsTests {
  @Test func `the figures describe the content of the store`() throws {
    let fileSystem = SimulatedFileSystem()
    var options = Care.options
    options.fanoutLimit = .max
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    try store.write { writer in
      let table = try writer.table("rows")
      for index in 0..<20_000 { try table.put(UInt64(index), Care.value(index, 100)) }
      try writer.tree("names").put("a", "b")
      _ = try writer.tree("empty")
      try writer.tree("large").put("a", Care.value(1, 50_000))
    }
    let drafts = try store.statistics().draftPages
    #expect(drafts > 500)
    try store.checkpoint()
    var figures = try store.statistics()
    #expect(figures.draftPages == 0)
    #expect(figures.commit == 1 && figures.commits == 1 && figures.checkpoints == 1)
    #expect(figures.trees.map(\.name) == ["empty", "large", "names", "rows"])
    #expect(figures.trees.map(\.entries) == [0, 1, 1, 20_000])
    #expect(figures.trees.map(\.largeValues) == [0, 1, 0, 0])
    #expect(figures.trees.map(\.isTable) == [false, false, false, true])
    #expect(figures.trees.map(\.depth) == [0, 1, 1, 3])
    // 112 bytes an entry, 36 of them in a leaf; ascending keys leave full leaves.
    #expect(abs(figures.trees[3].leaves - 556) < 8)
    #expect(figures.trees[3].fill > 0.97)
    #expect(figures.entries == 20_002)
    #expect(figures.logBytes > 0)
    let verification = try store.verify()
    #expect(verification.pages == figures.pages)
    #expect(verification.freePages == figures.freePages)

    try store.write { writer in
      let table = try writer.table("rows")
      for index in 0..<20_000 where index % 4 > 1 { try table.remove(UInt64(index)) }
    }
    figures = try store.statistics(samples: 300)
    #expect(figures.trees[3].fill > 0.45 && figures.trees[3].fill < 0.75)
    let estimate = Double(figures.trees[3].entries) * 112 / (figures.trees[3].fill * 4040)
    #expect(abs(Double(figures.trees[3].leaves) - estimate) < estimate / 20)
    try store.close()
  }

  @Test func `an old snapshot and its pinned pages are reported`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    try store.checkpoint()
    try store.write { try $0.tree("names").put("a", "b") }
    try store.checkpoint()
    #expect(try store.statistics().oldestSnapshotAge == 0)
    #expect(try store.statistics().pinnedBytes < 20 * 4096)
    try store.read { _ in
      for _ in 0..<7 { try store.write { try $0.tree("names").put("a", "c") } }
      try store.write { try $0.table("rows").removeAll() }
      try store.checkpoint()
      let figures = try store.statistics()
      #expect(figures.oldestSnapshotAge == 8)
      #expect(figures.readers == 1)
      #expect(figures.pinnedBytes > 50 * 4096)
    }
    let figures = try store.statistics()
    #expect(figures.oldestSnapshotAge == 0)
    #expect(figures.pinnedBytes < 20 * 4096)
    try store.close()
  }
}
