import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// Failures that stores like this one have had before, each tested by its name.
@Suite struct NamedTests {
  private static let path = "/a.roost"

  private func code<Result>(_ body: () throws -> Result) -> StoreError.Code? {
    do { _ = try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  private func filled(_ fileSystem: SimulatedFileSystem) throws -> KeyValueStore {
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      let tree = try writer.tree("t")
      for index in 0..<200 { try tree.put("key \(1000 + index)", "\(index)") }
      let table = try writer.table("n")
      for index in 0..<200 { try table.put(UInt64(index), "\(index)") }
    }
    return store
  }

  /// A cursor met a leaf that could not be read and threw. Before the fix, the next move began
  /// again at the first entry, or continued after the unreadable leaf as if nothing were missing.
  @Test(arguments: [false, true], [0, 1, 2, 5, 9])
  func `a cursor that has thrown keeps its place until it is placed again`(backward: Bool, nth: Int) throws {
    let fileSystem = SimulatedFileSystem()
    try filled(fileSystem).close()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    defer { try? store.close() }
    try store.read { reader in
      fileSystem.inject(FaultRule(.read, nth: 3 + nth, .error(ErrorNumber.io)))
      defer { fileSystem.clearFaults() }
      var cursor = try reader.tree("t").cursor()
      var seen = 0
      var hasThrown = false
      for _ in 0..<500 where !hasThrown {
        do {
          guard try backward ? cursor.previous() : cursor.next() else { break }
          seen += 1
        } catch { hasThrown = true }
      }
      guard hasThrown else { return #expect(seen == 200) }
      for _ in 0..<3 {
        let isAtEntry = cursor.isAtEntry
        #expect(!isAtEntry)
        let (next, previous) = (code { try cursor.next() }, code { try cursor.previous() })
        #expect(next == .ioError)
        #expect(previous == .ioError)
      }
      // It is placed again, and then everything is there.
      let isPlaced = try backward ? cursor.last() : cursor.first()
      #expect(isPlaced)
      var count = 1
      while try backward ? cursor.previous() : cursor.next() { count += 1 }
      #expect(count == 200)
    }
    try store.read { reader in
      fileSystem.inject(FaultRule(.read, nth: 1 + nth, .error(ErrorNumber.io)))
      defer { fileSystem.clearFaults() }
      var cursor = try reader.table("n").cursor()
      var seen: [UInt64] = []
      var errors = 0
      for _ in 0..<500 {
        do {
          guard try backward ? cursor.previous() : cursor.next() else { break }
          seen.append(try cursor.key)
        } catch {
          errors += 1
          if errors > 3 { break }
        }
      }
      let expected = backward ? Array((0..<200 as Range<UInt64>).reversed()) : Array(0..<200)
      #expect(seen == Array(expected.prefix(seen.count)))
      #expect(errors == 0 || seen.count < 200)
    }
  }

  @Test(arguments: 1...12) func `two crashes, one in a commit and one in its repair`(seed: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let store = try filled(fileSystem)
    var points: [CrashPoint] = []
    fileSystem.onStep = { [unowned fileSystem] _ in points.append(fileSystem.crashPoint()) }
    try store.write { try $0.tree("t").put("new", Care.value(seed, 9000)) }
    fileSystem.onStep = nil
    let acknowledged = fileSystem.crashPoint()
    for point in points + [acknowledged] {
      let image = point.image(.random(UInt64(seed)))
      var repairs: [CrashPoint] = []
      image.onStep = { [unowned image] _ in repairs.append(image.crashPoint()) }
      let first = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
      let found = try Care.contents(first)
      image.onStep = nil
      for repair in repairs {
        let again = repair.image(.random(UInt64(seed + 100)))
        let second = try KeyValueStore(Self.path, options: Care.options, fileSystem: again)
        let contents = try Care.contents(second)
        #expect(contents == found)
        #expect(contents["t"]?.count == (contents["t"]?[Array("new".utf8)] == nil ? 200 : 201))
        // A superblock may be torn while it is written; verify would report that too.
        #expect(try Audit.findings(second) == [])
        try second.close()
      }
      if point.step == acknowledged.step { #expect(found["t"]?.count == 201) }
      try first.close()
    }
    try store.close()
  }

  /// A write that moves nothing is not the end of the file, and an empty value is not a missing
  /// value.
  @Test func `a write of zero bytes is an error, and a value of zero bytes a value`() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try filled(fileSystem)
    fileSystem.inject(FaultRule(.write, nth: 1, .zeroTransfer, forever: true))
    #expect(code { try store.write { try $0.tree("t").put("lost", "x") } } != nil)
    fileSystem.clearFaults()
    try? store.close()
    store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.tree("t").put("empty", "")
      try writer.table("n").put(900, [UInt8]())
    }
    let image = fileSystem.crashImage(.none)
    try store.close()
    for fileSystem in [fileSystem, image] {
      let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
      try again.read { reader in
        let tree = try reader.tree("t")
        let table = try reader.table("n")
        #expect(try tree.value("empty") == [])
        #expect(try tree.value("lost") == nil)
        #expect(try table.value(900) == [])
        #expect(tree.count == 201)
      }
      #expect(try again.verify().findings == [])
      try again.close()
    }
  }

  /// The handle of a tree, kept after its transaction, must neither read nor change anything.
  @Test func `a transaction whose commit failed is over`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try filled(fileSystem)
    var kept: WritableTree?
    var writer: Writer?
    fileSystem.inject(FaultRule(.sync, nth: 1, .error(ErrorNumber.io)))
    let end = code {
      try store.write {
        writer = $0
        kept = try $0.tree("t")
        try kept?.put("lost", "x")
      }
    }
    fileSystem.clearFaults()
    #expect(end == .commitUncertain)
    #expect(code { try kept?.put("more", "y") } == .closed)
    #expect(code { _ = try kept?.value("key 1001") } == .closed)
    #expect(code { _ = try writer?.tree("other") } == .closed)
    #expect(code { _ = try writer?.names() } == .closed)
    #expect(code { try writer?.savepoint {} } == .closed)
    #expect(code { try store.write { try $0.tree("t").put("next", "z") } } == .poisoned)
    #expect(try store.read { try $0.tree("t").count } == 200)
    try store.close()
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    let count = try again.read { try $0.tree("t").count }
    #expect(count == 200 || count == 201)
    try again.write { try $0.tree("t").put("next", "z") }
    #expect(try again.verify().findings == [])
    try again.close()
  }

