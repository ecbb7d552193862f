internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Replays one record of the log over salvaged trees, in which rows and links may be missing.
///
/// Changes of existing rows are replayed by the usual code. Changes of lost rows are skipped and
/// counted; the deletion of a lost row is already done.
final class RecordSalvager {
  private let tables: Tables
  private let source: Examination
  private(set) var tally: SalvageTally
  /// Large values that could not be read from the source, until their row is written.
  private var missing: [(row: RowID, field: FieldID)] = []
  private let number: UInt64

  init(_ tables: Tables, _ source: Examination, tally: SalvageTally) {
    self.tables = tables
    self.source = source
    self.tally = tally
    number = tables.forest.transaction.base.transaction + 1
    tables.makesWay = { [unowned self] (table, row, rivals) throws(StoreError) in try decide(table, row, rivals: rivals)
    }
  }

  /// Decides between a row of the log and saved rows with the same unique values. The row of the
  /// log is newer and wins: the saved row is from an old page, or has lost a value. But if the row
  /// of the log has itself lost a value, that row is left out.
  private func decide(_ table: TableWriter, _ row: RowID, rivals: [RowID]) throws(StoreError) -> Bool {
    if !missing.isEmpty {
      tally.add(SalvageTally.rival(table.entity, isValueLost: true), "row \(row.number)")
      return false
    }
    for rival in rivals {
      tally.add(SalvageTally.rival(table.entity, isValueLost: false), "row \(rival.number)")
      try table.replayDelete(rival)
    }
    return true
  }

  private var inTransaction: String { "transaction \(number)" }

  func take(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer, carefully: Bool) throws(StoreError) {
    guard let kind = Tables.Kind(rawValue: kind) else {
      return tally.add("pieces of the log have an unknown kind", inTransaction)
    }
    if !carefully { return try RowSalvage.storing { try carryOut(kind, bytes) } }
    try tables.settle()
    let point = try tables.forest.savepoint()
    let mark = tables.history.mark()
    let before = tally
    do throws(StoreError) {
      try RowSalvage.storing { try carryOut(kind, bytes) }
      try tables.settle()
      tables.forest.release(point)
      tables.history.release(mark)
    } catch {
      // If the new store cannot be written, that is an error. If a change of the log cannot be
      // replayed, it is lost.
      if !error.isAboutSalvaged { throw error }
      tables.forest.rollback(to: point)
      tables.history.goBack(to: mark)
      try tables.reload()
      // The piece may have named the writer from here on.
      if kind == .history { try tables.forgetAllWriters() }
      missing = []
      tally = before
      tally.add("changes in the log do not fit the saved rows, and are left out", "\(inTransaction): \(error.detail)")
    }
  }

  func seal(carefully: Bool) throws(StoreError) -> Root {
    if !carefully { return try tables.seal() }
    return try Self.seal(tables, &tally)
  }

  /// Ends a transaction, without a history entry if necessary.
  static func seal(_ tables: Tables, _ tally: inout SalvageTally) throws(StoreError) -> Root {
    try tables.settle()
    let point = try tables.forest.savepoint()
    do throws(StoreError) {
      let root = try tables.seal()
      tables.forest.release(point)
      return root
    } catch {
      if !error.isAboutSalvaged { throw error }
      tables.forest.rollback(to: point)
      try tables.reload()
      try tables.forgetAllWriters()
      tally.add(
        "the history lacks changes", "transaction \(tables.forest.transaction.base.transaction + 1)")
      return try tables.forest.seal()
    }
  }

  // MARK: Pieces

  private func carryOut(_ kind: Tables.Kind, _ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    switch kind {
    case .catalog:
      let old = tables.catalog
      try clearTheWay(for: Catalog(decoding: bytes))
      try tables.carryOut(kind, bytes)
      // Steps of an index that the saved catalog does not know yet may have been done before the
      // log.
      for index in tables.catalog.indexes where !old.indexes.contains(where: { $0.id == index.id }) {
        if let end = index.builtBelow { try tables.build(index, from: RowID(0), below: end) }
      }
      for index in tables.catalog.textIndexes where old.textIndex(index.id) == nil {
        if let end = index.builtBelow { try tables.build(index, from: RowID(0), below: end) }
      }
    case .history, .build: try tables.carryOut(kind, bytes)
    case .link, .unlink, .moveLink, .unlinkAll, .arrange: try carryOutLinks(kind, bytes)
    case .insert, .update, .delete, .large, .largeExtents:
      let table = try tables.table(EntityID(try reader.number()))
      let row = RowID(try reader.number())
      switch kind {
      case .insert:
        // Such a row can only come from a page that no sound reference names.
        if try !table.isFree(row) { try table.replayDelete(row) }
        try tables.carryOut(kind, bytes)
        try empty(table, row)
      case .update:
        if try table.isFree(row) {
          table.forgetWaiting()
          missing = []
          return tally.add("changes of rows of \(table.entity.name) that are lost", "row \(row.number)")
        }
        try tables.carryOut(kind, bytes)
        try empty(table, row)
      case .delete: if try !table.isFree(row) { try tables.carryOut(kind, bytes) }
      case .largeExtents: try copyLarge(table, row, reader: &reader)
      default: try tables.carryOut(kind, bytes)
      }
    }
  }

  /// Copies a large value that the log only names, from the file that is salvaged.
  private func copyLarge(_ table: TableWriter, _ row: RowID, reader: inout ByteReader) throws {
    let field = FieldID(try reader.number())
    guard let list = ExtentList(decoding: reader.rest()) else { throw Tables.unreadable }
    do throws(StoreError) {
      try table.replayLarge(field, try source.view.readExtents(list))
    } catch {
      if !error.isAboutSalvaged { throw error }
      try table.replayLarge(field, [])
      missing.append((row, field))
    }
  }

