import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

@Suite struct CareCompactTests {
  private static let path = "/a.roost"

  /// A store whose tail is full and whose middle is free.
  private func holedStore(
    _ fileSystem: any FileSystem, _ path: String = CareCompactTests.path, megabytes: Bool = true, rows: Int = 4000
  ) throws -> KeyValueStore {
    let store = try KeyValueStore(path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      let table = try writer.table("gone")
      for index in 0..<rows { try table.put(UInt64(index), Care.value(index, 100)) }
      if megabytes { try writer.tree("blob").put("a", Care.value(8, 14_000_000)) }
    }
    try store.checkpoint()
    try Care.fill(store, 300, megabytes: megabytes)
    try store.write { writer in
      let table = try writer.table("last")
      for index in 0..<rows / 2 { try table.put(UInt64(index), Care.value(index, 60)) }
    }
    try store.checkpoint()
    try store.write { writer in
      try writer.drop("gone")
      try writer.drop("blob")
    }
    return store
  }

  private func size(_ fileSystem: SimulatedFileSystem) -> Int { fileSystem.contents(of: Self.path)?.count ?? 0 }

  @Test(arguments: [60, 5000])
  func `compaction in steps makes the file nearly as short as a backup`(budget: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem)
    try store.checkpoint()
    let before = size(fileSystem)
    var expected = try Care.contents(store)
    var last = before
    var steps = 0
    while true {
      let step = try store.compact(pages: budget)
      #expect(size(fileSystem) <= last)
      #expect(step.pages <= step.pagesBefore)
      last = size(fileSystem)
      if step.isDone { break }
      steps += 1
      #expect(steps < 500)
      if steps % 5 == 0 {
        #expect(try store.verify().findings == [])
        #expect(try Care.contents(store) == expected)
        try store.write { try $0.tree("names").put("step \(steps)", "x") }
        expected["names"]?[Array("step \(steps)".utf8)] = [UInt8(ascii: "x")]
      }
    }
    #expect(steps > 0)
    #expect(try Care.contents(store) == expected)
    #expect(try store.verify().findings == [])
    try store.backup(to: "/b.roost")
    let ideal = try #require(fileSystem.contents(of: "/b.roost")).count
    #expect(size(fileSystem) < before / 2)
    #expect(size(fileSystem) < ideal + ideal / 20)
    // A second run finds nothing more to do.
    #expect(try store.compact(pages: budget).isDone)
    try store.close()
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    #expect(try Care.contents(again) == expected)
    #expect(try again.verify().findings == [])
    try again.close()
  }

  @Test func `a file that is compact, or cannot become compact, is not changed`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    #expect(try store.compact().isDone)
    try Care.fill(store, megabytes: false)
    try store.checkpoint()
    for _ in 0..<3 {
      let before = size(fileSystem)
      let step = try store.compact()
      #expect(size(fileSystem) <= before)
      if step.isDone { break }
    }
    #expect(try store.compact().movedPages == 0)
    try store.close()
    let memory = try KeyValueStore(inMemory: Care.options)
    try Care.fill(memory, megabytes: false)
    #expect(try memory.compact().isDone)
    try memory.close()
  }

  @Test func `an old snapshot keeps its pages through compaction`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem)
    try store.checkpoint()
    try store.read { reader in
      let step = try store.compact(pages: 2000)
      #expect(step.movedPages > 100)
      var before = 0
      while try !store.compact(pages: 2000).isDone { before += 1 }
      for name in ["names", "large"] {
        try reader.tree(name).forEach { _, _ in true }
      }
      #expect(try reader.table("last").value(77) == Care.value(77, 60))
      #expect(try reader.tree("large").value("many") == Care.value(3, 9_500_000))
    }
    let held = size(fileSystem)
    while try !store.compact(pages: 2000).isDone {}
    #expect(size(fileSystem) < held)
    #expect(try store.verify().findings == [])
    try store.close()
  }

  /// Before the fix, the map of free places listed more regions than a shorter file has, and such a
  /// file was refused.
  @Test func `a file that becomes much shorter can be opened again`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    var store = try KeyValueStore(path)
    try store.write { writer in
      let tree = try writer.tree("blobs")
      for index in 0..<9 { try tree.put("\(index)", Care.value(index, 1 << 24)) }
    }
    try store.checkpoint()
    #expect(try store.statistics().pages > FreeMapPage.places)
    try store.write { try $0.tree("blobs").removeAll() }
    while try !store.compact().isDone {}
    #expect(try store.statistics().pages < 100)
    try store.close()
    store = try KeyValueStore(path)
    #expect(try store.verify().findings == [])
    try store.write { try $0.tree("blobs").put("again", Care.value(1, 1 << 24)) }
    #expect(try store.verify().findings == [])
    try store.close()
  }

  @Test func `a crash in compaction loses nothing`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem, megabytes: false, rows: 2000)
    let expected = try Care.contents(store)
    var points: [CrashPoint] = []
    fileSystem.onStep = { [unowned fileSystem] _ in points.append(fileSystem.crashPoint()) }
    var steps = 0
    while try !store.compact(pages: 40).isDone {
      steps += 1
      try store.write { try $0.tree("more").put("\(steps)", Care.value(steps, 200)) }
    }
    fileSystem.onStep = nil
    #expect(steps > 1)
    var random = SplitMix64(seed: 5)
    for (index, point) in points.enumerated() where index % 3 == 0 {
      let policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 1, seed: random.next())
      for choice in point.choices(policy) {
        let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: point.image(choice))
        var found = try Care.contents(again)
        found["more"] = nil
        #expect(found == expected, "point \(index), \(choice)")
        try again.close()
        let sound = try KeyValueStore.verify(Self.path, fileSystem: again.store.fileSystem)
        #expect(sound.findings == [], "point \(index), \(choice)")
      }
    }
    try store.close()
  }
}
