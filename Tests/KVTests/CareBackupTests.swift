import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

@Suite struct CareBackupTests {
  private struct Stop: Error {}

  @Test func `a backup contains its snapshot, and is compact`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store)
    try store.checkpoint()
    try store.write { try $0.tree("large").remove("many") }
    let before = try Care.contents(store)
    let commit = try store.read { $0.commit }
    try store.backup(to: "/b.roost")
    #expect(fileSystem.paths == ["/a.roost", "/a.roost-log", "/b.roost"])

    let copy = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    #expect(try Care.contents(copy) == before)
    #expect(try copy.read { $0.commit } == commit)
    let found = try copy.verify()
    #expect(found.findings == [])
    #expect(found.largeValues == 4)
    #expect(found.freePages * 50 <= found.pages)
    #expect(found.pages < (try store.verify().pages))
    try copy.write { try $0.tree("names").put("new", "one") }
    #expect(try copy.verify().findings == [])
    try copy.close()
    #expect(try Care.contents(store) == before)
    try store.close()
  }

  /// Before the fix, a backup to a name with a log beside it removed that log and its commits,
  /// without an error.
  @Test func `a backup does not take the name of a store that left its log behind`() throws {
    let fileSystem = SimulatedFileSystem()
    let lost = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    try lost.write { try $0.tree("t").put("a", "1") }
    let image = fileSystem.crashImage(.none)
    try image.remove("/b.roost")
    let log = try #require(image.contents(of: "/b.roost-log"))
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: image)
    try store.write { try $0.tree("t").put("a", "2") }
    let error = #expect(throws: StoreError.self) { try store.backup(to: "/b.roost") }
    #expect(error?.code == .storeMissing)
    #expect(image.contents(of: "/b.roost-log") == log)
    #expect(image.contents(of: "/b.roost") == nil)
    // With `replacing`, the backup gets the name.
    try store.backup(to: "/b.roost", replacing: true)
    #expect(image.contents(of: "/b.roost-log") == nil)
    #expect(try KeyValueStore.verify("/b.roost", fileSystem: image).isSound)
    try store.close()
    try lost.close()
  }

  /// A backup took the name of a store that had been killed. A crash between its rename and the
  /// removal of the old log leaves that log beside the new store. It is not the log of another
  /// store that a user may need.
  @Test func `a crash while a store is replaced leaves no log to put aside`() throws {
    let fileSystem = SimulatedFileSystem()
    let old = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    try old.write { try $0.tree("t").put("a", "old") }
    let image = fileSystem.crashImage(.all)
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: image)
    try store.write { try $0.tree("t").put("a", "new") }
    var points: [CrashPoint] = []
    image.onStep = { [unowned image] _ in points.append(image.crashPoint()) }
    try store.backup(to: "/b.roost", replacing: true)
    image.onStep = nil
    var found: Set<String> = []
    for point in points {
      for choice in [CrashChoice.none, .all] {
        let left = point.image(choice)
        let again = try KeyValueStore("/b.roost", options: Care.options, fileSystem: left)
        found.insert(try #require(try again.read { try $0.tree("t").string("a") }))
        try again.close()
        #expect(!left.paths.contains { $0.contains(".lost-") }, "\(point.step), \(choice): \(left.paths)")
      }
    }
    #expect(found == ["old", "new"])
    #expect(points.count > 5)
    try store.close()
    try old.close()
  }

  /// The name had the log of a third store.
  @Test func `replacing a store puts the log of a third one aside`() throws {
    let fileSystem = SimulatedFileSystem()
    let third = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    try third.write { try $0.tree("t").put("a", "third") }
    let image = fileSystem.crashImage(.all)
    try image.rename("/b.roost", to: "/third.roost")
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: image)
    try store.write { try $0.tree("t").put("a", "new") }
    try store.backup(to: "/c.roost")
    try image.rename("/c.roost", to: "/b.roost")
    try store.backup(to: "/b.roost", replacing: true)
    let lost = try #require(image.paths.first { $0.contains(".lost-") })
    let salvage = try KeyValueStore.salvage(
      from: "/third.roost", log: lost, to: "/back.roost", options: Care.options, fileSystem: image)
    #expect(salvage.isComplete)
    let back = try KeyValueStore("/back.roost", options: Care.options, fileSystem: image)
    #expect(try back.read { try $0.tree("t").string("a") } == "third")
    // A log is used only by its own store, and only if the store was not closed.
    let wrong = #expect(throws: StoreError.self) {
      try KeyValueStore.salvage(
        from: "/b.roost", log: lost, to: "/d.roost", options: Care.options, fileSystem: image)
    }
    #expect(wrong?.code == .logMissing)
    #expect(image.contents(of: "/d.roost") == nil)
    try back.close()
    try store.close()
    try third.close()
  }

  @Test(arguments: [false, true])
  func `writers continue during a backup, and the backup shows none of their commits`(inMemory: Bool) throws {
    let folder = try ScratchFolder()
    let store =
      try inMemory
      ? KeyValueStore(inMemory: Care.options)
      : KeyValueStore(folder.file("a.roost"), options: Care.options, fileSystem: DiskFileSystem.shared)
    try store.write { writer in
      let table = try writer.table("rows")
      for index in 0..<30_000 { try table.put(UInt64(index), "\(index)") }
    }
    try Care.fill(store, megabytes: false)
    let before = try Care.contents(store)
    var seen: [Int] = []
    var total = 0
    try store.backup(to: folder.file("b.roost")) { progress in
      seen.append(progress.entries)
      total = progress.total
      try store.write { writer in
        try writer.table("rows").removeAll(from: UInt64(seen.count * 1000), to: UInt64(seen.count * 1000 + 900))
        try writer.tree("later").put("\(seen.count)", "x")
      }
      try store.checkpoint()
    }
    #expect(seen.count > 5)
    #expect(seen.sorted() == seen)
    #expect(seen.last == total)
    #expect(try Care.contents(store) != before)
    let copy = try KeyValueStore(folder.file("b.roost"))
    #expect(try Care.contents(copy) == before)
    #expect(try copy.verify().findings == [])
    try copy.close()
    #expect(try store.verify().findings == [])
    try store.close()
  }

  @Test func `an existing file is replaced only on request`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    let other = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    try other.write { try $0.tree("old").put("a", "b") }
    #expect(code { try store.backup(to: "/b.roost") } == .alreadyExists)
    #expect(code { try store.backup(to: "/b.roost", replacing: true) } == .locked)
    #expect(code { try store.backup(to: "/a.roost", replacing: true) } == .locked)
    #expect(try other.read { try $0.tree("old").string("a") } == "b")
    try other.close()
    try store.backup(to: "/b.roost", replacing: true)
    let copy = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    #expect(try Care.contents(copy) == Care.contents(store))
    try copy.close()
    try store.close()
  }

  @Test func `a cancelled backup leaves nothing`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    #expect(throws: Stop.self) { try store.backup(to: "/b.roost") { _ in throw Stop() } }
    #expect(fileSystem.paths == ["/a.roost", "/a.roost-log"])
    try store.backup(to: "/b.roost")
    try store.close()
  }

  /// A backup takes a while. Before the fix, if another program made a store under the name
  /// meanwhile, the backup replaced it with all its acknowledged commits.
  @Test func `a store that was made meanwhile is not replaced`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    var other: KeyValueStore?
    #expect(
      code {
        try store.backup(to: "/b.roost") { _ in
          if other != nil { return }
          other = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
          try other?.write { try $0.tree("new").put("a", "b") }
        }
      } == .alreadyExists)
    #expect(!fileSystem.paths.contains("/b.roost-making"))
    let image = fileSystem.crashImage(.none)
    let found = try KeyValueStore("/b.roost", options: Care.options, fileSystem: image)
    #expect(try found.read { try $0.tree("new").string("a") } == "b")
    try other?.close()
    try store.close()
  }

  /// Before the fix, the new file got its name before its lock was released and before the log of
  /// the replaced file was removed. A program that opened it in between lost its new log; another
  /// backup to the same name could write into the file.
  @Test func `no other program can use a backup before it is complete`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    var couldLock: [Bool] = []
    fileSystem.onStep = { [unowned fileSystem] step in
      guard let file = try? fileSystem.open("/b.roost", .write) else { return }
      couldLock.append((try? file.lock()) ?? false)
    }
    try store.backup(to: "/b.roost")
    fileSystem.onStep = nil
    #expect(couldLock.count >= 3)
    #expect(!couldLock.contains(true))
    #expect(fileSystem.paths == ["/a.roost", "/a.roost-log", "/b.roost"])
    try store.close()
  }

  @Test func `an empty store can be backed up`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try store.backup(to: "/b.roost")
    let copy = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    #expect(try copy.read { try $0.names() } == [])
    #expect(try copy.verify().findings == [])
    try copy.close()
    try store.close()
  }

  @Test func `after a crash at any step the name is that of the old file, of nothing or of a complete backup`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, 60, megabytes: false)
    let expected = try Care.contents(store)
    let other = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    try other.write { try $0.tree("old").put("a", "b") }
    let unclean = fileSystem.crashImage(.all)
    #expect(unclean.paths.contains("/b.roost-log"))
    let source = try KeyValueStore("/a.roost", options: Care.options, fileSystem: unclean)
    var points: [CrashPoint] = []
    unclean.onStep = { [unowned unclean] _ in points.append(unclean.crashPoint()) }
    try source.backup(to: "/b.roost", replacing: true)
    try source.backup(to: "/c.roost")
    unclean.onStep = nil
    #expect(points.count > 20)
    var outcomes: [String: Int] = [:]
    for (index, point) in points.enumerated() {
      for choice in point.choices(
        CrashPolicy(exhaustiveUpTo: 2, ofEach: 2, randoms: 2, garbage: 1, seed: UInt64(index)))
      {
        let image = point.image(choice)
        for name in ["/b.roost", "/c.roost"] {
          guard try image.exists(name) else {
            outcomes[name + " absent", default: 0] += 1
            #expect(name == "/c.roost", "step \(index), \(choice)")
            continue
          }
          let found = try KeyValueStore(name, options: Care.options, fileSystem: image)
          let contents = try Care.contents(found)
          if contents == expected {
            outcomes[name + " new", default: 0] += 1
          } else {
            outcomes[name + " old", default: 0] += 1
            #expect(contents == ["old": [Array("a".utf8): Array("b".utf8)]], "step \(index), \(choice)")
          }
          try found.close()
        }
      }
    }
    #expect(Set(outcomes.keys) == ["/b.roost old", "/b.roost new", "/c.roost absent", "/c.roost new"])
    try source.close()
    try other.close()
    try store.close()
  }

  @Test(arguments: [CallKind.write, .sync, .rename, .truncate, .open])
  func `a failing device leaves the source intact and no incomplete backup`(kind: CallKind) throws {
    for nth in 1..<40 {
      let fileSystem = SimulatedFileSystem()
      let store = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
      try Care.fill(store, 60, megabytes: false)
      let expected = try Care.contents(store)
      fileSystem.inject(FaultRule(kind, path: "making", nth: nth, .error(ErrorNumber.noSpace)))
      let failed = code { try store.backup(to: "/b.roost") }
      fileSystem.clearFaults()
      if failed == nil { break }
      #expect(nth < 39)
      #expect(!fileSystem.paths.contains("/b.roost"))
      #expect(!fileSystem.paths.contains("/b.roost-making"))
      #expect(try Care.contents(store) == expected)
      try store.close()
    }
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }
}
