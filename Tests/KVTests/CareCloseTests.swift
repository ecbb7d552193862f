import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// A close that returns free pages. The file is clean before, so nothing may be lost and nothing
/// may be refused.
@Suite struct CareCloseTests {
  private static let path = "/a.roost"

  /// An open store whose last pages are in use while many before them are free.
  private func holedStore(
    _ fileSystem: SimulatedFileSystem, rows: Int = 800, names: Int = 60, step: Int = 2048
  ) throws -> KeyValueStore {
    let store = try KeyValueStore(Self.path, options: options(step), fileSystem: fileSystem)
    try store.write { writer in
      let table = try writer.table("gone")
      for index in 0..<rows { try table.put(UInt64(index), Care.value(index, 100)) }
    }
    try store.checkpoint()
    try Care.fill(store, names, megabytes: false)
    try store.checkpoint()
    try store.write { try $0.drop("gone") }
    return store
  }

  private func options(_ step: Int) -> StoreOptions {
    var options = Care.options
    options.closingStep = step
    options.say = { _ in }
    return options
  }

  private func size(_ fileSystem: SimulatedFileSystem) -> Int { fileSystem.contents(of: Self.path)?.count ?? 0 }

  @Test func `a closed store has returned its free pages`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem, rows: 4000)
    let expected = try Care.contents(store)
    let commit = try store.read { $0.commit }
    try store.backup(to: "/b.roost")
    let ideal = try #require(fileSystem.contents(of: "/b.roost")).count
    let before = size(fileSystem)
    try store.close()
    #expect(size(fileSystem) < before / 2)
    #expect(size(fileSystem) < ideal + 64 * Page.size)
    #expect(fileSystem.contents(of: Self.path + "-log") == nil)
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    #expect(try again.read { $0.commit } == commit)
    #expect(try Care.contents(again) == expected)
    #expect(try again.verify().findings == [])
    // A reader changes nothing, and a writer continues.
    let bytes = fileSystem.contents(of: Self.path)
    try again.close()
    #expect(fileSystem.contents(of: Self.path) == bytes)
    let third = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try third.write { try $0.tree("names").put("again", "x") }
    #expect(try third.read { $0.commit } == commit + 1)
    try third.close()
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])
  }

  @Test func `a close moves as much as was written, not only one step`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem, rows: 8000, step: 2048)
    try store.backup(to: "/b.roost")
    let ideal = try #require(fileSystem.contents(of: "/b.roost")).count
    try store.close()
    let single = size(fileSystem)
    #expect(single < ideal + 64 * Page.size)
    // A quarter of the written bytes is many steps of 16 pages.
    let other = SimulatedFileSystem()
    let inSteps = try holedStore(other, rows: 8000, step: 16)
    let expected = try Care.contents(inSteps)
    try inSteps.close()
    #expect(size(other) < single + 64 * Page.size)
    let again = try KeyValueStore(Self.path, options: options(16), fileSystem: other)
    #expect(try Care.contents(again) == expected)
    #expect(try again.verify().findings == [])
    try again.close()
    // After a short use only one step is made, although hundreds of pages could be moved.
    let third = SimulatedFileSystem()
    try holedStore(third, rows: 8000, names: 2000, step: 0).close()
    let unmoved = size(third)
    let short = try KeyValueStore(Self.path, options: options(96), fileSystem: third)
    try short.write { try $0.tree("names").put("again", "x") }
    try short.close()
    let after = size(third)
    #expect(after < unmoved && after > unmoved / 2, "\(unmoved), \(after)")
  }

  @Test func `a file with little free space is not changed`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, 300, megabytes: false)
    try store.close()
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try again.write { try $0.tree("names").put("again", "x") }
    fileSystem.recordsSteps = true
    fileSystem.forgetSteps()
    try again.close()
    // After the log is removed, only the folder is touched.
    #expect(fileSystem.steps.suffix(2).map(\.kind) == [.remove, .syncDirectory])
  }

  @Test(arguments: [2048, 12]) func `a machine that stops while pages are moved loses nothing`(step: Int) throws {
    let first = try stepsOfClose(0).count
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem, step: step)
    let expected = try Care.contents(store)
    let commit = try store.read { $0.commit }
    let order = OrderChecker(fileSystem, path: Self.path, segmentBytes: Care.options.segmentBytes)
    var points: [CrashPoint] = []
    fileSystem.onStep = { [unowned fileSystem] step in
      order.stepped(step)
      points.append(fileSystem.crashPoint())
    }
    let before = size(fileSystem)
    try store.close()
    fileSystem.onStep = nil
    fileSystem.observer = nil
    #expect(order.takeComplaints() == [])
    #expect(size(fileSystem) < (step == 2048 ? before * 2 / 3 : before))
    #expect(points.count > first + (step == 2048 ? 5 : 15))
    for (index, point) in points.enumerated() {
      let policy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 2, randoms: 2, garbage: 1, seed: UInt64(index))
      for choice in point.choices(policy) {
        let image = point.image(choice)
        let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
        #expect(try again.read { $0.commit } == commit, "point \(index), \(choice)")
        #expect(try Care.contents(again) == expected, "point \(index), \(choice)")
        try again.close()
        #expect(try KeyValueStore.verify(Self.path, fileSystem: image).findings == [], "point \(index), \(choice)")
      }
    }
  }

  /// The calls of a close until it removes the log.
  private func stepsOfClose(_ step: Int) throws -> [CallKind] {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem, step: step)
    fileSystem.recordsSteps = true
    fileSystem.forgetSteps()
    try store.close()
    return fileSystem.steps.map(\.kind).prefix { $0 != .remove } + []
  }

  /// The calls that move pages, each with its number among the calls of its kind.
  private func moves(_ step: Int) throws -> [(kind: CallKind, nth: Int)] {
    let first = try stepsOfClose(0).count
    var counts: [CallKind: Int] = [:]
    var found: [(kind: CallKind, nth: Int)] = []
    for (index, kind) in try stepsOfClose(step).enumerated() {
      counts[kind, default: 0] += 1
      if index >= first { found.append((kind, counts[kind, default: 0])) }
    }
    return found
  }

  @Test(arguments: [2048, 12], [false, true])
  func `no error while pages are moved is an error of the close`(step: Int, forever: Bool) throws {
    let moves = try moves(step)
    #expect(Set(moves.map(\.kind)) == [.write, .sync, .truncate])
    for (kind, nth) in moves {
      for effect in effects(kind) {
        let fileSystem = SimulatedFileSystem()
        let store = try holedStore(fileSystem, step: step)
        let expected = try Care.contents(store)
        let rule = FaultRule(kind, nth: nth, effect, forever: forever)
        fileSystem.inject(rule)
        try store.close()
        fileSystem.clearFaults()
        // If no superblock can be written any more, the log stays for the next opening.
        let stays = forever && kind != .truncate
        let log = fileSystem.contents(of: Self.path + "-log")
        #expect((log != nil) == stays, "\(rule)")
        // Its records are in the file, and each reader would read them.
        #expect(log?.count ?? 0 < Care.options.segmentBytes, "\(rule)")
        for image in [fileSystem, fileSystem.crashImage(.none), fileSystem.crashImage(.all)] {
          let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
          #expect(try Care.contents(again) == expected, "\(rule)")
          #expect(try again.verify().findings == [], "\(rule)")
          try again.write { try $0.tree("names").put("again", "x") }
          try again.close()
        }
      }
    }
  }

  private func effects(_ kind: CallKind) -> [FaultRule.Effect] {
    var effects: [FaultRule.Effect] = [
      .error(ErrorNumber.io), .error(ErrorNumber.noSpace), .errorAfterEffect(ErrorNumber.io),
    ]
    if kind == .sync { effects += [.sync(.keptAndMarkedClean), .sync(.reverted)] }
    return effects
  }

  /// A superblock whose write or sync failed may be readable and still be lost in a crash. Until it
  /// is durable, the other one must not be overwritten.
  @Test(arguments: [false, true])
  func `a machine that stops after a failed close and a new opening loses nothing`(forever: Bool) throws {
    var images = 0
    for (kind, nth) in try moves(2048) where kind != .truncate {
      for effect in effects(kind).dropFirst(kind == .write ? 2 : 0) {
        let fileSystem = SimulatedFileSystem()
        let store = try holedStore(fileSystem)
        let expected = try Care.contents(store)
        let rule = FaultRule(kind, nth: nth, effect, forever: forever)
        fileSystem.inject(rule)
        try store.close()
        fileSystem.clearFaults()
        var points: [CrashPoint] = []
        fileSystem.onStep = { [unowned fileSystem] step in
          if step.path == Self.path { points.append(fileSystem.crashPoint()) }
        }
        let again = try KeyValueStore(Self.path, options: options(0), fileSystem: fileSystem)
        try again.write { try $0.tree("names").put("again", "x") }
        fileSystem.onStep = nil
        for (index, point) in points.enumerated() {
          let policy = CrashPolicy(exhaustiveUpTo: 4, ofEach: 2, randoms: 12, garbage: 4, seed: UInt64(index))
          for choice in point.choices(policy) {
            images += 1
            let third = try KeyValueStore(Self.path, options: options(0), fileSystem: point.image(choice))
            var found = try Care.contents(third)
            found["names"]?[Array("again".utf8)] = nil
            #expect(found == expected, "\(rule), point \(index), \(choice)")
            try third.close()
          }
        }
        try again.close()
      }
    }
    #expect(images > 500, "\(images)")
  }
}
