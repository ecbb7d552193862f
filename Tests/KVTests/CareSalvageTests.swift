import RoostFile
@testable import RoostKV
import RoostPages
import RoostTestSupport
import Testing

@Suite struct CareSalvageTests {
  private static let path = "/a.roost"

  private func salvage(_ fileSystem: SimulatedFileSystem) throws -> (Salvage, [String: [[UInt8]: [UInt8]]]) {
    let found = try KeyValueStore.salvage(
      from: Self.path, to: "/new.roost", replacing: true, options: Care.options, fileSystem: fileSystem)
    let store = try KeyValueStore("/new.roost", options: Care.options, fileSystem: fileSystem)
    let contents = try Care.contents(store)
    #expect(try store.verify().findings == [])
    #expect(contents.values.reduce(0) { $0 + $1.count } == found.entries)
    try store.close()
    return (found, contents)
  }

  private func closedStore(_ fileSystem: SimulatedFileSystem, megabytes: Bool = false) throws -> [String: [[UInt8]:
    [UInt8]]]
  {
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: megabytes)
    let contents = try Care.contents(store)
    try store.close()
    return contents
  }

  /// The used pages of a kind in a tree, from the file's bytes.
  private func pages(_ bytes: [UInt8], _ fileSystem: SimulatedFileSystem, level: UInt8) throws -> [Int] {
    let free = try Store.examine(Self.path, fileSystem: fileSystem, floor: Replay.floor).free
    return (2..<bytes.count / Page.size).filter { place in
      let at = place * Page.size
      let isNode = (1...4).contains(bytes[at]) && bytes[at + 4] != 0 && bytes[at + 5] == 0
      return isNode && bytes[at + 1] == level && Int(bytes[at + 8]) + Int(bytes[at + 9]) << 8 == place
        && !free.contains(UInt32(place))
    }
  }

  /// Before the fix, the file was emptied, and then removed.
  @Test func `a file that an earlier creation left does not become the store`() throws {
    let fileSystem = SimulatedFileSystem()
    let path = "/b.roost-making"
    let store = try KeyValueStore(path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store)
    let expected = try Care.contents(store)
    try store.close()
    let salvaged = #expect(throws: StoreError.self) {
      try KeyValueStore.salvage(
        from: path, to: "/b.roost", replacing: true, options: Care.options, fileSystem: fileSystem)
    }
    #expect(salvaged?.code == .alreadyExists)
    var reading = Care.options
    reading.readOnly = true
    let open = try KeyValueStore(path, options: reading, fileSystem: fileSystem)
    let backed = #expect(throws: StoreError.self) { try open.backup(to: "/b.roost", replacing: true) }
    #expect(backed?.code == .alreadyExists)
    #expect(try Care.contents(open) == expected)
    try open.close()
  }

  @Test func `a sound store is saved completely, with the commits that are only in its log`() throws {
    let fileSystem = SimulatedFileSystem()
    let expected = try closedStore(fileSystem, megabytes: true)
    var (found, contents) = try salvage(fileSystem)
    #expect(found.isComplete && found.unverified == 0)
    #expect(contents == expected)

    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.tree("built").build(from: (0..<500).lazy.map { ("key \(1000 + $0)", Care.value($0, 30)) })
      try writer.tree("large").put("another", Care.value(6, 1_200_000))
      try writer.drop("numbers")
      try writer.rename("names", to: "renamed")
      try writer.tree("renamed").put("last", "one")
      try writer.table("rows").removeAll(from: 0, to: 30)
    }
    let now = try Care.contents(store)
    let image = fileSystem.crashImage(.none)
    (found, contents) = try salvage(image)
    #expect(found.isComplete, "\(found.losses)")
    #expect(contents == now)
    #expect(Set(found.trees.map(\.name)) == Set(now.keys))
    try store.close()
  }

  @Test func `around damaged leaves and branches everything else is saved`() throws {
    let fileSystem = SimulatedFileSystem()
    let expected = try closedStore(fileSystem)
    let healthy = try #require(fileSystem.contents(of: Self.path))
    let leaves = try pages(healthy, fileSystem, level: 0)
    let branches = try pages(healthy, fileSystem, level: 1)
    #expect(leaves.count > 40 && branches.count > 8)

    // Only branches: their leaves are found again, and nothing is lost.
    var bytes = healthy
    for place in branches { bytes[place * Page.size + 50] ^= 3 }
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    var (found, contents) = try salvage(fileSystem)
    #expect(contents == expected)
    #expect(found.losses.count >= branches.count)
    #expect(found.unverified > 500)

    // Leaves: their entries are lost, and the range is reported.
    bytes = healthy
    for place in leaves where place % 5 == 0 { bytes[place * Page.size + 70] ^= 3 }
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    (found, contents) = try salvage(fileSystem)
    #expect(!found.isComplete)
    var missing = 0
    for (name, entries) in expected {
      for (key, value) in entries {
        if let saved = contents[name]?[key] {
          #expect(saved == value)
          continue
        }
        missing += 1
        let sort = ["rows", "numbers"].contains(name) ? Self.number(key) : key
        let isTold = found.losses.contains { loss in
          guard loss.tree == name, let low = loss.low else { return false }
          return !sort.lexicographicallyPrecedes(low)
            && (loss.high.map { sort.lexicographicallyPrecedes($0) } ?? true)
        }
        #expect(isTold, "\(name) \(key)")
      }
    }
    #expect(missing > 10)
    #expect(missing <= found.losses.reduce(0) { $0 + ($1.entries ?? 0) })
  }

  private static func number(_ text: [UInt8]) -> [UInt8] {
    let number = UInt64(String(decoding: text, as: UTF8.self)) ?? 0
    return (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  @Test func `without superblocks all trees are found from their pages`() throws {
    let fileSystem = SimulatedFileSystem()
    let expected = try closedStore(fileSystem)
    var bytes = try #require(fileSystem.contents(of: Self.path))
    bytes[100] ^= 3
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    var (found, contents) = try salvage(fileSystem)
    #expect(found.losses.count == 1)
    #expect(contents == expected)
    for index in 0..<2 * Page.size { bytes[index] = 0 }
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    (found, contents) = try salvage(fileSystem)
    #expect(contents == expected)
    #expect(!found.isComplete)
  }

  @Test func `a damaged log is replayed up to the damage`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    for round in 0..<30 { try store.write { try $0.tree("t").put("\(round)", Care.value(round, 500)) } }
    let image = fileSystem.crashImage(.all)
    var bytes = try #require(image.contents(of: Self.path + "-log"))
    bytes[4096 + 96 + 6000] ^= 1
    #expect(image.overwrite(Self.path + "-log", with: bytes))
    var (found, contents) = try salvage(image)
    let count = contents["t"]?.count ?? 0
    #expect(count > 5 && count < 15)
    for index in 0..<count { #expect(contents["t"]?[Array("\(index)".utf8)] == Care.value(index, 500)) }
    #expect(found.losses.count == 1)
    try image.remove(Self.path + "-log")
    (found, contents) = try salvage(image)
    #expect(found.losses.count == 1)
    try store.close()
  }

  @Test(arguments: 0..<60)
  func `after any damage, entries that are saved without a mark are correct and nothing traps`(seed: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, 150, megabytes: false)
    try store.checkpoint()
    try store.write { writer in
      for index in 0..<40 { try writer.tree("names").put("late \(index)", "x") }
      try writer.tree("built").build(from: (0..<60).lazy.map { ("key \(1000 + $0)", "v") })
    }
    let expected = try Care.contents(store)
    let image = fileSystem.crashImage(.all)
    var random = SplitMix64(seed: UInt64(seed))
    for path in [Self.path, Self.path + "-log"] where path == Self.path || random.chance(1, in: 2) {
      var bytes = try #require(image.contents(of: path))
      switch random.below(4) {
      case 0: for _ in 0..<random.below(40) { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
      case 1:
        for _ in 0..<5 {
          let sector = random.below(bytes.count / 512) * 512
          for index in 0..<512 { bytes[sector + index] = UInt8(truncatingIfNeeded: random.next()) }
        }
      case 2: bytes.removeLast(random.below(bytes.count))
      default:
        for _ in 0..<4 {
          let (from, to) = (random.below(bytes.count / 4096) * 4096, random.below(bytes.count / 4096) * 4096)
          for index in 0..<4096 { bytes[to + index] = bytes[from + index] }
        }
      }
      #expect(image.overwrite(path, with: bytes))
    }
    do {
      let (found, contents) = try salvage(image)
      if found.isComplete { #expect(contents == expected) }
      // Entries that only the lost part of the log contained may be missing or older; all others
      // are unchanged.
      for (name, entries) in contents where found.unverified == 0 {
        for (key, value) in entries where expected[name]?[key] != nil { #expect(expected[name]?[key] == value) }
      }
    } catch let error as StoreError {
      #expect([.notAStore, .truncated, .futureVersion].contains(error.code), "seed \(seed): \(error)")
    }
  }
}
