import RoostBytes
import RoostFile
import RoostKV
import RoostPages
import RoostRecords

/// The result of `stats`: the number of pages of each tree, and their places in the file.
struct StatsReport: Encodable {
  struct Part: Encodable {
    var name: String
    var kind: String
    var entries: Int
    var pages: Int
    var depth: Int
    /// The used fraction of the leaves' room, 0 to 1.
    var fill: Double
  }

  /// The content of a page of the file.
  enum Kind: String, Encodable, CaseIterable {
    case rows, index, large, history, other, free

    var mark: Character {
      switch self {
      case .rows: "█"
      case .index: "▓"
      case .large: "▒"
      case .history: "░"
      case .other: "+"
      case .free: "·"
      }
    }

    var meaning: String {
      switch self {
      case .rows: "rows"
      case .index: "indexes and links"
      case .large: "large values"
      case .history: "history"
      case .other: "everything else"
      case .free: "free"
      }
    }
  }

  var path: String
  var pages: Int
  var freePages: Int
  var fileBytes: UInt64
  var parts: [Part]
  var pagesByKind: [String: Int]
  /// The content of each page, at the last checkpoint.
  private let places: [Kind]

  private enum CodingKeys: String, CodingKey {
    case path, pages, freePages, fileBytes, parts, pagesByKind
  }

  init(_ path: String) throws {
    let catalog = try StoreContent.of(path) == .rows ? RecordWitness(path).read { $0.catalog } : nil
    let (canonical, figures, numbers) = try Looking.trees(path) { store in
      (
        store.path, try store.statistics(),
        try store.read { reader in try reader.treeNumbers() }
      )
    }
    let names = TreeNames(catalog)
    var kinds: [UInt32: Kind] = [:]
    for (name, number) in numbers { kinds[number] = names.kind(name) }
    let found = try Self.places(path, kinds)
    places = found.places
    self.path = canonical
    fileBytes = UInt64(found.places.count * Page.size)
    pages = found.places.count
    freePages = found.places.reduce(0) { $0 + ($1 == .free ? 1 : 0) }
    parts = figures.trees.map { tree in
      Part(
        name: names.name(tree.name), kind: names.kind(tree.name).rawValue, entries: tree.entries,
        pages: numbers[tree.name].flatMap { found.counts[$0] } ?? 0, depth: tree.depth, fill: tree.fill)
    }.sorted { ($0.pages, $1.name) > ($1.pages, $0.name) }
    pagesByKind = Dictionary(places.map { ($0.rawValue, 1) }, uniquingKeysWith: +)
  }

  /// Reads the header of each used page. If the file is written meanwhile, it is read again.
  private static func places(
    _ path: String, _ kinds: [UInt32: Kind]
  ) throws -> (places: [Kind], counts: [UInt32: Int]) {
    for _ in 0..<Store.mostAttempts {
      let examination = try Store.examine(path, fileSystem: DiskFileSystem.shared, floor: RecordStore.floor)
      var places = [Kind](repeating: .large, count: Int(examination.pageCount))
      var counts: [UInt32: Int] = [:]
      for place in places.indices {
        if place < 2 {
          places[place] = .other
        } else if examination.free.contains(UInt32(place)) {
          places[place] = .free
        }
      }
      for page in examination.mapPages + examination.copies.map(\.copy) where Int(page.place) < places.count {
        places[Int(page.place)] = .other
      }
      try examination.scan { (page, memory) throws(StoreError) in
        let place = Int(page.place)
        guard place < places.count, places[place] == .large, memory.u32(Page.Field.place) == page.place,
          Page.kind(memory) != nil
        else { return }
        let tree = memory.u32(Page.Field.tree)
        places[place] = kinds[tree] ?? .other
        counts[tree, default: 0] += 1
      }
      let now = try Store.examine(path, fileSystem: DiskFileSystem.shared, floor: RecordStore.floor)
      if now.sequence == examination.sequence { return (places, counts) }
    }
    throw Store.ownerIsFaster(path)
  }

