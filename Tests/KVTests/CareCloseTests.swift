import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// A close that gives free pages back: the file is clean before, so nothing may be lost and nothing may be refused.
@Suite struct CareCloseTests {
  private static let path = "/a.roost"

  /// An open store whose last pages are in use while many before them are free.
  private func holedStore(_ fileSystem: SimulatedFileSystem, rows: Int = 800) throws -> KeyValueStore {
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      let table = try writer.table("gone")
      for index in 0..<rows { try table.put(UInt64(index), Care.value(index, 100)) }
    }
    try store.checkpoint()
    try Care.fill(store, 60, megabytes: false)
    try store.checkpoint()
    try store.write { try $0.drop("gone") }
    return store
  }

  private func size(_ fileSystem: SimulatedFileSystem) -> Int { fileSystem.contents(of: Self.path)?.count ?? 0 }

  @Test func `a closed store has given back the pages that were free`() throws {
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
    // A reader changes nothing, and a writer goes on.
    let bytes = fileSystem.contents(of: Self.path)
    try again.close()
    #expect(fileSystem.contents(of: Self.path) == bytes)
    let third = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try third.write { try $0.tree("names").put("again", "x") }
    #expect(try third.read { $0.commit } == commit + 1)
    try third.close()
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])
  }

  @Test func `a file of which little is free is left alone`() throws {
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

  @Test func `a machine that stops while pages are moved has lost nothing`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem)
    let expected = try Care.contents(store)
    let commit = try store.read { $0.commit }
    let order = OrderChecker(fileSystem, path: Self.path, segmentBytes: Care.options.segmentBytes)
    var points: [(crash: CrashPoint, isBehindLog: Bool)] = []
    var isBehindLog = false
    fileSystem.onStep = { [unowned fileSystem] step in
      order.stepped(step)
      if step.kind == .remove { isBehindLog = true }
      points.append((fileSystem.crashPoint(), isBehindLog))
    }
    let before = size(fileSystem)
    try store.close()
    fileSystem.onStep = nil
    fileSystem.observer = nil
    #expect(order.takeComplaints() == [])
    #expect(size(fileSystem) < before * 2 / 3)
    #expect(points.count { $0.isBehindLog } > 5)
    for (index, point) in points.enumerated() {
      let policy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 2, randoms: 2, garbage: 1, seed: UInt64(index))
      for choice in point.crash.choices(policy) {
        let image = point.crash.image(choice)
        let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
        #expect(try again.read { $0.commit } == commit, "point \(index), \(choice)")
        #expect(try Care.contents(again) == expected, "point \(index), \(choice)")
        try again.close()
        #expect(try KeyValueStore.verify(Self.path, fileSystem: image).findings == [], "point \(index), \(choice)")
      }
    }
  }

  /// The calls that move pages, each with its number among the calls of its kind.
  private func moves() throws -> [(kind: CallKind, nth: Int)] {
    let fileSystem = SimulatedFileSystem()
    let store = try holedStore(fileSystem)
    fileSystem.recordsSteps = true
    fileSystem.forgetSteps()
    try store.close()
    var counts: [CallKind: Int] = [:]
    var found: [(kind: CallKind, nth: Int)] = []
    var isBehindLog = false
    for step in fileSystem.steps {
      counts[step.kind, default: 0] += 1
      if isBehindLog, step.kind != .syncDirectory { found.append((step.kind, counts[step.kind, default: 0])) }
      if step.kind == .remove { isBehindLog = true }
    }
    return found
  }

  @Test(arguments: [false, true]) func `no error while pages are moved is an error of the close`(forever: Bool) throws {
    let moves = try moves()
    #expect(Set(moves.map(\.kind)) == [.write, .sync, .truncate])
    for (kind, nth) in moves {
      var effects: [FaultRule.Effect] = [
        .error(ErrorNumber.io), .error(ErrorNumber.noSpace), .errorAfterEffect(ErrorNumber.io),
      ]
      if kind == .sync { effects += [.sync(.keptAndMarkedClean), .sync(.reverted)] }
      for effect in effects {
        let fileSystem = SimulatedFileSystem()
        let store = try holedStore(fileSystem)
        let expected = try Care.contents(store)
        let rule = FaultRule(kind, nth: nth, effect, forever: forever)
        fileSystem.inject(rule)
        try store.close()
        fileSystem.clearFaults()
        #expect(fileSystem.contents(of: Self.path + "-log") == nil)
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
}
