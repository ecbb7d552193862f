import RoostCare
import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostKV

@Suite struct CareReadOnlyTests {
  /// Before the fix, a backup by a read-only store took the owner's reuse of a page for damage.
  @Test func `a backup starts again if the owner has used pages again`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try KeyValueStore("/a.roost", options: Care.options, fileSystem: fileSystem)
    try Care.fill(owner, megabytes: false)
    try owner.checkpoint()
    var options = Care.options
    options.readOnly = true
    options.cacheBytes = 64 * Page.size
    let reader = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    for round in 0..<6 {
      try owner.write { writer in
        let tree = try writer.tree("names")
        for index in 0..<400 { try tree.put("name \(index)", "round \(round)") }
      }
      try owner.checkpoint()
    }
    try reader.backup(to: "/b.roost")
    let copy = try KeyValueStore("/b.roost", options: Care.options, fileSystem: fileSystem)
    #expect(try Care.contents(copy) == Care.contents(owner))
    #expect(try copy.verify().findings == [])
    try copy.close()
    try reader.close()
    try owner.close()
  }

  /// A container reads a `Store` without the reader that renews itself. Before the fix, its backup
  /// failed the first time.
  @Test(arguments: [1, 4, 99]) func `a backup of one snapshot uses a newer one, at most ten times`(
    meddlings: Int
  )
    throws
  {
    let disk = SimulatedFileSystem()
    let owner = try KeyValueStore(Self.path, options: Care.options, fileSystem: disk)
    try Care.fill(owner, megabytes: false)
    try owner.checkpoint()
    let fileSystem = MeddlingFileSystem(disk)
    var options = Self.readOnly
    options.cacheBytes = 64 * Page.size
    let floor = Replay.floor
    let store = try Store.open(Self.path, options: options, fileSystem: fileSystem, floor: floor)
    var (left, rounds) = (meddlings, 0)
    var isCopying = false
    fileSystem.meddle = { path in
      // After an attempt has read a few pages, the owner uses all other pages again.
      guard isCopying, path == Self.path, left > 0, fileSystem.reads % 12 == 0 else { return }
      left -= 1
      for _ in 0..<4 {
        rounds += 1
        do {
          try owner.write { writer in
            let tree = try writer.tree("names")
            for index in 0..<400 { try tree.put("name \(index)", "round \(rounds)") }
          }
          try owner.checkpoint()
        } catch { Issue.record(error) }
      }
    }
    isCopying = true
    let make = { try Backup.copy(store, floor: floor, to: "/b.roost", replacing: false, report: nil) }
    if meddlings == 99 {
      let error = #expect(throws: StoreError.self) { try make() }
      #expect(error?.code == .busy)
      #expect(error?.detail.contains("make the backup in that process") == true)
      #expect(try !disk.exists("/b.roost"))
    } else {
      try make()
      let copy = try KeyValueStore("/b.roost", options: Care.options, fileSystem: disk)
      #expect(try Care.contents(copy) == Care.contents(owner))
      #expect(try copy.verify().findings == [])
      try copy.close()
    }
    #expect(rounds >= 4)
    try store.close()
    try owner.close()
  }

  private static let path = "/a.roost"

  private static var readOnly: StoreOptions {
    var options = Care.options
    options.readOnly = true
    return options
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }

  @Test(arguments: [false, true])
  func `a reader sees commits that are only in the owner's log, and writes nothing`(checkpointed: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    if checkpointed {
      // Places before the file's end are free, so the log names some of them.
      try owner.write { try $0.tree("gone").put("a", Care.value(8, 12_000_000)) }
      try owner.checkpoint()
      try owner.write { _ = try $0.drop("gone") }
      try owner.checkpoint()
    }
    try Care.fill(owner)
    let expected = try Care.contents(owner)
    let step = fileSystem.step
    let reader = try KeyValueStore(Self.path, options: Self.readOnly, fileSystem: fileSystem)
    #expect(try Care.contents(reader) == expected)
    #expect(try reader.verify().findings == [])
    #expect(try reader.statistics().entries == owner.statistics().entries)
    #expect(code { try reader.write { _ = try $0.tree("a") } } == .readOnly)
    try reader.checkpoint()
    try reader.close()
    #expect(fileSystem.step == step)
    try owner.close()
  }

  @Test func `a reader shows newer commits when it is refreshed`() throws {
    let fileSystem = SimulatedFileSystem()
    #expect(
      code { _ = try KeyValueStore(Self.path, options: Self.readOnly, fileSystem: fileSystem) } == .notFound)
    let owner = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    let reader = try KeyValueStore(Self.path, options: Self.readOnly, fileSystem: fileSystem)
    #expect(try reader.refresh() == false)
    for round in 0..<30 {
      try owner.write { try $0.tree("t").put("key", "\(round)") }
      if round % 7 == 3 { try owner.checkpoint() }
      #expect(try reader.refresh())
      #expect(try reader.read { try $0.tree("t").string("key") } == "\(round)")
      #expect(try reader.refresh() == false)
    }
    #expect(try owner.refresh() == false)
    try owner.close()
    #expect(try reader.refresh() == false)
    #expect(try reader.read { try $0.tree("t").string("key") } == "29")
    #expect(!fileSystem.paths.contains(Self.path + "-log"))
    try reader.close()
  }

  /// Writes everything again until the places of the older state are used again.
  private func churn(_ owner: KeyValueStore, _ text: String) throws {
    for _ in 0..<3 {
      try owner.write { writer in
        let tree = try writer.tree("t")
        for index in 0..<300 { try tree.put("key \(index)", text + " \(index) of much more text than before") }
      }
      try owner.checkpoint()
    }
  }

  @Test func `if the owner used pages again, the closure runs on a newer snapshot`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try churn(owner, "old")
    let reader = try KeyValueStore(Self.path, options: Self.readOnly, fileSystem: fileSystem)
    var runs = 0
    let values = try reader.read { snapshot in
      runs += 1
      let first = try snapshot.tree("t").string("key 0")
      if runs == 1 { try churn(owner, "new") }
      return try [first] + (1..<300).map { try snapshot.tree("t").string("key \($0)") }
    }
    #expect(runs == 2)
    #expect(values.allSatisfy { $0?.hasPrefix("new ") == true })

    // The reader's memory has no page of the newer snapshot yet.
    try churn(owner, "newer")
    try reader.refresh()
    runs = 0
    let failed = code {
      try reader.read { snapshot in
        runs += 1
        try churn(owner, "run \(runs)")
        for index in 0..<300 { _ = try snapshot.tree("t").string("key \(index)") }
      }
    }
    #expect(failed == .busy)
    #expect(runs == 10)
    #expect(try reader.read { try $0.tree("t").string("key 7") }?.hasPrefix("run 10 ") == true)
    try reader.close()
    try owner.close()
  }

  @Test func `damage is reported at once`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try churn(owner, "old")
    try owner.close()
    let rows = try #require(fileSystem.contents(of: Self.path))
    let place = try #require(
      (2..<rows.count / Page.size).last { rows[$0 * Page.size] == Page.Kind.byteLeaf.rawValue })
    var bytes = rows
    for page in 2...place where bytes[page * Page.size] == Page.Kind.byteLeaf.rawValue && page % 3 == 0 {
      bytes[page * Page.size + 100] ^= 8
    }
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    let reader = try KeyValueStore(Self.path, options: Self.readOnly, fileSystem: fileSystem)
    var runs = 0
    let failed = code {
      try reader.read { snapshot in
        runs += 1
        for index in 0..<300 { _ = try snapshot.tree("t").string("key \(index)") }
      }
    }
    #expect(failed == .damaged)
    #expect(runs == 1)
    try reader.close()
  }

  @Test func `damage in the log is reported, and growth is not taken for damage`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    for round in 0..<30 { try owner.write { try $0.tree("t").put("\(round)", Care.value(round, 500)) } }
    var bytes = try #require(fileSystem.contents(of: Self.path + "-log"))
    bytes[4096 + 96 + 3000] ^= 1
    let image = fileSystem.crashImage(.all)
    #expect(image.overwrite(Self.path + "-log", with: bytes))
    #expect(code { _ = try KeyValueStore(Self.path, options: Self.readOnly, fileSystem: image) } == .logDamaged)
    try owner.close()
  }

  @Test func `a reader beside a busy owner sees whole commits`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.roost")
    var options = Care.options
    options.segmentBytes = 1 << 13
    let owner = try KeyValueStore(path, options: options, fileSystem: DiskFileSystem.shared)
    let count = 40
    try owner.write { writer in
      let tree = try writer.tree("t")
      for index in 0..<count { try tree.put("key \(index)", "0") }
    }
    let done = Flag()
    let thread = try Thread {
      do {
        var round = 0
        while !done.isSet {
          round += 1
          try owner.write(.relaxed) { writer in
            let tree = try writer.tree("t")
            for index in 0..<count { try tree.put("key \(index)", "\(round)") }
          }
          if round % 11 == 0 { try owner.checkpoint() }
        }
      } catch { Issue.record(error) }
    }
    var last = -1
    var overtaken = 0
    for _ in 0..<60 {
      do {
        let reader = try KeyValueStore(path, options: Self.readOnly, fileSystem: DiskFileSystem.shared)
        let values = try reader.read { snapshot in
          try (0..<count).map { try snapshot.tree("t").string("key \($0)") }
        }
        #expect(Set(values).count == 1)
        let now = values.first.flatMap { $0 }.flatMap { Int($0) } ?? -1
        #expect(now >= last)
        last = now
        try reader.close()
      } catch let error as StoreError where error.code == .busy { overtaken += 1 }
    }
    done.set()
    thread.join()
    #expect(last > 0)
    #expect(overtaken < 60)
    try owner.close()
  }
}

private final class Flag: @unchecked Sendable {
  // `@unchecked Sendable`: `lock` guards the value.
  private let lock = Lock()
  private var value = false
  var isSet: Bool { lock.withLock { value } }
  func set() { lock.withLock { value = true } }
}
