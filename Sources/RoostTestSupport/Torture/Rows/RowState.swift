package import RoostRecords

/// All readable data of a store of rows, as plain dictionaries, for comparisons in tests.
package struct RowState: Hashable, Sendable {
  package typealias Row = [String: Value]

  /// The catalog's bytes, as the engine first wrote them.
  package var catalog: [UInt8] = []
  package var tables: [String: [UInt64: Row]] = [:]
  /// The lists of relationships by name and row; empty ones are left out.
  package var lists: [String: [UInt64: [UInt64]]] = [:]
  package var mode = HistoryMode.changes
  package var consumers: [String: UInt64] = [:]

  package init() {}

  package init(_ reader: RecordReader) throws {
    catalog = reader.catalog == Catalog() ? [] : reader.catalog.encoded
    for entity in reader.catalog.entities {
      let table = try reader.table(entity.id)
      var rows: [UInt64: Row] = [:]
      var cursor = try table.cursor()
      while try cursor.next() {
        let id = try cursor.id
        rows[id.number] = try table.values(id)
      }
      tables[entity.name] = rows
    }
    for one in reader.catalog.relationships where !one.isHidden {
      if case .one = one.shape { continue }
      guard let entity = reader.catalog.entity(one.entity) else { continue }
      let members = try reader.links(one)
      var lists: [UInt64: [UInt64]] = [:]
      for row in (tables[entity.name] ?? [:]).keys {
        let list = try members.rows(of: RowID(row))
        if !list.isEmpty { lists[row] = list.map(\.number) }
      }
      self.lists[one.name] = lists
    }
    mode = try reader.historyMode
    for one in try reader.consumers { consumers[one.name] = one.token.transaction }
  }

  /// The first difference to another state; nil if there is none.
  package func difference(from right: RowState) -> String? {
    if self == right { return nil }
    if catalog != right.catalog { return "another catalog" }
    if mode != right.mode { return "the history is \(mode) where \(right.mode) is right" }
    if consumers != right.consumers { return "consumers \(consumers) where \(right.consumers) is right" }
    for name in right.tables.keys.sorted() {
      let (found, wanted) = (tables[name] ?? [:], right.tables[name] ?? [:])
      for id in Set(found.keys).union(wanted.keys).sorted() where found[id] != wanted[id] {
        guard let one = found[id], let other = wanted[id] else {
          return "row \(id) of \(name) is \(found[id] == nil ? "missing" : "there")"
        }
        let field = Set(one.keys).union(other.keys).sorted().first { one[$0] != other[$0] } ?? ""
        let texts = [one[field], other[field]].map { "\($0.map { "\($0)" } ?? "none")".prefix(60) }
        return "\(name).\(field) of row \(id) is \(texts[0]) where \(texts[1]) is right"
      }
    }
    for name in right.lists.keys.sorted() {
      let (found, wanted) = (lists[name] ?? [:], right.lists[name] ?? [:])
      for id in Set(found.keys).union(wanted.keys).sorted() where found[id] != wanted[id] {
        return "\(name) of row \(id) is \(found[id] ?? []) where \(wanted[id] ?? []) is right"
      }
    }
    return "other tables or relationships"
  }
}

/// A digest of a store's history, which is constant within a process.
package enum RowChronicle {
  package static func digest(_ reader: RecordReader) throws -> Int {
    var hasher = Hasher()
    let cursor = try reader.history(crossesGaps: true)
    while let transaction = try cursor.move() {
      hasher.combine(transaction.number)
      hasher.combine(transaction.stamp)
      hasher.combine(transaction.author)
      hasher.combine(transaction.writer)
      hasher.combine(transaction.entry.isCatalogChanged)
      hasher.combine(transaction.entry.formerBytes)
      try transaction.entry.changes { hasher.combine($0) }
    }
    hasher.combine(try reader.oldestToken.transaction)
    return hasher.finalize()
  }

  /// Replays the whole history from the first transaction on, and reports where its rows differ
  /// from the stored ones.
  ///
  /// This needs a full history from the first transaction on, and unchanged fields.
  package static func complaint(_ reader: RecordReader, _ state: RowState) throws -> String? {
    var rows: [EntityID: [UInt64: [FieldID: RowsChange.Content]]] = [:]
    let cursor = try reader.history()
    while let transaction = try cursor.move() {
      try transaction.entry.changes { change in
        for row in change.rows {
          switch change.kind {
          case .insert, .update:
            for kept in change.values {
              rows[change.entity, default: [:]][row, default: [:]][kept.field] = kept.content
            }
          case .delete: rows[change.entity]?[row] = nil
          }
        }
      }
    }
    for entity in reader.catalog.entities {
      let (found, wanted) = (rows[entity.id] ?? [:], state.tables[entity.name] ?? [:])
      if Set(found.keys) != Set(wanted.keys) { return "the history gives other rows of \(entity.name)" }
      for (id, values) in wanted {
        for field in entity.fields {
          guard let value = values[field.name] else { continue }
          switch found[id]?[field.id] {
          case .value(let told): if told != value { return "the history gives \(told) for \(field.name) of row \(id)" }
          case .tooLarge: continue
          case nil: return "the history gives nothing for \(field.name) of row \(id)"
          }
        }
      }
    }
    return nil
  }
}
