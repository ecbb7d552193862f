internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostRecords
internal import RoostText

/// A small store of rows that the same actions make each time: see ``GoldenStore``.
///
/// Segments of the history and large values are compressed, so bytes are compared only with the
/// same version of LZ4.
package enum GoldenRows: String, CaseIterable, Sendable {
  /// Closed cleanly: a field of every type, rows of several layouts, an index of every kind, one of
  /// them half built, links and orders, large values, a history with segments, single entries, a
  /// gap and a consumer.
  case closed = "rows closed"
  /// Stopped: its log holds every kind of piece except that of a named value.
  case stopped = "rows stopped"
  /// Stopped: a value of a megabyte, which the log names.
  case named = "rows named"
  /// Closed: fields whose types list their cases, so the catalog has form 2.
  case cases = "rows with cases"
  /// Closed: the catalog names the version of the models, so it has form 3.
  case version = "rows with version"
  /// Closed: full text indexes, so the catalog has form 4.
  case texts = "rows with texts"
  /// Closed: derived fields, so the catalog has form 5.
  case derived = "rows with derived"
  /// Closed: indexes of forms, of elements and with comparisons, so the catalog has form 6.
  case indexForms = "rows with index forms"
  /// Closed: indexes of folded texts, of keys and of parts of dates, so the catalog has its seventh form.
  case indexParts = "rows with index parts"

  /// Runs the actions. Returns the files and their contents.
  package func make() throws -> (files: GoldenStore.Files, contents: String) {
    let fileSystem = SimulatedFileSystem()
    let time = RowClock()
    var options = GoldenStore.options
    options.fanoutLimit = 12
    let store = try RecordStore(GoldenStore.path, options: options, fileSystem: fileSystem, clock: { time.read() })
    try Self.first(store, isLong: self == .closed)
    if self == .cases { try Self.setCases(store) }
    if self == .version { try Self.setVersion(store) }
    if self == .texts { try Self.setTexts(store) }
    if self == .derived { try Self.setDerived(store) }
    if self == .indexForms { try Self.setIndexForms(store) }
    if self == .indexParts { try Self.setIndexParts(store) }
    try store.store.checkpoint()
    if self == .stopped { try Self.second(store) }
    if self == .named {
      try store.write { writer in
        try writer.table("Every").update(
          RowID(2), ["text": .string(String(repeating: "a megabyte ", count: 110_000))])
      }
    }
    let contents = try store.read { try Self.describe($0) }
    if [.closed, .cases, .version, .texts, .derived, .indexForms, .indexParts].contains(self) { try store.close() }
    let image = fileSystem.crashImage(.all)
    fileSystem.stopAfter(step: 0)
    try? store.close()
    guard let data = image.contents(of: GoldenStore.path) else { throw WrongAnswer("the golden rows are not there") }
    return (GoldenStore.Files(data: data, log: image.contents(of: GoldenStore.path + "-log")), contents)
  }

  // MARK: The actions

  private static func setVersion(_ store: RecordStore) throws {
    try setCases(store)
    try store.write { writer in
      try writer.change { catalog in
        catalog.version = ModelVersion(
          "2.1.0",
          parts: [
            ModelVersion.Part(
              "Every", fingerprint: 0x0123_4567_89AB_CDEF, digest: 7, parked: ["byte", "late"],
              formerNames: ["text": "title"]),
            ModelVersion.Part("Owner", fingerprint: .max, digest: 7, parked: []),
          ], parked: ["Lost"])
      }
    }
  }

  /// One index is complete, with rows in a segment, deleted rows and loose ones. The other is built
  /// in part.
  private static func setTexts(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(
          textIndex: "words", of: "Every", on: ["key", "text"],
          analyzer: TextAnalyzer(stemming: .english, stopWords: .list(["every"])))
        try catalog.add(
          textIndex: "parts", of: "Every", on: ["text"], analyzer: TextAnalyzer(mode: .trigrams), isBuiltLater: true)
      }
      for number in 0..<80 {
        let text = (0..<number % 9).map { "golden word\($0 * number % 13)" }.joined(separator: " ")
        try writer.table("Every").insert(["key": .string("text \(number)"), "text": .string(text)])
      }
      _ = try writer.buildStep(writer.catalog.textIndex("parts", of: "Every")!.id, most: 30)
    }
    for number in 0..<3 {
      try store.write { writer in
        let row = RowID(UInt64(10 + number * 9))
        try writer.table("Every").update(row, ["text": .string("golden heroes \(number)")])
        try writer.table("Every").delete(RowID(row.number + 1))
      }
    }
  }

  /// Adds a derived field of each kind, over references and over links, and changes rows after
  /// that.
  private static func setDerived(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.change(entity: "Owner") { (entity) throws(RecordFault) in
          try entity.add("childCount", .int64)
          try entity.add("sum", .int64)
          try entity.add("decimals", .decimal)
          try entity.add("least", .int64, isOptional: true)
          try entity.add("greatest", .date, isOptional: true)
          try entity.add("latest", .string, isOptional: true)
          try entity.add("tagCount", .int64)
          try entity.add("folded", .string)
        }
        guard let owner = catalog.entity("Owner"), let every = catalog.entity("Every") else { return }
        func add(_ name: String, _ kind: Derivation.Kind, over list: String, of value: String?, by key: String?) throws
        {
          guard let field = owner.field(name) else { return }
          try catalog.add(
            Derivation(
              owner.id, field.id, kind: kind, relationship: catalog.relationship(list, of: "Owner").id,
              value: value.flatMap { every.field($0)?.id }, key: key.flatMap { every.field($0)?.id }))
        }
        try add("childCount", .count, over: "children", of: nil, by: nil)
        try add("sum", .sum, over: "children", of: "int32", by: nil)
        try add("decimals", .sum, over: "children", of: "decimal", by: nil)
        try add("least", .minimum, over: "children", of: "int64", by: nil)
        try add("greatest", .maximum, over: "children", of: "date", by: nil)
        try add("latest", .latest, over: "children", of: "text", by: "date")
        try add("tagCount", .count, over: "tags", of: nil, by: nil)
        if let folded = owner.field("folded") {
          try catalog.add(Derivation(owner.id, folded.id, kind: .computed, text: "folded 1"))
        }
      }
    }
    try store.write { writer in
      try writer.table("Every").insert(["key": .string("derived"), "owner": .reference(RowID(1)), "int32": .int(5)])
    }
  }

  static func types(_ owner: EntityID) -> [(name: String, type: FieldType)] {
    let pair = ElementType.structure([.init("at", .plain(.date)), .init("note", .optional(.plain(.string)))])
    return [
      ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64), ("uint8", .uint8),
      ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64), ("float", .float), ("double", .double),
      ("decimal", .decimal), ("text", .string), ("data", .data), ("date", .date), ("uuid", .uuid), ("url", .url),
      ("present", .presence), ("owner", .reference(owner)), ("array", .array(pair)), ("set", .set(.plain(.int16))),
      ("map", .dictionary(.plain(.string), .plain(.double))),
    ]
  }

  private static func catalog() throws -> Catalog {
    var catalog = Catalog()
    let owner = try catalog.add(entity: "Owner") { (entity) throws(RecordFault) in try entity.add("name", .string) }
    try catalog.add(entity: "Every") { (entity) throws(RecordFault) in
      try entity.add("key", .string, isPreserved: true)
      for (name, type) in types(owner) { try entity.add(name, type, isOptional: true) }
    }
    let fields = catalog.entity("Every")!
    let (bool, date, int8) = (fields.field("bool")!.id, fields.field("date")!.id, fields.field("int8")!.id)
    try catalog.add(index: "key", of: "Every", on: ["key"], isUnique: true)
    try catalog.add(index: "down", of: "Every", on: ["double", "text"], descending: ["double"])
    try catalog.add(index: "some", of: "Every", on: ["decimal"], tests: [.isNotNull(date), .equals(bool, .bool(true))])
    try catalog.add(index: "none", of: "Every", on: ["uuid", "url"], tests: [.isNull(int8)])
    try catalog.add(reference: "owner", of: "Every", inverse: .init("children", deleteRule: .cascade, isOrdered: true))
    try catalog.add(
      links: .init("bag", isOrdered: true), of: "Owner", to: "Every", inverse: .init("of bag", isOrdered: true),
      repeats: true)
    try catalog.add(links: .init("list", isOrdered: true), of: "Owner", to: "Every", inverse: .init("of list"))
    try catalog.add(links: .init("tags"), of: "Owner", to: "Every", inverse: .init("of tags"))
    return catalog
  }

  private static func value(_ type: FieldType, _ number: Int) -> Value {
    let real = Double(number) * 1.5 - 4
    switch type {
    case .bool: return .bool(number % 2 == 0)
    case .int8, .int16, .int32, .int64: return .int(Int64(number * 7 - 20))
    case .uint8, .uint16, .uint32, .uint64: return .uint(UInt64(number * 9))
    case .float: return .float(Float(real))
    case .double: return number == 3 ? .double(.nan) : .double(real)
    case .date: return .date(real * 1000)
    case .decimal: return .decimal(DecimalNumber(number * 11 - 30))
    case .string:
      // One of five is in pages of its own, and one in pieces.
      let count = number % 5 == 1 ? 600 : number % 5 == 2 ? 250 : number
      return .string(String(repeating: "te\u{301}xt \(number) ", count: count))
    case .url: return .url("https://a.example/\(number)")
    case .data: return .data((0..<number * 3).map { UInt8($0) })
    case .uuid: return .uuid(UUIDNumber(high: UInt64(number) << 32 | 7, low: UInt64(number)))
    case .presence: return .bool(true)
    case .reference: return .reference(RowID(UInt64(1 + number % 3)))
    case .array:
      return .array((0..<number % 4).map { .structure([.date(Double($0)), $0 == 1 ? .null : .string("n")]) })
    case .set: return .set(Set((0..<number % 5).map { .int(Int64($0)) }))
    case .dictionary:
      return .dictionary(["a": 1, "b": 2.5].reduce(into: [:]) { $0[.string($1.key)] = .double($1.value) })
    }
  }

  private static func insert(_ numbers: Range<Int>, _ writer: RecordWriter) throws {
    let table = try writer.table("Every")
    for number in numbers {
      var builder = table.makeBuilder()
      try builder.set(table.slot("key"), .string("key \(number)"))
      for (place, one) in types(EntityID(1)).enumerated() {
        let isNull = (number + place) % 4 == 0
        // One field is renamed later.
        let name = table.entity.field(one.name) == nil ? "byte" : one.name
        try builder.set(table.slot(name), isNull ? .null : value(one.type, number))
      }
      _ = try table.insert(&builder)
    }
  }

  /// The actions before the checkpoint.
  private static func first(_ store: RecordStore, isLong: Bool) throws {
    try store.write(author: "golden") { writer in
      try writer.setHistory(.full)
      try writer.change { $0 = try catalog() }
      for name in ["one", "two", "three", "four"] { try writer.table("Owner").insert(["name": .string(name)]) }
    }
    try store.write(author: "golden") { try insert(0..<8, $0) }
    try store.write { writer in
      let (bag, list) = (try writer.links("bag", of: "Owner"), try writer.links("list", of: "Owner"))
      for number: UInt64 in [1, 2, 2, 5] { try bag.insert(RowID(number), at: 0, in: RowID(1)) }
      for number: UInt64 in 1...6 {
        try list.append(RowID(number), to: RowID(1 + number % 2))
        try writer.links("tags", of: "Owner").append(RowID(number), to: RowID(2))
      }
      // An order other than that of the rows' numbers. The lists of the other owners have no stored
      // order.
      try writer.links("children", of: "Owner").move(from: 2, to: 0, in: RowID(2))
      try writer.setConsumer("mirror", writer.latestToken)
    }
    try store.write { writer in
      try writer.change { catalog in
        try catalog.change(entity: "Every") { (entity) throws(RecordFault) in
          try entity.add("late", .int32, initial: .int(5))
          try entity.rename("uint8", to: "byte")
        }
        try catalog.add(index: "half", of: "Every", on: ["late", "byte"], isBuiltLater: true)
      }
      _ = try writer.buildStep(writer.catalog.indexes.first { $0.name == "half" }!.id, most: 4)
    }
    guard isLong else { return }
    try store.write { try $0.setHistory(.off) }
    try store.write { try $0.table("Owner").insert(["name": .string("untold")]) }
    try store.write { try $0.setHistory(.changes) }
    for number in 0..<70 {
      try store.write(.relaxed) { try $0.table("Owner").update(RowID(4), ["name": .string("name \(number)")]) }
    }
  }

  private static func setCases(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.change(entity: "Every") { (entity) throws(RecordFault) in
          for (name, cases) in [
            ("text", [Value.string("EUR"), .string("")]), ("int16", [.int(-13), .int(1)]), ("set", [.int(0), .int(4)]),
            ("byte", []),
          ] {
            if let field = entity.field(name) { entity.setCases(cases, of: field.id) }
          }
        }
      }
    }
  }

  /// The actions whose log records a stopped store has.
  private static func second(_ store: RecordStore) throws {
    try store.write(author: "log") { writer in
      try insert(8..<12, writer)
      try writer.table("Every").update(RowID(3), ["text": .null, "owner": .reference(RowID(2)), "late": .int(9)])
      try writer.table("Every").delete(RowID(5))
    }
    try store.write { writer in
      let (bag, list) = (try writer.links("bag", of: "Owner"), try writer.links("list", of: "Owner"))
      try bag.move(from: 0, to: 2, in: RowID(1))
      try bag.remove(at: 1, from: RowID(1))
      try list.replace([9, 3, 1].map { RowID($0) }, of: RowID(2))
      try list.insert(RowID(10), at: 1, in: RowID(2))
      try list.remove(RowID(3), from: RowID(2))
      try writer.links("tags", of: "Owner").removeAll(of: RowID(2))
      try writer.links("children", of: "Owner").replace([10, 2, 7].map { RowID($0) }, of: RowID(1))
      try writer.links("children", of: "Owner").move(from: 1, to: 0, in: RowID(1))
    }
    try store.write { writer in
      _ = try writer.buildStep(writer.catalog.indexes.first { $0.name == "half" }!.id, most: 3)
      try writer.setConsumer("second", writer.latestToken)
      try writer.removeConsumer("mirror")
      try writer.pruneHistory(through: writer.latestToken)
    }
    try store.write { writer in
      try writer.setHistory(.changes)
      try writer.change { catalog in
        try catalog.change(entity: "Every") { (entity) throws(RecordFault) in try entity.remove("data") }
      }
      try writer.table("Owner").deleteFollowingRules(RowID(3))
    }
  }

  // MARK: Contents

  /// Describes every row in a line, then lists, the history and its consumers.
  static func describe(_ reader: RecordReader) throws -> String {
    let state = try RowState(reader)
    var lines = ["commit \(reader.commit), history \(state.mode)"]
    for entity in reader.catalog.entities {
      for field in entity.fields {
        if let cases = field.cases { lines.append("\(entity.name).\(field.name) cases \(cases.map { text($0) })") }
      }
    }
    if let version = reader.catalog.version {
      lines.append("version \(version.number), parked \(version.parked)")
      for part in version.parts {
        lines.append("\(part.name) \(String(part.fingerprint, radix: 16)), parked \(part.parked)")
      }
    }
    for one in reader.catalog.derivations {
      let name = reader.catalog.field(one.field, of: one.entity)?.name ?? ""
      lines.append("derived \(name): \(one.kind.word) \(one.text)")
    }
    lines += try describeIndexForms(reader)
    for index in reader.catalog.textIndexes {
      let text = try reader.table(index.entity).text(index.id)!
      lines.append("full text \(index.name), \(try text.count) rows, below \(index.builtBelow?.number ?? 0)")
      for question in ["hero*", "\"golden heroes\"", "key", "key:9", "ext NOT gol"] {
        guard let asked = try? text.question(question) else { continue }
        let rows = try text.best(asked, 8, weights: []).map { "\($0.row.number)" }
        lines.append("\(question): \(try text.count(asked)), best \(rows.joined(separator: " "))")
      }
    }
    for (name, rows) in state.tables.sorted(by: { $0.key < $1.key }) {
      for (id, values) in rows.sorted(by: { $0.key < $1.key }) {
        let texts = values.sorted { $0.key < $1.key }.map { "\($0.key) \(text($0.value))" }
        let check = texts.joined(separator: ", ").utf8.withContiguousStorageIfAvailable {
          Checksum.of(UnsafeRawBufferPointer($0))
        }
        // One line for each row: its first fields as readable text, and a checksum of all.
        let begin = texts.prefix(3).joined(separator: ", ")
        lines.append("\(name) \(id): \(begin); \(texts.count) fields, \(String(check ?? 0, radix: 16))")
      }
    }
    for (name, lists) in state.lists.sorted(by: { $0.key < $1.key }) {
      for (id, rows) in lists.sorted(by: { $0.key < $1.key }) { lines.append("\(name) \(id): \(rows)") }
    }
    let cursor = try reader.history(crossesGaps: true)
    while let one = try cursor.move() {
      let changes = try one.entry.changes()
      let rows = changes.map { "\($0.kind) \($0.entity.number).\($0.rows.lowerBound)" }.joined(separator: " ")
      let count = rows.count > 60 ? "\(changes.count) changes" : rows
      lines.append("history \(one.number) \(one.stamp.bits) \(one.author): \(count)")
    }
    for (name, number) in state.consumers.sorted(by: { $0.key < $1.key }) { lines.append("consumer \(name) \(number)") }
    return lines.joined(separator: "\n")
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .string(let text), .url(let text):
      var text = text
      return text.utf8.count < 20
        ? text : "\(text.utf8.count):" + text.withUTF8 { String(Checksum.of(UnsafeRawBufferPointer($0)), radix: 16) }
    case .set(let values): return "{" + values.map { self.text($0) }.sorted().joined(separator: " ") + "}"
    case .dictionary(let values):
      return "{" + values.map { "\(self.text($0.key)): \(self.text($0.value))" }.sorted().joined(separator: " ") + "}"
    case .array(let values), .structure(let values): return "[" + values.map { text($0) }.joined(separator: " ") + "]"
    case .double(let number), .date(let number): return "\(number.bitPattern)"
    default: return "\(value)"
    }
  }
}
