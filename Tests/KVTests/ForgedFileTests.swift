import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

/// Files that were forged by an attacker who knows the format: every check is correct, and the
/// content is wrong.
@Suite struct ForgedFileTests {
  private static let path = "/a.roost"

  private func closed() throws -> (file: [UInt8], contents: [String: [[UInt8]: [UInt8]]]) {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, 200, megabytes: false)
    let contents = try Care.contents(store)
    try store.close()
    return (try #require(fileSystem.contents(of: Self.path)), contents)
  }

  private func fileSystem(_ file: [UInt8]) throws -> SimulatedFileSystem {
    let fileSystem = SimulatedFileSystem()
    let opened = try fileSystem.open(Self.path, .replace)
    try opened.write(file, at: 0)
    try opened.sync()
    opened.close()
    try fileSystem.syncDirectory(of: Self.path)
    return fileSystem
  }

  private func open(_ fileSystem: SimulatedFileSystem) throws -> KeyValueStore {
    try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
  }

  private func code<Result>(_ body: () throws -> Result) -> StoreError.Code? {
    do { _ = try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  @Test func `a file that is forged without a change stays the same`() throws {
    let (file, _) = try closed()
    var forgery = try #require(Forgery(file))
    #expect(forgery.pages.count > 40)
    #expect(forgery.sealed() == file)
  }

  /// Before the fix, if two entries of a branch referenced one child, emptying the tree freed the
  /// child twice: in one commit its places became free and were given to other trees, and then the
  /// second entry freed them again.
  @Test(arguments: [false, true]) func `a subtree that two entries reference is not freed twice`(atOnce: Bool) throws {
    let (file, contents) = try closed()
    var forgery = try #require(Forgery(file))
    let branch = try #require(forgery.pages(kind: 3, level: 1).last { file[Int($0) * 4096 + 4] != 0 })
    let (from, child) = forgery.edit(branch) { page in
      let (first, second) = (Branch.cell(page, 0), UnsafeMutableRawPointer(mutating: Branch.cell(page, 1)))
      second.copyMemory(from: first, byteCount: 20)
      return (second - page + 4, first.loadUnaligned(as: UInt32.self))
    }
    forgery.point(Int(branch) * 4096 + from, to: child)
    let fileSystem = try fileSystem(forgery.sealed())
    #expect(try !KeyValueStore.verify(Self.path, fileSystem: fileSystem).isSound)
    let store = try open(fileSystem)
    if atOnce {
      #expect(code { try store.write { try $0.tree("names").removeAll() } } == .damaged)
    } else {
      var ends: [StoreError.Code?] = []
      for key in contents["names", default: [:]].keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        ends.append(code { try store.write { _ = try $0.tree("names").remove(key) } })
        try store.checkpoint()
        try store.write { try $0.table("rows").put(1_000_000 + UInt64(ends.count), Care.value(ends.count, 2000)) }
      }
      #expect(ends.contains(.damaged))
    }
    // Whatever happened to that tree, the others lost nothing.
    let names = ["rows", "large", "numbers"]
    for name in names {
      let found = try store.read { reader -> [[UInt8]: [UInt8]] in
        var found: [[UInt8]: [UInt8]] = [:]
        if name == "large" {
          try reader.tree(name).forEach { key, value in
            found[key.withUnsafeBytes { [UInt8]($0) }] = value.withUnsafeBytes { [UInt8]($0) }
            return true
          }
        } else {
          try reader.table(name).forEach { key, value in
            if key < 1_000_000 { found[Array("\(key)".utf8)] = value.withUnsafeBytes { [UInt8]($0) } }
            return true
          }
        }
        return found
      }
      #expect(found == contents[name])
    }
    try store.close()
  }

  /// Before the fix, the place was taken for a place in memory when the branch was written again.
  @Test func `a branch that refers to a place far outside the file is written again without a trap`() throws {
    let (file, contents) = try closed()
    var forgery = try #require(Forgery(file))
    let branch = try #require(forgery.pages(kind: 3, level: 1).last { file[Int($0) * 4096 + 4] != 0 })
    forgery.edit(branch) { page in
      let cell = UnsafeMutableRawPointer(mutating: Branch.cell(page, Node.count(page) - 1))
      cell.storeBytes(of: UInt32.max - 7, as: UInt32.self)
      cell.storeBytes(of: 0, toByteOffset: 4, as: UInt64.self)
    }
    var changed = try #require(Forgery(forgery.file))
    let store = try open(try fileSystem(changed.sealed()))
    var ends: [StoreError.Code?] = []
    for name in ["names", "large"] {
      for key in contents[name, default: [:]].keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        ends.append(code { try store.write { try $0.tree(name).put(key, Care.value(1, 20)) } })
        try store.checkpoint()
      }
    }
    #expect(ends.contains(.damaged) && ends.contains(nil))
    try store.close()
  }

