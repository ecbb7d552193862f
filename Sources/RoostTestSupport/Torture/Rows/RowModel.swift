package import RoostRecords
internal import RoostText

/// A store of rows in plain dictionaries, with the rules of the engine.
///
/// Owners have items: by a reference with a stored order, by references with each delete rule, and
/// by links of every kind.
package struct RowModel: Sendable {
  package var state = RowState()
  package var next = ["Owner": UInt64(1), "Item": UInt64(1)]
  /// Whether the history was full from the first transaction on, so that it contains everything.
  package var isFull = true
  /// Fields that were added later, by name, and whether they hold text.
  package var extras: [String: Bool] = [:]
  package var extraCount = 0

  /// Links between owners and items.
  struct Kind: Sendable {
    var name: String
    var back: String
    var isOrdered: Bool
    var isBackOrdered: Bool
    var repeats: Bool
  }

  static let kinds = [
    Kind(name: "likes", back: "likedBy", isOrdered: true, isBackOrdered: true, repeats: false),
    Kind(name: "bag", back: "bagged", isOrdered: true, isBackOrdered: true, repeats: true),
    Kind(name: "list", back: "listed", isOrdered: true, isBackOrdered: false, repeats: false),
    Kind(name: "tags", back: "tagged", isOrdered: false, isBackOrdered: false, repeats: false),
    Kind(name: "late", back: "lately", isOrdered: false, isBackOrdered: true, repeats: false),
  ]

  package init() {}

  /// The first catalog of a store: an index of every kind.
  package static func catalog() throws -> Catalog {
    var catalog = Catalog()
    let owner = try catalog.add(entity: "Owner") { (entity) throws(RecordFault) in
      try entity.add("name", .string, isPreserved: true)
    }
    let item = try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
      try entity.add("key", .string)
      try entity.add("size", .int32, isOptional: true)
      try entity.add("kind", .string, isOptional: true)
      try entity.add("text", .string)
      try entity.add("when", .date, isOptional: true, isPreserved: true)
      try entity.add("marks", .array(.optional(.plain(.string))))
      for name in ["owner", "lead", "keeper"] { try entity.add(name, .reference(owner), isOptional: true) }
    }
    try catalog.change(entity: "Item") { (entity) throws(RecordFault) in
      try entity.add("next", .reference(item), isOptional: true)
    }
    let size = catalog.entity("Item")!.field("size")!.id
    let kind = catalog.entity("Item")!.field("kind")!.id
    try catalog.add(index: "key", of: "Item", on: ["key"], isUnique: true)
    try catalog.add(index: "kind", of: "Item", on: ["kind", "size"], descending: ["size"])
    try catalog.add(
      index: "text", of: "Item", on: ["text"], tests: [.isNotNull(size), .equals(kind, .string("kind 1"))])
    try catalog.add(index: "when", of: "Item", on: ["when"], descending: ["when"], tests: [.isNull(kind)])
    let (text, marks) = (catalog.entity("Item")!.field("text")!.id, catalog.entity("Item")!.field("marks")!.id)
    try catalog.add(
      index: "marks", of: "Item", parts: [Index.Part(size), Index.Part(marks, form: .elements)],
      tests: [.any([.compares(size, .greater, .int(2)), .isNull(kind)])])
    try catalog.add(
      index: "lower", of: "Item", parts: [Index.Part(text, form: .lowercased), Index.Part(marks, form: .count)])
    try catalog.add(textIndex: "words", of: "Item", on: ["text", "kind"], analyzer: TextAnalyzer())
    try catalog.add(
      reference: "owner", of: "Item", inverse: .init("items", deleteRule: .cascade, isOrdered: true))
    try catalog.add(reference: "lead", of: "Item", inverse: .init("leads"))
    try catalog.add(reference: "keeper", of: "Item", inverse: .init("kept", deleteRule: .deny))
    try catalog.add(reference: "next", of: "Item", inverse: .init("previous", isOrdered: true))
    for kind in kinds {
      try catalog.add(
        links: .init(kind.name, isOrdered: kind.isOrdered), of: "Owner", to: "Item",
        inverse: .init(kind.back, isOrdered: kind.isBackOrdered), repeats: kind.repeats)
    }
    return catalog
  }

  /// The relationships with a stored order, by the item's field.
  static let orders = ["owner": "items", "next": "previous"]
  static let backs = ["lead": "leads", "keeper": "kept"]

  mutating func begin(catalog: [UInt8]) {
    state.catalog = catalog
    state.tables = ["Owner": [:], "Item": [:]]
    for name in Self.kinds.flatMap({ [$0.name, $0.back] }) + ["items", "leads", "kept", "previous"] {
      state.lists[name] = [:]
    }
  }

  // MARK: Rows

  var owners: [UInt64] { (state.tables["Owner"] ?? [:]).keys.sorted() }
  var items: [UInt64] { (state.tables["Item"] ?? [:]).keys.sorted() }

  func item(key: Value, besides id: UInt64? = nil) -> UInt64? {
    (state.tables["Item"] ?? [:]).first { $0.key != id && $0.value["key"] == key }?.key
  }

  mutating func insert(_ entity: String, _ values: RowState.Row) -> UInt64 {
    let id = next[entity] ?? 1
    next[entity] = id + 1
    state.tables[entity]?[id] = values
    if entity == "Item" { refer(id, old: nil, new: values) }
    return id
  }

  mutating func update(_ id: UInt64, _ changes: RowState.Row) {
    guard let old = state.tables["Item"]?[id] else { return }
    let new = old.merging(changes) { $1 }
    state.tables["Item"]?[id] = new
    refer(id, old: old, new: new)
  }

  /// Updates the lists of the referenced rows.
  private mutating func refer(_ id: UInt64, old: RowState.Row?, new: RowState.Row?) {
    for (field, list) in Self.orders.merging(Self.backs, uniquingKeysWith: { first, _ in first }) {
      let (before, after) = (Self.target(old?[field]), Self.target(new?[field]))
      if before == after { continue }
      if let before { drop(id, from: before, list) }
      if let after {
        var rows = state.lists[list]?[after] ?? []
        rows.append(id)
        state.lists[list]?[after] = Self.backs[field] == nil ? rows : rows.sorted()
      }
    }
  }

  static func target(_ value: Value?) -> UInt64? {
    if case .reference(let row) = value { row.number } else { nil }
  }

  mutating func set(_ rows: [UInt64], of row: UInt64, _ list: String) {
    state.lists[list]?[row] = rows.isEmpty ? nil : rows
  }

  mutating func drop(_ id: UInt64, from row: UInt64, _ list: String) {
    set((state.lists[list]?[row] ?? []).filter { $0 != id }, of: row, list)
  }

  /// Applies the delete rules. Returns the number of deleted rows; nil if the deletion is denied.
  mutating func delete(_ entity: String, _ id: UInt64) -> Int? {
    let doomed = entity == "Item" ? [id] : state.lists["items"]?[id] ?? []
    if entity == "Owner" {
      let keeping = (state.lists["kept"]?[id] ?? []).filter { !doomed.contains($0) }
      if !keeping.isEmpty { return nil }
      for item in state.lists["leads"]?[id] ?? [] where !doomed.contains(item) { update(item, ["lead": .null]) }
    }
    for item in doomed {
      for other in state.lists["previous"]?[item] ?? [] where !doomed.contains(other) { update(other, ["next": .null]) }
    }
    for item in doomed { remove(item) }
    if entity == "Owner" { forget(id) }
    return entity == "Item" ? 1 : doomed.count + 1
  }

  private mutating func remove(_ item: UInt64) {
    refer(item, old: state.tables["Item"]?[item], new: nil)
    state.tables["Item"]?[item] = nil
    state.lists["previous"]?[item] = nil
    for kind in Self.kinds {
      for owner in Set(state.lists[kind.back]?[item] ?? []) { drop(item, from: owner, kind.name) }
      state.lists[kind.back]?[item] = nil
    }
  }

  private mutating func forget(_ owner: UInt64) {
    state.tables["Owner"]?[owner] = nil
    for list in ["items", "leads", "kept"] { state.lists[list]?[owner] = nil }
    for kind in Self.kinds {
      for item in Set(state.lists[kind.name]?[owner] ?? []) { drop(owner, from: item, kind.back) }
      state.lists[kind.name]?[owner] = nil
    }
  }

  // MARK: Links

  /// Links two rows. Returns whether there is a new link.
  mutating func link(_ kind: Kind, _ owner: UInt64, item: UInt64, at place: Int? = nil, atBack: Int? = nil) -> Bool {
    var list = state.lists[kind.name]?[owner] ?? []
    if !kind.repeats, list.contains(item) { return false }
    list.insert(item, at: place ?? list.count)
    set(kind.isOrdered ? list : list.sorted(), of: owner, kind.name)
    var back = state.lists[kind.back]?[item] ?? []
    back.insert(owner, at: atBack ?? back.count)
    set(kind.isBackOrdered ? back : back.sorted(), of: item, kind.back)
    return true
  }

  mutating func replace(_ kind: Kind, _ owner: UInt64, wanted: [UInt64]) {
    let list = state.lists[kind.name]?[owner] ?? []
    for item in Set(list) where kind.repeats || !wanted.contains(item) { drop(owner, from: item, kind.back) }
    set(kind.repeats ? [] : list.filter { wanted.contains($0) }, of: owner, kind.name)
    for item in wanted where kind.repeats || !list.contains(item) { _ = link(kind, owner, item: item) }
    set(wanted, of: owner, kind.name)
  }
}
