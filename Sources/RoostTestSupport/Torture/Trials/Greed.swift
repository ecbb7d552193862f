internal import RoostBytes
package import RoostFile
internal import RoostKV
package import RoostPages
internal import RoostTrees

/// Files whose numbers claim far more data than they hold, with matching checksums.
///
/// Whatever such a number is, no more memory may be allocated than the file could fill. After that
/// any result for such a file is allowed: an error of the store, or its content.
package struct Greed: Sendable {
  package static let path = Play.path
  package static let names = [
    "superblock: pages", "superblock: log", "superblock: map", "catalog entry", "branch: counts", "branch: places",
    "leaf: count", "leaf: lengths", "extents: size", "extents: list of small ones", "extents: list of one place",
    "map: one directory for all", "map: one page for all", "log: segments", "log: segments in doubt", "log: frame",
    "log: pieces", "log: places", "any field",
  ]

  private let closed: HealthyStore
  private let stopped: HealthyStore
  package var options: StoreOptions { closed.options }

  package init?(_ seed: UInt64) {
    guard let closed = HealthyStore(seed &+ 1_400, isLarge: true),
      let stopped = HealthyStore(seed &+ 1_500, isClosed: false)
    else { return nil }
    self.closed = closed
    self.stopped = stopped
  }

  private static let huge: [UInt64] = [
    .max, .max / 2, UInt64(UInt32.max), UInt64(UInt32.max) - 1, 1 << 62, 1 << 48, 1 << 40, 1 << 31, 1 << 30, 1 << 28,
    0xFFFF, 0x7FFF,
  ]

  /// The healthy files, for comparison.
  package var healthy: GoldenStore.Files { GoldenStore.Files(data: closed.file, log: nil) }

  /// Makes a file of the kind with this number.
  package func make(_ kind: Int, _ generator: inout SplitMix64) -> GoldenStore.Files? {
    if kind >= 13 && kind <= 17 || kind == 1 { return log(kind, &generator) }
    guard var forgery = Forgery(closed.file) else { return nil }
    let value = generator.pick(Self.huge)
    switch kind {
    case 0: forgery.editSuperblocks { $0.set32(84, UInt32(truncatingIfNeeded: value)) }
    case 2:
      forgery.editSuperblocks { $0.set32(80, UInt32(truncatingIfNeeded: value)) }
    case 3:
      guard let leaf = forgery.pages(kind: 4, level: 0, tree: 0).last else { return nil }
      let field = generator.pick([20, 28, 0, 8])
      forgery.edit(leaf) { page in
        for index in 0..<Node.count(page) where ByteNode.value(page, index).count == TreeDescriptor.byteCount {
          let entry = UnsafeMutableRawPointer(mutating: ByteNode.value(page, index).start)
          if field >= 20 { entry.set64(field, value) } else { entry.set32(field, UInt32(truncatingIfNeeded: value)) }
        }
      }
    case 4, 5:
      let branches = forgery.pages(kind: 1) + forgery.pages(kind: 3)
      guard !branches.isEmpty else { return nil }
      forgery.edit(generator.pick(branches)) { page in
        for index in 0..<Node.count(page) where kind == 4 || index == 0 {
          let cell = UnsafeMutableRawPointer(mutating: Branch.cell(page, index))
          if kind == 4 { cell.set64(12, value) } else { cell.set32(0, UInt32(truncatingIfNeeded: value)) }
        }
      }
    case 6, 7:
      let leaves = forgery.pages(kind: 2, level: 0) + forgery.pages(kind: 4, level: 0)
      forgery.edit(generator.pick(leaves)) { page in
        if kind == 6 { return page.set16(2, UInt16(truncatingIfNeeded: value)) }
        let number = generator.below(max(1, Node.count(page)))
        if page.u8(0) == 2 { return page.set16(50 + 12 * number, UInt16(truncatingIfNeeded: value)) }
        page.set16(generator.pick([24, 26, 28, 44 + 8 * number, 46 + 8 * number]), UInt16(truncatingIfNeeded: value))
      }
    case 8, 9, 10: guard forge(&forgery, kind, value: value) else { return nil }
    case 11, 12: guard forgeMap(&forgery, kind) else { return nil }
    default:
      let page = generator.pick(forgery.pages)
      let at = generator.chance(1, in: 2) ? generator.below(80) : generator.below(4080)
      forgery.edit(page) { $0.set32(at, UInt32(truncatingIfNeeded: value)) }
    }
    return GoldenStore.Files(data: forgery.sealed(), log: nil)
  }

  // MARK: Large values

  /// The first value with an indirect list: its leaf and the offset of its list.
  private static func indirect(_ forgery: inout Forgery) -> (leaf: UInt32, at: Int)? {
    for leaf in forgery.pages(kind: 4, level: 0) + forgery.pages(kind: 2, level: 0) {
      let found = forgery.edit(leaf) { page -> Int? in
        for index in 0..<Node.count(page) {
          let value = page.u8(0) == 2 ? IntegerLeaf.value(page, index) : ByteNode.value(page, index)
          if value.isExtents, value.start.u8(0) & 2 != 0 { return value.start - UnsafeRawPointer(page) }
        }
        return nil
      }
      if let found { return (leaf, found) }
    }
    return nil
  }

  /// A value of a gibibyte: as its length alone, or as a list of a thousand extents that hold
  /// nearly nothing.
  private func forge(_ forgery: inout Forgery, _ kind: Int, value: UInt64) -> Bool {
    guard let (leaf, at) = Self.indirect(&forgery) else { return false }
    if kind == 8 {
      forgery.edit(leaf) { $0.set64(at + 1, min(value, 1 << 30)) }
      return true
    }
    // The list's own pages: 20 bytes for each extent.
    let count = kind == 9 ? 1024 : 50_000
    let first = UInt32(forgery.file.count / 4096)
    let target = forgery.pages[0]
    let sound = forgery.file[Int(target) * 4096..<Int(target) * 4096 + 4096].withUnsafeBytes { Checksum.of($0) }
    var list = [UInt8](repeating: 0, count: count * 20)
    list.withUnsafeMutableBytes { buffer in
      let memory = buffer.baseAddress!
      for index in 0..<count {
        let extent = memory + index * 20
        extent.set32(0, kind == 9 ? target : 2)
        // Many pages with few bytes each, or few bytes that claim to be a megabyte.
        extent.set32(4, kind == 9 ? 4096 : 20_000)
        extent.set32(8, kind == 9 ? 1 << 20 : 20_000)
        extent.set64(12, sound)
      }
    }
    for start in stride(from: 0, to: list.count, by: 4096) {
      _ = forgery.append { page in
        list.withUnsafeBytes {
          page.copyMemory(from: $0.baseAddress! + start, byteCount: min(4096, list.count - start))
        }
      }
    }
    let total = UInt64(count) * (kind == 9 ? 1 << 20 : 20_000)
    forgery.edit(leaf) { page in
      page.set64(at + 1, total)
      page.set32(at + 18, first)
      page.set32(at + 22, UInt32(list.count))
      page.set32(at + 26, UInt32(list.count))
    }
    forgery.point(Int(leaf) * 4096 + at + 30, to: first, count: list.count)
    return true
  }

  // MARK: The map

  /// A map three levels deep whose every entry names the same page below.
  private func forgeMap(_ forgery: inout Forgery, _ kind: Int) -> Bool {
    guard let region = forgery.pages(kind: 5).first else { return false }
    var below = region
    // Only directories, or one page of bits for every possible region of a file.
    for level in 1...(kind == 11 ? 3 : 2) {
      let child = below
      let place = forgery.append { page in
        page.set8(0, 6)
        page.set8(1, UInt8(level))
        page.set16(2, 250)
        page.set64(16, 1)
        for slot in 0..<250 { page.set32(40 + slot * 16, child) }
      }
      forgery.edit(place) { $0.set32(8, place) }
      for slot in 0..<250 { forgery.point(Int(place) * 4096 + 48 + slot * 16, to: child) }
      below = place
    }
    if kind == 12 { forgery.edit(region) { page in for word in 0..<500 { page.set64(40 + word * 8, .max) } } }
    forgery.editSuperblocks { page in
      page.set32(80, below)
      if kind == 12 { page.set32(84, .max - 1) }
    }
    return true
  }

  // MARK: The log

  private func log(_ kind: Int, _ generator: inout SplitMix64) -> GoldenStore.Files? {
    guard let kept = stopped.crash.image(.all).contents(of: Play.path + "-log"), var forgery = Forgery(stopped.file)
    else { return nil }
    var log = kept
    var segment = stopped.options.segmentBytes
    let value = generator.pick(Self.huge)
    func set32(_ at: Int, _ value: UInt32) { log.withUnsafeMutableBytes { $0.baseAddress!.set32(at, value) } }
    let start = 4096 + Int(Reach.newest(stopped.file)?.logSegment ?? 0) * segment
    guard start + segment <= log.count else { return nil }
    switch kind {
    case 1:
      let field = generator.pick([100, 104, 112])
      forgery.editSuperblocks { page in
        if field == 100 { page.set32(100, UInt32(truncatingIfNeeded: value)) } else { page.set64(field, value) }
      }
    case 13, 14:
      let bytes = generator.pick([1 << 28, 1 << 27, 1 << 26])
      set32(12, UInt32(bytes))
      if kind == 14 {
        set32(516, 1)
        forgery.editSuperblocks { $0.set32(100, 0) }
      }
      segment = bytes
    case 15: set32(start + 96, UInt32(truncatingIfNeeded: value))
    case 16, 17:
      // The first piece of the first frame becomes one of another kind, whose length or places are
      // as large as possible.
      let length = Int(log[start + 96]) | Int(log[start + 97]) << 8
      guard length >= 40 else { return nil }
      log.withUnsafeMutableBytes { buffer in
        let piece = buffer.baseAddress! + start + 136
        if kind == 16 {
          piece.set8(0, UInt8(generator.pick([1, 2, 16, 20, 24, 28])))
          for index in 1...8 { piece.set8(index, 0xFF) }
          piece.set8(9, generator.chance(1, in: 2) ? 0x7F : 0x01)
        } else {
          piece.set8(0, generator.pick([1, 2]))
          piece.set8(1, 24)
          piece.set64(2, 1)
          piece.set64(10, generator.chance(1, in: 2) ? 2 : value)
          piece.set32(18, UInt32(truncatingIfNeeded: generator.pick(Self.huge)))
          piece.set32(22, UInt32(truncatingIfNeeded: value))
        }
      }
    default: return nil
    }
    Forgery.sealLog(&log, segmentBytes: segment)
    return GoldenStore.Files(data: forgery.sealed(), log: log)
  }

  // MARK: Operations

  /// Runs all operations on a file. Returns the result of each: an error code, or "read".
  package static func exercise(_ path: String, _ fileSystem: any FileSystem, options: StoreOptions) -> [String] {
    func outcome(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "read"
      } catch let error as StoreError { return error.code.rawValue } catch is WrongAnswer { return "counts" } catch {
        return "\(error)"
      }
    }
    var ends: [String] = []
    var readOnly = options
    readOnly.readOnly = true
    for options in [readOnly, options] {
      ends.append(
        outcome {
          let store = try KeyValueStore(path, options: options, fileSystem: fileSystem)
          defer { if options.readOnly { try? store.close() } }
          ends.append(outcome { _ = try store.digest() })
          ends.append(outcome { try look(store) })
          ends.append(outcome { _ = try store.statistics() })
          if options.readOnly { return }
          ends.append(outcome { try store.backup(to: path + "-backup", replacing: true) })
          ends.append(outcome { try change(store) })
          ends.append(outcome { _ = try store.verify() })
          try store.close()
        })
    }
    ends.append(outcome { _ = try KeyValueStore.verify(path, fileSystem: fileSystem) })
    ends.append(
      outcome {
        _ = try KeyValueStore.salvage(
          from: path, to: path + "-saved", replacing: true, options: options, fileSystem: fileSystem)
      })
    return ends
  }

  /// Reads counts, ranks and entries by index, which an ordered walk does not use.
  private static func look(_ store: KeyValueStore) throws {
    try store.read { reader in
      for name in try reader.names() where name.hasPrefix("n") {
        let table = try reader.table(name)
        _ = try table.rank(of: 40)
        _ = try table.count(in: 3..<90)
        var cursor = try table.cursor()
        _ = try cursor.move(to: max(0, table.count - 1))
        while try cursor.previous() {}
      }
      for name in try reader.names() where name.hasPrefix("b") {
        let tree = try reader.tree(name)
        _ = try tree.rank(of: "k4")
        var cursor = try tree.cursor()
        _ = try cursor.move(to: tree.count / 2)
        while try cursor.next() {}
      }
    }
  }

  private static func change(_ store: KeyValueStore) throws {
    try store.write { writer in
      for name in try writer.names() {
        if name.hasPrefix("n") {
          let table = try writer.table(name)
          for key in 0..<40 { try table.put(UInt64(key), [1, 2, 3]) }
          try table.removeAll(from: 20, to: 300)
        } else {
          let tree = try writer.tree(name)
          for key in 0..<40 { try tree.put("k\(key)", "v") }
          try tree.removeAll()
        }
      }
    }
    try store.checkpoint()
    try store.compact()
  }
}