  /// Clears fields of a row whose large values are lost.
  private func empty(_ table: TableWriter, _ row: RowID) throws(StoreError) {
    if missing.isEmpty { return }
    defer { missing = [] }
    if try table.isFree(row) { return }
    for (_, field) in missing {
      let name = table.entity.field(field)?.name ?? ""
      tally.add("large values of \(name) of \(table.entity.name) are lost, and are empty now", "row \(row.number)")
      try table.replayUpdate(row) { (builder) throws(StoreError) in try builder.empty(field) }
    }
  }

  /// Trees of parts that the catalog is about to add can only come from pages that no sound
  /// reference names.
  private func clearTheWay(for new: Catalog) throws {
    let old = tables.catalog
    // If the saved catalog is older than the index, the index was built further than the catalog
    // says.
    for index in new.indexes {
      guard let known = old.indexes.first(where: { $0.id == index.id }), let start = known.builtBelow,
        index.builtBelow.map({ start < $0 }) ?? true
      else { continue }
      try tables.build(known, from: start, below: index.builtBelow)
    }
    for index in new.textIndexes {
      guard let known = old.textIndex(index.id), let start = known.builtBelow,
        index.builtBelow.map({ start < $0 }) ?? true
      else { continue }
      try tables.build(known, from: start, below: index.builtBelow)
    }
    var names: [[UInt8]] = []
    for entity in new.entities where old.entity(entity.id) == nil {
      names += [Tables.rows(entity.id), Tables.large(entity.id)]
    }
    for index in new.indexes where !old.indexes.contains(where: { $0.id == index.id }) {
      names.append(Tables.entries(index.id))
    }
    for index in new.textIndexes where old.textIndex(index.id) == nil { names.append(Tables.words(index.id)) }
    for one in new.relationships where Tables.hasTree(one) && old.relationship(one.id) == nil {
      names.append(Tables.links(one.id))
    }
    for name in names { _ = try tables.forest.drop(name) }
  }

  // MARK: Links

  private func carryOutLinks(_ kind: Tables.Kind, _ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    let id = RelationshipID(try reader.number())
    guard let one = tables.catalog.relationship(id) else { throw Tables.unreadable }
    let owner = RowID(try reader.number())
    switch kind {
    case .link:
      let target = RowID(try reader.number())
      guard try tables.contains(owner, one.entity), try tables.contains(target, one.target) else {
        return tally.add("links of \(one.name) to or from rows that are lost", "rows \(owner.number), \(target.number)")
      }
      let links = try tables.links(one)
      // A link that already exists came from a page that no sound reference names.
      if !links.relationship.traits.contains(.repeating),
        let old = try tables.link(of: owner, target, links, isForward: one.isForward, at: nil)
      {
        try tables.unlink(old, links)
      }
      try tables.carryOut(kind, bytes)
    case .unlink:
      let target = RowID(try reader.number())
      let links = try tables.links(one)
      let number: UInt64 = try reader.number()
      let place = number == 0 ? nil : Int(clamping: number - 1)
      // If a part of the list is lost, positions have changed. The link may be lost too.
      let found = try tables.link(of: owner, target, links, isForward: one.isForward, at: place)
      if let found = try found ?? tables.link(of: owner, target, links, isForward: one.isForward, at: nil) {
        try tables.unlink(found, links)
      }
    case .arrange: try arrange(one, owner, wanted: try reader.list { RowID(try $0.number()) })
    default: try tables.carryOut(kind, bytes)
    }
  }

  /// Sorts the existing rows of a list in the given order. Rows that the order does not name come
  /// last.
  private func arrange(_ one: Relationship, _ owner: RowID, wanted: [RowID]) throws {
    if one.shape == .links {
      let links = try tables.links(one)
      let there = try links.links(owner, one.isForward).map { $0.row(!one.isForward) }
      return try tables.arrange(owner, Self.arranged(there, wanted), links: links, isForward: one.isForward)
    }
    guard one.isOrdered, let order = try tables.order(of: one) else { throw Tables.unreadable }
    let there = try tables.members(one).rows(of: owner)
    try tables.arrange(owner, Self.arranged(there, wanted), order: order)
  }

  private static func arranged(_ there: [RowID], _ wanted: [RowID]) -> [RowID] {
    var left: [RowID: Int] = [:]
    for row in there { left[row, default: 0] += 1 }
    func takes(_ row: RowID) -> Bool {
      guard let count = left[row], count > 0 else { return false }
      left[row] = count - 1
      return true
    }
    let known = wanted.filter(takes)
    return known + there.filter(takes)
  }
}

extension StoreError {
  /// Whether the error is about the saved trees or the log, and not about the new store's device.
  var isAboutSalvaged: Bool {
    switch code {
    case .damaged, .truncated, .logDamaged, .logMissing, .alreadyExists, .notFound, .invalidName, .treeKindMismatch,
      .keyTooLong, .valueTooLarge:
      true
    default: false
    }
  }
}

extension RowBuilder {
  /// Sets a field to nil, or to its empty value if it is not optional.
  mutating func empty(_ field: FieldID) throws(StoreError) {
    guard let index = layout.members.firstIndex(where: { $0.id == field }) else { return }
    let slot = layout.slots[index]
    do throws(RecordFault) {
      try set(slot, layout.members[index].isOptional ? .null : slot.type.empty)
    } catch {
      throw StoreError(.damaged, error.detail)
    }
  }
}