  func write(to console: Console) {
    console.facts([
      ("store", path),
      (
        "size",
        "\(ReadableNumber.bytes(fileBytes)), \(ReadableNumber.count(pages, "page")), \(ReadableNumber.count(freePages)) free"
      ),
    ])
    console.line()
    for line in chart(columns: min(64, max(16, console.width - 12))) { console.line(text: line) }
    console.line()
    let used = Kind.allCases.filter { pagesByKind[$0.rawValue] != nil }
    for kind in used {
      console.line("  \(kind.mark) \(kind.meaning): \(ReadableNumber.count(pagesByKind[kind.rawValue] ?? 0, "page"))")
    }
    console.line()
    var table = TextTable(
      [
        .init(name: "part"), .init(name: "entries", isNumber: true), .init(name: "pages", isNumber: true),
        .init(name: "depth", isNumber: true), .init(name: "full", isNumber: true),
      ], console
    ) { try console.raw($0) }
    try? fill(&table)
  }

  private func fill(_ table: inout TextTable) throws {
    // A store has trees for everything that it may hold.
    for part in parts where part.entries > 0 || part.pages > 0 {
      let full = part.depth == 0 ? "" : "\(Int((part.fill * 100).rounded())) %"
      try table.add([
        part.name, ReadableNumber.count(part.entries), ReadableNumber.count(part.pages), "\(part.depth)", full,
      ])
    }
    try table.end()
  }

  /// The file from its beginning to its end. Each mark stands for several pages, and shows the most
  /// frequent kind.
  func chart(columns: Int) -> [String] {
    let mostLines = 16
    let perMark = max(1, (places.count + columns * mostLines - 1) / (columns * mostLines))
    var marks = ""
    var lines: [String] = []
    for start in stride(from: 0, to: places.count, by: perMark) {
      var counts: [Kind: Int] = [:]
      for kind in places[start..<min(start + perMark, places.count)] { counts[kind, default: 0] += 1 }
      // If two kinds are equally frequent, the first one of the legend is shown.
      let most = Kind.allCases.max { (counts[$0] ?? 0) < (counts[$1] ?? 0) } ?? .free
      let shown = Kind.allCases.first { counts[$0] == counts[most] } ?? most
      marks.append(shown.mark)
      if marks.count == columns {
        lines.append("  " + marks)
        marks = ""
      }
    }
    if !marks.isEmpty { lines.append("  " + marks) }
    return lines + ["  each mark is \(ReadableNumber.count(perMark, "page"))"]
  }
}

/// Readable names of trees.
struct TreeNames {
  private let catalog: Catalog?

  init(_ catalog: Catalog?) { self.catalog = catalog }

  private func number(_ name: String, _ letter: Character) -> UInt32? {
    name.first == letter ? UInt32(name.dropFirst()) : nil
  }

  func name(_ name: String) -> String {
    guard let catalog else { return name }
    if let id = number(name, "r") { return entity(EntityID(id)) }
    if let id = number(name, "v") { return entity(EntityID(id)) + ", large values" }
    if let id = number(name, "i"), let index = catalog.indexes.first(where: { $0.id.number == id }) {
      return entity(index.entity) + ", index \(index.name)"
    }
    if let id = number(name, "t"), let index = catalog.textIndex(IndexID(id)) {
      return entity(index.entity) + ", full text index \(index.name)"
    }
    if let id = number(name, "l"), let one = catalog.relationship(RelationshipID(id)) {
      return entity(one.entity) + ", links \(one.name)"
    }
    return name
  }

  private func entity(_ id: EntityID) -> String { catalog?.name(of: id) ?? "entity \(id.number)" }

  func kind(_ name: String) -> StatsReport.Kind {
    guard catalog != nil else { return .rows }
    if number(name, "r") != nil { return .rows }
    if number(name, "v") != nil { return .large }
    if number(name, "i") != nil || number(name, "l") != nil || number(name, "t") != nil { return .index }
    return name == "history" ? .history : .other
  }
}

extension Command {
  static var stats: Command {
    Command(
      name: "stats", summary: "Show what the pages of a store contain, as a chart and a table. Writes nothing.",
      discussion: [
        "The chart shows the file from beginning to end, at the last checkpoint."
      ],
      syntax: storeAndJSON
    ) { arguments, console in
      let report = try StatsReport(arguments.operands[0])
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }
}
