import Foundation
import RoostBytes
import RoostFile
import RoostKV
import RoostPages
import RoostTrees

/// Bits that rot in a copy of the store.
extension Tour {
  func damage() throws -> Report {
    let began = ContinuousClock.now
    let pages = try usedPages()
    let leaf = try birdLeaf(among: pages)
    try copyWhole()
    let bit = Int.random(in: 0..<Page.size * 8)
    try flip(bit, of: leaf)
    let outcome = try lookUpAll()
    guard let error = outcome.error else { throw CheckFailure(sentence: "a flipped bit was not noticed") }
    try check(outcome.wrong == 0, "\(outcome.wrong) answers from the damaged store were wrong")
    try check(error.page == UInt64(leaf.place), "the error names page \(error.page ?? 0) and not \(leaf.place)")
    let spent = ContinuousClock.now - began

    let scratch = folder + "/flips.roost"
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    for _ in 0..<flips {
      guard let page = pages.randomElement() else { break }
      try? FileManager.default.removeItem(atPath: scratch)
      try FileManager.default.copyItem(atPath: path, toPath: scratch)
      try flip(Int.random(in: 0..<Page.size * 8), of: page, in: scratch)
      try checkNoticed(page, scratch)
    }
    return Report(lines: [
      "In a copy of the store, bit \(bit % 8) of byte \(bit / 8) of page \(leaf.place) was flipped. What a look-up says:",
      console.styled("\(error)", .bad),
      "\(Wording.count(outcome.refused, "look-up")) refused, \(Wording.count(outcome.right)) right, none wrong, in "
        + "\(Wording.time(spent)).",
      "Then \(Wording.count(flips)) more copies, each with a bit flipped in one of the "
        + "\(Wording.count(pages.count)) pages in use: all noticed.",
    ])
  }

  /// Every page of every tree, the catalog among them.
  func usedPages() throws -> [PageID] {
    let store = try KeyValueStore(path)
    defer { try? store.close() }
    return try store.read { reader in
      var pages: [PageID] = []
      let collect: (Reached) -> Void = { if case .page(let page) = $0 { pages.append(page) } }
      _ = ByteTree(store.store.published.snapshot.catalog, id: Catalog.treeID, view: reader.view).verify(collect)
      for (_, descriptor) in try reader.catalog.all() {
        let findings =
          switch descriptor.kind {
          case .bytes: ByteTree(descriptor.root, id: descriptor.id, view: reader.view).verify(collect)
          case .integers: IntegerTree(descriptor.root, id: descriptor.id, view: reader.view).verify(collect)
          }
        try check(findings.isEmpty, "the store is damaged before anything was flipped")
      }
      return pages
    }
  }

  private func birdLeaf(among pages: [PageID]) throws -> PageID {
    let file = try DiskFileSystem.shared.open(path, .read)
    defer { file.close() }
    for page in pages.shuffled() {
      var header: UInt64 = 0
      try withUnsafeMutableBytes(of: &header) { try file.readFully(into: $0, at: page.byteOffset) }
      let isLeaf = withUnsafeBytes(of: &header) { $0[0] == Page.Kind.byteLeaf.rawValue }
      // The catalog's leaves are of the same kind, but of tree 0.
      if isLeaf && UInt64(littleEndian: header) >> 32 != UInt64(Page.catalogTree) { return page }
    }
    throw CheckFailure(sentence: "the store has no leaf")
  }

  private func copyWhole() throws {
    try? FileManager.default.removeItem(atPath: damagedPath)
    try FileManager.default.copyItem(atPath: path, toPath: damagedPath)
  }

  func flip(_ bit: Int, of page: PageID, in path: String? = nil) throws {
    let file = try DiskFileSystem.shared.open(path ?? damagedPath, .write)
    defer { file.close() }
    let offset = page.byteOffset + UInt64(bit / 8)
    var byte: UInt8 = 0
    try withUnsafeMutableBytes(of: &byte) { try file.readFully(into: $0, at: offset) }
    byte ^= 1 << UInt8(bit % 8)
    try withUnsafeBytes(of: &byte) { try file.write($0, at: offset) }
  }

  struct Outcome {
    var right = 0
    var wrong = 0
    var refused = 0
    var error: StoreError?
  }

  /// Asks the damaged store for every pair.
  func lookUpAll() throws -> Outcome {
    let store = try KeyValueStore(damagedPath)
    defer { try? store.close() }
    return try store.read { reader in
      var outcome = Outcome()
      let tree = try reader.tree(Flock.tree)
      for number in 0..<flock.count {
        do {
          let value = try tree.value(Flock.key(number))
          if value == Flock.value(number) { outcome.right += 1 } else { outcome.wrong += 1 }
        } catch let error as StoreError where error.code == .damaged {
          outcome.refused += 1
          outcome.error = error
        }
      }
      return outcome
    }
  }

  /// Reads everything, and expects an error that names the page before any wrong answer.
  func checkNoticed(_ page: PageID, _ path: String) throws {
    var settings = StoreSettings()
    settings.readOnly = true
    let store = try KeyValueStore(path, settings: settings)
    defer { try? store.close() }
    do {
      try checkAll(store)
      try store.read { try $0.table(Witness.table).forEach { _, _ in true } }
    } catch let error as StoreError where error.code == .damaged && error.page == UInt64(page.place) {
      return
    }
    throw CheckFailure(sentence: "a bit flipped in page \(page.place) was not noticed")
  }
}
