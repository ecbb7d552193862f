import RoostFile
import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTrees
import Testing

/// Stores of rows on a simulated device, and the damage that tests make in them.
enum RowDamage {
  static let path = RowPlay.path
  static let copy = "/folder/copy.roost"

  static var options: StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .manual
    options.fanoutLimit = 8
    options.logBytes = 64 << 20
    return options
  }

  typealias Place = (page: PageID, name: String, level: UInt8)

  /// The pages of a store that belong to trees, with the trees' names.
  static func pages(_ image: SimulatedFileSystem) throws -> [Place] {
    let examination = try Store.examine(path, fileSystem: image, floor: RecordStore.floor)
    var names: [UInt32: String] = [TreeCatalog.treeID: "catalog"]
    for (name, tree) in try TreeCatalog(examination.snapshot, view: examination.view).all() {
      names[tree.id] = String(decoding: name, as: UTF8.self)
    }
    var pages: [Place] = []
    for place in 2..<examination.pageCount where !examination.free.contains(place) {
      try examination.read(PageID(place)) { (memory) throws(StoreError) in
        let header = memory.assumingMemoryBound(to: UInt32.self)
        guard header[2] == place, (1...4).contains(memory.load(as: UInt8.self)) else { return }
        if let name = names[header[1]] { pages.append((PageID(place), name, Page.level(memory))) }
      }
    }
    return pages
  }

  /// The leaves of a tree.
  static func leaves(_ image: SimulatedFileSystem, of name: String) throws -> [PageID] {
    try pages(image).filter { $0.name == name && $0.level == 0 }.map(\.page)
  }

  /// The places of a table's values that do not fit into its leaves, by their keys.
  static func outside(_ image: SimulatedFileSystem, of name: String) throws -> [(key: UInt64, page: PageID)] {
    let examination = try Store.examine(path, fileSystem: image, floor: RecordStore.floor)
    let trees = TreeCatalog(examination.snapshot, view: examination.view)
    guard let tree = try trees.descriptor(Array(name.utf8)) else { return [] }
    var found: [(UInt64, PageID)] = []
    try IntegerTree(tree.root, id: tree.id, view: examination.view).survey(gap: { _ in }) { (key, value) in
      guard value.isExtents, let list = ExtentList(decoding: value.bytes) else { return }
      for extent in list.extents { found.append((key, PageID(extent.place))) }
    }
    return found
  }

  /// Pages, and the copies of those that have one.
  static func withCopies(
    _ pages: [PageID], _ image: SimulatedFileSystem, _ path: String = path
  ) throws -> [PageID] {
    let copies = try Store.examine(path, fileSystem: image, floor: RecordStore.floor).copies
    return pages + copies.filter { pages.contains($0.page) }.map(\.copy)
  }

  static func zero(_ pages: [PageID], in image: SimulatedFileSystem) throws {
    try change(image, path) { bytes in
      for page in pages {
        let start = Int(page.place) * Page.size
        bytes.replaceSubrange(start..<start + Page.size, with: [UInt8](repeating: 0, count: Page.size))
      }
    }
  }

  static func change(
    _ image: SimulatedFileSystem, _ path: String, _ body: (inout [UInt8]) throws -> Void
  ) throws {
    var bytes = try #require(image.contents(of: path))
    try body(&bytes)
    try #require(image.overwrite(path, with: bytes))
  }

  /// The report of an image's salvage, the new store, and the errors in it.
  static func salvage(
    _ image: SimulatedFileSystem
  ) throws -> (salvage: Salvage, rows: RowSalvage, store: RecordStore, findings: [String]) {
    let rows = RowSalvage(clock: { 1_800_000_000_000 })
    let found = try KeyValueStore.salvage(
      from: path, to: copy, replacing: true, options: StoreOptions(), fileSystem: image, content: rows)
    let store = try RecordStore(copy, fileSystem: image)
    return (found, rows, store, try store.verify().findings.map(\.description))
  }
}
