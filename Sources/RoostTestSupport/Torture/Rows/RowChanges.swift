internal import RoostQuery
internal import RoostRecords
internal import RoostText

/// Random changes of rows, made by a writer and in the model in the same way.
///
/// A change depends only on the generator and the model. It throws if the two disagree.
struct RowChanges {
  /// The transaction before this one.
  let base: UInt64
  var generator: SplitMix64
  /// One text in this many does not fit into its row.
  var largeOneIn = 8
  /// Whether a text may have a megabyte.
  var hasNamed = false
  /// Called with a description of each change.
  var trace: ((String) -> Void)?

  private struct Undone: Error {}

  mutating func carryOut(_ count: Int, _ writer: RecordWriter, model: inout RowModel) throws {
    for _ in 0..<count { try change(writer, &model, depth: 0) }
  }

  private mutating func change(_ writer: RecordWriter, _ model: inout RowModel, depth: Int) throws {
    let choice = generator.below(44)
    trace?("  change \(choice)")
    switch choice {
    case 0...9: try insertItem(writer, &model)
    case 10...12: try insertOwner(writer, &model)
    case 13...17: try updateItem(writer, &model)
    case 18, 19: try upsert(writer, &model)
    case 20, 21: try delete("Item", writer, model: &model)
    case 22: try delete("Owner", writer, model: &model)
    case 23: try updateByQuery(writer, &model)
    case 24...32: try changeLinks(writer, &model)
    case 33, 34: try changeItems(writer, &model)
    case 35...37: if depth < 2 { try savepoint(writer, &model, depth: depth) }
    case 38: if generator.chance(1, in: 2) { try changeCatalog(writer, &model) }
    case 39: try build(writer)
    case 40: if generator.chance(1, in: 6) { try changeMode(writer, &model) }
    case 41: try changeConsumer(writer, &model)
    case 42: if generator.chance(1, in: 3) { try prune(writer, &model) }
    default: try look(writer, model)
    }
  }

  private func expect(_ isRight: Bool, _ sentence: @autoclosure () -> String) throws {
    if !isRight { throw WrongAnswer(sentence()) }
  }

  // MARK: Values

  private mutating func text(_ name: String) -> String {
    if hasNamed, generator.chance(1, in: 60) {
      hasNamed = false
      return String(repeating: "named \(generator.below(9)) ", count: 150_000)
    }
    if generator.chance(1, in: largeOneIn) {
      return String(repeating: "large \(generator.below(9)) ", count: 200 + generator.below(600))
    }
    return String(repeating: name + "\(generator.below(6))", count: generator.below(7))
  }

  private mutating func value(_ name: String, _ model: RowModel) -> Value {
    switch name {
    case "key":
      let number = generator.below(120)
      // Some are longer than a key, and differ after the cut.
      return .string(number % 6 == 0 ? String(repeating: "k", count: 530) + "\(number)" : "key \(number)")
    case "size": return generator.chance(1, in: 3) ? .null : .int(Int64(generator.below(5)))
    case "kind": return generator.chance(1, in: 4) ? .null : .string("kind \(generator.below(3))")
    case "text": return .string(text("t"))
    case "when": return generator.chance(1, in: 2) ? .null : .date(Double(generator.below(9)) / 4 - 1)
    case "marks":
      return .array((0..<generator.below(3)).map { $0 == 1 ? .null : .string("m \(generator.below(4))") })
    case "owner", "lead", "keeper":
      let owners = model.owners
      if owners.isEmpty || generator.chance(name == "keeper" ? 4 : 1, in: 5) { return .null }
      return .reference(RowID(generator.pick(owners)))
    case "next":
      let items = model.items
      return items.isEmpty || generator.chance(1, in: 3) ? .null : .reference(RowID(generator.pick(items)))
    default: return model.extras[name] == true ? .string(text("x")) : .int(Int64(generator.below(100)))
    }
  }

  private static let fields = ["key", "size", "kind", "text", "when", "marks", "owner", "lead", "keeper", "next"]

  private mutating func item(_ model: RowModel) -> RowState.Row {
    var values: RowState.Row = [:]
    for name in Self.fields + model.extras.keys.sorted() { values[name] = value(name, model) }
    return values
  }

  private func fill(_ builder: inout RowBuilder, _ values: RowState.Row, table: TableWriter) throws {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { try builder.set(table.slot(name), value) }
  }

  /// Runs a change that the model expects to succeed, or to be refused with this code.
  private func expecting(_ code: RecordFault.Code?, _ body: () throws -> Void) throws {
    do { try body() } catch let fault as RecordFault {
      return try expect(fault.code == code, "refused: \(fault)")
    }
    try expect(code == nil, "not refused, where \(code?.rawValue ?? "") is right")
  }

  // MARK: Rows

  private mutating func insertOwner(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let name = Value.string("owner \(generator.below(9))")
    let row = try writer.table("Owner").insert(["name": name])
    let id = model.insert("Owner", ["name": name])
    try expect(row.number == id, "the owner has the number \(row.number) where \(id) is right")
  }