  #if DEBUG
    /// Checks cannot be correct around a circle, so they are left out here. Only the levels prevent
    /// the circle.
    @Test func `a chain of branches that references itself ends`() throws {
      let (file, _) = try closed()
      var forgery = try #require(Forgery(file))
      for branch in forgery.pages(kind: 3) + forgery.pages(kind: 1) {
        forgery.edit(branch) { page in
          for index in 0..<Node.count(page) {
            UnsafeMutableRawPointer(mutating: Branch.cell(page, index)).storeBytes(of: branch, as: UInt32.self)
          }
        }
      }
      let fileSystem = try fileSystem(forgery.file)
      var options = Care.options
      options.skipsChecks = true
      let store = try KeyValueStore(Self.path, options: options, fileSystem: fileSystem)
      #expect(code { try store.read { _ = try $0.tree("names").value("name 3") } } == .damaged)
      #expect(code { try store.read { _ = try $0.table("rows").value(9) } } == .damaged)
      #expect(code { try store.read { try $0.tree("names").forEach { _, _ in true } } } == .damaged)
      #expect(code { try store.write { try $0.tree("names").put("name 3", "x") } } == .damaged)
      #expect(code { try store.write { try $0.tree("names").removeAll() } } == .damaged)
      #expect(try !store.verify().isSound)
    }
  #endif

  @Test(arguments: [0xFFFF, 505, 337, 200] as [UInt16])
  func `a leaf of more entries than a page has room for is refused`(count: UInt16) throws {
    let (file, _) = try closed()
    for kind in [2, 4] as [UInt8] {
      var forgery = try #require(Forgery(file))
      let leaf = try #require(forgery.pages(kind: kind, level: 0).first { file[Int($0) * 4096 + 4] != 0 })
      forgery.edit(leaf) { $0.storeBytes(of: count, toByteOffset: 2, as: UInt16.self) }
      let fileSystem = try fileSystem(forgery.sealed())
      let findings = try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings
      #expect(findings.contains { $0.page == UInt64(leaf) })
      let store = try open(fileSystem)
      #expect(code { _ = try Care.contents(store) } == .damaged)
      try store.close()
    }
  }

  @Test func `a page number that would need a terabyte takes no memory and is refused`() throws {
    let (file, _) = try closed()
    let terabyte: UInt32 = 1 << 28
    var forgery = try #require(Forgery(file))
    for branch in forgery.pages(kind: 3, level: 1) where file[Int(branch) * 4096 + 4] != 0 {
      forgery.edit(branch) { page in
        UnsafeMutableRawPointer(mutating: Branch.cell(page, 0)).storeBytes(of: terabyte, as: UInt32.self)
      }
    }
    let store = try open(try fileSystem(forgery.sealed()))
    #expect(code { _ = try Care.contents(store) } == .damaged)
    #expect(code { try store.write { try $0.tree("names").removeAll() } } == .damaged)
    try store.close()

    var other = try #require(Forgery(file))
    other.editSuperblocks { $0.storeBytes(of: terabyte, toByteOffset: 84, as: UInt32.self) }
    let short = try fileSystem(other.sealed())
    #expect(code { try open(short).close() } == .truncated)
    let verification = try KeyValueStore.verify(Self.path, fileSystem: short)
    #expect(verification.findings.contains { $0.sentence.contains("are needed") })
    #expect(verification.findings.count < 10)
    let saved = try KeyValueStore.salvage(
      from: Self.path, to: "/b.roost", options: Care.options, fileSystem: short)
    #expect(saved.entries > 300)
  }