  @Test func `a change that failed half way cannot be committed`() throws {
    let fileSystem = SimulatedFileSystem()
    try filled(fileSystem).close()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    var failed = 0
    // The first page that is read, the one with the names, has a copy.
    for nth in 2...7 {
      let before = try Care.contents(try reopenedForReading(fileSystem))
      let end = code {
        try store.write { writer in
          fileSystem.inject(FaultRule(.read, nth: nth, .error(ErrorNumber.io)))
          let tree = try writer.tree("t")
          // The error is not passed on, but the commit must still fail.
          for index in 0..<200 { _ = try? tree.put("key \(1000 + index)", "other \(nth)") }
          fileSystem.clearFaults()
        }
      }
      fileSystem.clearFaults()
      guard end != nil else { break }
      failed += 1
      #expect(end == .ioError)
      #expect(try Care.contents(store) == before)
    }
    #expect(failed > 0)
    #expect(try store.verify().findings == [])
    try store.close()
  }

  private func reopenedForReading(_ fileSystem: SimulatedFileSystem) throws -> KeyValueStore {
    var options = Care.options
    options.readOnly = true
    return try KeyValueStore(Self.path, options: options, fileSystem: fileSystem)
  }

  @Test func `a store is not closed during a transaction`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try filled(fileSystem)
    try store.read { reader in
      let tree = try reader.tree("t")
      var cursor = try tree.cursor()
      #expect(code { try store.close() } == .busy)
      let isThere = try cursor.next()
      #expect(isThere)
      #expect(try tree.string("key 1007") == "7")
    }
    try store.write { writer in
      #expect(code { try store.close() } == .nestedWrite)
      try writer.tree("t").put("in between", "x")
    }
    #expect(try store.read { try $0.tree("t").string("in between") } == "x")
    try store.close()
    #expect(code { try store.read { _ in } } == .closed)
    #expect(code { try store.write { _ in } } == .closed)
    try store.close()
  }

  /// A leaf contains values up to a size. A value that grows in place must not exceed it.
  @Test(arguments: UInt64(1)...4) func `a value that grows in its place exceeds no limit`(seed: UInt64) throws {
    let store = try KeyValueStore(inMemory: Care.options)
    var dice = SplitMix64(seed: seed)
    var model: [Int: [UInt8]] = [:]
    for _ in 0..<60 {
      try store.write { writer in
        let tree = try writer.tree("t")
        for _ in 0..<20 {
          let key = dice.below(12)
          let value = dice.bytes((model[key]?.count ?? 0) + dice.pick([0, 1, 7, 60, 500]))
          model[key] = value.count > 4000 ? [] : value
          try tree.put(String(repeating: "k", count: 900) + "\(key)", model[key]!)
        }
      }
    }
    try store.read { reader in
      let tree = try reader.tree("t")
      for (key, value) in model { #expect(try tree.value(String(repeating: "k", count: 900) + "\(key)") == value) }
    }
    #expect(try store.verify().findings == [])
    try store.close()
  }
}