  private mutating func insertItem(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let values = item(model)
    let isTaken = values["key"].flatMap { model.item(key: $0) } != nil
    let table = try writer.table("Item")
    var builder = table.makeBuilder()
    try fill(&builder, values, table: table)
    do {
      let row = try table.insert(&builder)
      try expect(!isTaken, "a row is inserted twice")
      let id = model.insert("Item", values)
      try expect(row.number == id, "the item has the number \(row.number) where \(id) is right")
    } catch let fault as RecordFault {
      try expect(isTaken && fault.code == .notUnique, "refused: \(fault)")
    }
  }

  private mutating func updateItem(_ writer: RecordWriter, _ model: inout RowModel) throws {
    guard let id = model.items.isEmpty ? nil : generator.pick(model.items) else { return }
    var changes: RowState.Row = [:]
    for name in Self.fields + model.extras.keys.sorted() where generator.chance(1, in: 4) {
      changes[name] = value(name, model)
    }
    let isTaken = changes["key"].flatMap { model.item(key: $0, besides: id) } != nil
    let table = try writer.table("Item")
    let sorted = changes.sorted { $0.key < $1.key }
    try expecting(isTaken ? .notUnique : nil) {
      _ = try table.update(RowID(id)) { builder in
        for (name, value) in sorted { try builder.set(table.slot(name), value) }
      }
    }
    if !isTaken { model.update(id, changes) }
  }

  private mutating func upsert(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let values = item(model)
    let known = values["key"].flatMap { model.item(key: $0) }
    let table = try writer.table("Item")
    var builder = table.makeBuilder()
    try fill(&builder, values, table: table)
    let choice = generator.below(4)
    switch choice {
    case 0:
      let done = try table.upsert(&builder, on: "key", .keepExisting)
      try expect(done.outcome == (known == nil ? .inserted : .kept), "an upsert ended as \(done.outcome)")
      if known == nil { _ = model.insert("Item", values) }
    case 1:
      let done = try table.upsert(&builder, .mergeNonNil)
      try expect(done.outcome == (known == nil ? .inserted : .updated), "an upsert ended as \(done.outcome)")
      if let known { model.update(known, values.filter { !$0.value.isNull }) } else { _ = model.insert("Item", values) }
    default:
      let done = try table.upsert(&builder, on: "key", .replace)
      if let known {
        try expect(done.id.number == known, "an upsert found row \(done.id.number) where \(known) is right")
        model.update(known, values)
      } else {
        _ = model.insert("Item", values)
      }
    }
  }

  private mutating func delete(_ entity: String, _ writer: RecordWriter, model: inout RowModel) throws {
    let rows = entity == "Item" ? model.items : model.owners
    guard !rows.isEmpty else { return }
    let id = generator.pick(rows)
    let wanted = model.delete(entity, id)
    do {
      let done = try writer.table(entity).deleteFollowingRules(RowID(id))
      try expect(done.rows.count == wanted, "\(done.rows.count) rows went where \(wanted ?? 0) is right")
    } catch let fault as RecordFault {
      try expect(wanted == nil && fault.code == .denied, "refused: \(fault)")
    }
  }

  private mutating func updateByQuery(_ writer: RecordWriter, _ model: inout RowModel) throws {
    guard let entity = writer.catalog.entity("Item"), let size = entity.field("size")?.id else { return }
    let (wanted, kind) = (Int64(generator.below(5)), "kind \(generator.below(3))")
    var query = Query("Item")
    query.condition = .compare(
      .equal, .field(.row, size), .constant(.int(wanted), .optional(.plain(.int32))))
    let count = try writer.update(query) { builder in
      guard let at = builder.layout.members.firstIndex(where: { $0.id == entity.field("kind")?.id }) else { return }
      builder.set(builder.layout.slots[at], string: kind)
    }
    let rows = model.items.filter { model.state.tables["Item"]?[$0]?["size"] == .int(wanted) }
    try expect(count == rows.count, "a query changed \(count) rows where \(rows.count) is right")
    for row in rows { model.update(row, ["kind": .string(kind)]) }
  }

  // MARK: The transaction's other parts

  private mutating func savepoint(_ writer: RecordWriter, _ model: inout RowModel, depth: Int) throws {
    var inner = model
    let isKept = generator.chance(1, in: 2)
    var own = self
    do {
      try writer.savepoint {
        for _ in 0..<own.generator.below(6) { try own.change(writer, &inner, depth: depth + 1) }
        if !isKept { throw Undone() }
      }
      model = inner
    } catch is Undone {}
    generator = own.generator
    hasNamed = own.hasNamed
  }

  private mutating func build(_ writer: RecordWriter) throws {
    guard let index = writer.catalog.unbuiltIndex else { return }
    _ = try writer.buildStep(index, most: 1 + generator.below(12))
  }

