import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

@Suite struct CareBuildTests {
  private static let path = "/a.roost"
  private struct Stop: Error {}

  private static func key(_ index: Int) -> String { "key \(100_000 + index)" }

  /// Values of every kind: in the leaf, in drafts of extents, and written at once.
  private static func value(_ index: Int) -> [UInt8] {
    switch index % 100 {
    case 50: Care.value(index, 3000)
    case 51 where index < 200: Care.value(index, 1_100_000)
    default: Care.value(index, index % 70)
    }
  }

  private func entries(_ count: Int) -> some Sequence<(String, [UInt8])> {
    (0..<count).lazy.map { (Self.key($0), Self.value($0)) }
  }

  private func check(_ store: KeyValueStore, _ count: Int) throws {
    try store.read { reader in
      let tree = try reader.tree("built")
      #expect(tree.count == count)
      for index in stride(from: 0, to: count, by: 7) {
        let found = try tree.value(Self.key(index))
        #expect(found == Self.value(index))
      }
      let table = try reader.table("numbers")
      #expect(table.count == count)
      for index in stride(from: 0, to: count, by: 11) {
        let found = try table.value(UInt64(index) * 5)
        #expect(found == Self.value(index))
      }
    }
  }

  private func build(_ store: KeyValueStore, _ count: Int) throws {
    try store.write { writer in
      let built = try writer.tree("built").build(from: entries(count))
      #expect(built == count)
      let numbers = (0..<count).lazy.map { (UInt64($0) * 5, Self.value($0)) }
      let more = try writer.table("numbers").build(from: numbers)
      #expect(more == count)
    }
  }

  @Test(arguments: [0, 1, 5, 3000])
  func `a built tree has its entries, in memory, in a file and after a crash`(count: Int) throws {
    let memory = try KeyValueStore(inMemory: Care.options)
    try build(memory, count)
    try check(memory, count)
    #expect(try memory.verify().findings == [])
    try memory.close()

    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try build(store, count)
    try check(store, count)
    let image = fileSystem.crashImage(.none)
    #expect(try store.verify().findings == [])
    try store.close()
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])

    // The acknowledged entries exist, although only the built pages and the log were written.
    var options = Care.options
    options.readOnly = true
    let reader = try KeyValueStore(Self.path, options: options, fileSystem: image)
    try check(reader, count)
    try reader.close()
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
    try check(again, count)
    #expect(try again.verify().findings == [])
    try again.close()
  }

  @Test func `entries out of order leave the tree empty, and the transaction continues`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      let tree = try writer.tree("t")
      try writer.tree("other").put("kept", "1")
      let pairs = (0..<9000).map { (Self.key($0 == 8000 ? 7999 : $0), Self.value($0 % 40)) }
      let error = #expect(throws: StoreError.self) { try tree.build(from: pairs) }
      #expect(error?.code == .unsortedKeys)
      #expect(error?.detail.contains("entry 8000 ") == true)
      #expect(tree.count == 0)
      #expect(throws: StoreError.self) { try tree.build(from: [(String(repeating: "x", count: 2000), "v")]) }
      try tree.put("a", "b")
      #expect(throws: StoreError.self) { try tree.build(from: [("c", "d")]) }
      try writer.table("numbers").build(from: [(1, "x"), (2, "y")])
    }
    let image = fileSystem.crashImage(.all)
    #expect(try store.verify().findings == [])
    #expect(try Care.contents(store)["other"]?.count == 1)
    #expect(try store.read { try $0.table("numbers").string(2) } == "y")
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
    #expect(try Care.contents(again) == Care.contents(store))
    #expect(try again.verify().findings == [])
    try again.close()
    try store.close()
  }

  @Test func `while a tree is built its transaction can be read, but not changed`() throws {
    let store = try KeyValueStore(inMemory: Care.options)
    try store.write { writer in
      let table = try writer.table("rows")
      for index in 0..<500 { try table.put(UInt64(index), "row \(index)") }
      let tree = try writer.tree("index")
      let entries = (0..<500).lazy.map { index -> (String, String) in
        #expect(throws: StoreError.self) { try table.put(1, "x") }
        #expect(throws: StoreError.self) { try tree.put("a", "x") }
        return (Self.key(index), (try? table.string(UInt64(index)).flatMap { $0 }) ?? "none")
      }
      try tree.build(from: entries)
      #expect(try tree.string(Self.key(77)) == "row 77")
      try table.put(1, "y")
    }
    #expect(try store.verify().findings == [])
    try store.close()
  }

  /// Places that the log names must not be used again before a checkpoint: otherwise a replay finds
  /// other bytes there.
  @Test(arguments: 0..<12)
  func `changes after building survive a crash`(seed: Int) throws {
    let fileSystem = SimulatedFileSystem()
    var options = Care.options
    options.draftBytes = seed % 2 == 0 ? 64 << 20 : 24 * Page.size
    options.segmentBytes = 1 << 18
    let store = try KeyValueStore(Self.path, options: options, fileSystem: fileSystem)
    var random = SplitMix64(seed: UInt64(seed))
    var model: [String: [UInt8]] = [:]
    func put(_ tree: WritableTree, _ count: Int) throws {
      for _ in 0..<count {
        let key = Self.key(random.below(900))
        if random.chance(1, in: 3) {
          try tree.remove(key)
          model[key] = nil
        } else {
          let value = random.bytes(random.below(random.chance(1, in: 20) ? 5000 : 60))
          try tree.put(key, value)
          model[key] = value
        }
      }
    }
    func rebuild(_ tree: WritableTree) throws {
      try tree.removeAll()
      model = [:]
      let count = 200 + random.below(600)
      let entries = (0..<count).map { (Self.key($0), random.bytes($0 % 50 == 0 ? 4000 : $0 % 60)) }
      try tree.build(from: entries)
      for (key, value) in entries { model[key] = value }
    }
    for round in 0..<14 {
      let before = model
      do {
        try store.write { writer in
          let tree = try writer.tree("t")
          if round == 0 || random.chance(1, in: 3) { try rebuild(tree) }
          if random.chance(1, in: 2) { try put(tree, 80) }
          if random.chance(1, in: 4) {
            let inner = model
            do {
              try writer.savepoint {
                let tree = try writer.tree("t")
                try rebuild(tree)
                try put(tree, 20)
                throw Stop()
              }
            } catch is Stop { model = inner }
            try put(try writer.tree("t"), 10)
          }
          if random.chance(1, in: 5) { throw Stop() }
        }
      } catch is Stop { model = before }
      if random.chance(1, in: 4) { try store.checkpoint() }
      let expected = Dictionary(uniqueKeysWithValues: model.map { (Array($0.key.utf8), $0.value) })
      for choice in [CrashChoice.none, .all, .random(UInt64(round))] {
        let image = fileSystem.crashImage(choice)
        let again = try KeyValueStore(Self.path, options: options, fileSystem: image)
        #expect(try Care.contents(again)["t"] ?? [:] == expected, "seed \(seed), round \(round), \(choice)")
        try again.write { try $0.tree("t").put("more", "x") }
        // A second crash, right after the recovery.
        let second = image.crashImage(.none)
        let third = try KeyValueStore(Self.path, options: options, fileSystem: second)
        #expect(try third.read { try $0.tree("t").count } == expected.count + 1)
        #expect(try third.verify().findings == [], "seed \(seed), round \(round), \(choice)")
      }
    }
    #expect(try store.verify().findings == [], "seed \(seed)")
    try store.close()
  }
}