  /// Before the fix, the figures of all trees were added up, and the sum of two maximum numbers
  /// ended the process.
  @Test func `counts that no store can have are refused`() throws {
    let (file, _) = try closed()
    var forgery = try #require(Forgery(file))
    let leaf = try #require(forgery.pages(kind: 4, level: 0, tree: 0).first)
    forgery.edit(leaf) { page in
      for index in 0..<Node.count(page) where ByteNode.value(page, index).count == TreeDescriptor.byteCount {
        let entry = UnsafeMutableRawPointer(mutating: ByteNode.value(page, index).start)
        entry.storeBytes(of: UInt64.max / 2, toByteOffset: 20, as: UInt64.self)
      }
    }
    let fileSystem = try fileSystem(forgery.sealed())
    #expect(try !KeyValueStore.verify(Self.path, fileSystem: fileSystem).isSound)
    let store = try open(fileSystem)
    #expect(code { try store.backup(to: "/b.roost") } == .damaged)
    #expect(code { _ = try store.statistics() } == .damaged)
    try store.close()
  }

  /// A branch counted more entries than the root. Before the fix, when a range was removed the root
  /// was counted again, the entries seemed to increase, and the difference ended the process.
  @Test func `counts that grow where entries are removed are damage`() throws {
    let (file, _) = try closed()
    var forgery = try #require(Forgery(file))
    for branch in forgery.pages(kind: 1, level: 1) + forgery.pages(kind: 3, level: 1) {
      forgery.edit(branch) { page in
        for index in 0..<Node.count(page) {
          let cell = UnsafeMutableRawPointer(mutating: Branch.cell(page, index))
          cell.storeBytes(of: 1 << 40, toByteOffset: 12, as: UInt64.self)
        }
      }
    }
    let store = try open(try fileSystem(forgery.sealed()))
    #expect(code { try store.write { try $0.table("rows").removeAll(from: 60, to: 120) } } == .damaged)
    #expect(code { try store.write { try $0.tree("names").removeAll(from: Array("name 2".utf8)) } } == .damaged)
    #expect(try !store.verify().isSound)
    try store.close()
  }

  @Test(arguments: [1, 511, 4096, 100_000])
  func `a file that another program extended keeps its content`(more: Int) throws {
    let (file, contents) = try closed()
    var dice = SplitMix64(seed: UInt64(more))
    let fileSystem = try fileSystem(file + dice.bytes(more))
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])
    var readOnly = Care.options
    readOnly.readOnly = true
    let reader = try KeyValueStore(Self.path, options: readOnly, fileSystem: fileSystem)
    #expect(try Care.contents(reader) == contents)
    try reader.close()
    let store = try open(fileSystem)
    try store.write { try $0.tree("blob").put("a", Care.value(1, 300_000)) }
    let image = fileSystem.crashImage(.none)
    try store.close()
    for fileSystem in [fileSystem, image] {
      let again = try open(fileSystem)
      var found = try Care.contents(again)
      #expect(found.removeValue(forKey: "blob")?.values.first == Care.value(1, 300_000))
      #expect(found == contents)
      #expect(try again.verify().findings == [])
      try again.close()
    }
  }

  private static let greed = Greed(3)

  /// Each kind of file that requests too much memory, as in `roost-torture` trial 14, which runs
  /// in a process with a limit.
  @Test(arguments: 0..<Greed.names.count)
  func `a number too large for the file is an error or harmless`(kind: Int) throws {
    let greed = try #require(Self.greed)
    for seed in 0..<2 {
      var dice = SplitMix64(seed: UInt64(seed))
      guard let files = greed.make(kind, &dice) else { continue }
      let fileSystem = SimulatedFileSystem()
      for (name, bytes) in [(Greed.path, files.data), (Greed.path + "-log", files.log)] {
        guard let bytes else { continue }
        let file = try fileSystem.open(name, .replace)
        try file.write(bytes, at: 0)
        file.close()
      }
      let ends = Greed.exercise(Greed.path, fileSystem, options: greed.options)
      #expect(ends.allSatisfy { StoreError.Code(rawValue: $0) != nil || $0 == "read" || $0 == "counts" }, "\(ends)")
    }
  }
}