  private mutating func changeCatalog(_ writer: RecordWriter, _ model: inout RowModel) throws {
    model.isFull = false
    if generator.chance(1, in: 4) { return try changeTextIndexes(writer, &model) }
    let indexed = Set(writer.catalog.indexes.flatMap(\.fields) + writer.catalog.textIndexes.flatMap(\.fields))
    let free = model.extras.keys.sorted().filter { name in
      writer.catalog.entity("Item")?.field(name).map { !indexed.contains($0.id) } ?? false
    }
    let extraIndexes = writer.catalog.indexes.filter { $0.name.hasPrefix("extra") }
    let choice = generator.below(5)
    if choice < 2 || model.extras.isEmpty {
      model.extraCount += 1
      let (name, isText) = ("x\(model.extraCount)", generator.chance(1, in: 2))
      let initial: Value = isText ? .string("initial") : .int(7)
      try writer.change { catalog in
        try catalog.change(entity: "Item") { (entity) throws(RecordFault) in
          try entity.add(name, isText ? .string : .int64, initial: initial)
        }
      }
      model.extras[name] = isText
      for id in model.items { model.state.tables["Item"]?[id]?[name] = initial }
    } else if choice == 2, let name = free.first {
      try writer.change { catalog in
        try catalog.change(entity: "Item") { (entity) throws(RecordFault) in try entity.remove(name) }
      }
      model.extras[name] = nil
      for id in model.items { model.state.tables["Item"]?[id]?[name] = nil }
    } else if choice == 3, let index = extraIndexes.first {
      try writer.change { try $0.remove(index: index.name, of: "Item") }
    } else {
      model.extraCount += 1
      let name = "extra \(model.extraCount)"
      let field = generator.pick(model.extras.keys.sorted() + ["text", "size"])
      let isLater = generator.chance(2, in: 3)
      try writer.change { try $0.add(index: name, of: "Item", on: [field, "kind"], isBuiltLater: isLater) }
    }
  }

  /// Adds a full text index, at once or in steps, or removes one.
  private mutating func changeTextIndexes(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let known = writer.catalog.textIndexes.filter { $0.name.hasPrefix("extra") }
    if known.count > 1 || generator.chance(1, in: 3), let index = known.first {
      return try writer.change { try $0.remove(textIndex: index.name, of: "Item") }
    }
    model.extraCount += 1
    let name = "extra words \(model.extraCount)"
    let fields = ["text"] + model.extras.filter(\.value).keys.sorted().prefix(2)
    let mode = generator.pick([TextAnalyzer.Mode.words, .trigrams])
    let isLater = generator.chance(1, in: 2)
    try writer.change { catalog in
      try catalog.add(
        textIndex: name, of: "Item", on: fields, analyzer: TextAnalyzer(mode: mode), isBuiltLater: isLater)
    }
  }

  private mutating func changeMode(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let mode = generator.pick([HistoryMode.off, .changes, .full, .full])
    try writer.setHistory(mode)
    model.state.mode = mode
    model.isFull = false
  }

  private func prune(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let done = try writer.pruneHistory(through: writer.latestToken)
    let slowest = model.state.consumers.values.min()
    try expect(done.floor <= min(base, slowest ?? base), "the history was removed up to \(done.floor)")
    // The history no longer contains earlier rows.
    model.isFull = false
  }

  private mutating func changeConsumer(_ writer: RecordWriter, _ model: inout RowModel) throws {
    let name = "consumer \(generator.below(3))"
    if generator.chance(1, in: 3) {
      let isThere = try writer.removeConsumer(name)
      try expect(isThere == (model.state.consumers[name] != nil), "a consumer was there, or was not")
      model.state.consumers[name] = nil
    } else {
      try writer.setConsumer(name, writer.latestToken)
      model.state.consumers[name] = base
    }
  }

  private mutating func look(_ writer: RecordWriter, _ model: RowModel) throws {
    guard !model.items.isEmpty else { return }
    let id = generator.pick(model.items)
    let table = try writer.reading("Item")
    let (found, wanted) = (try table.values(RowID(id)), model.state.tables["Item"]?[id])
    try expect(found == wanted, "a transaction reads row \(id) otherwise than it wrote it")
    try expect(table.count == model.items.count, "a transaction counts \(table.count) items")
    try search(table, model)
    if let key = wanted?["key"] {
      let row = try table.row(unique: "key", [key])
      try expect(row?.number == id, "a unique index finds row \(row?.number ?? 0) where \(id) is right")
    }
  }

  /// Checks that the full text index finds the items with a word.
  private mutating func search(_ table: TableReader, _ model: RowModel) throws {
    guard let index = table.texts.first(where: { $0.index.name == "words" }) else { return }
    let word = generator.pick(["kind", "large", "named", "t1t1", "\(generator.below(9))"])
    let question = try index.question(word)
    var found: Set<UInt64> = []
    try index.forEach(question) { row in
      found.insert(row.number)
      return true
    }
    let wanted = (model.state.tables["Item"] ?? [:]).filter { _, values in
      ["text", "kind"].contains { name in
        guard case .string(let text) = values[name] else { return false }
        return text.split(separator: " ").contains(Substring(word))
      }
    }
    try expect(found == Set(wanted.keys), "a search for \(word) finds \(found.count) items of \(wanted.count)")
  }
}
