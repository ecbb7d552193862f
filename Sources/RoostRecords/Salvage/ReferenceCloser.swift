internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Clears optional references to lost rows. Other references stay as they are, and the catalog
/// marks their relationship as torn.
final class ReferenceCloser {
  private let tables: Tables
  private(set) var tally = SalvageTally()
  private(set) var changed = 0
  private var torn: Set<RelationshipID> = []

  /// The number of rows that are read between two changes.
  private static let most = 10_000

  init(_ tables: Tables) { self.tables = tables }

  func run() throws {
    for entity in tables.catalog.entities {
      for one in tables.catalog.relationships(of: entity.id) {
        guard case .one(let id) = one.shape, let inverse = tables.catalog.inverse(of: one),
          let field = entity.field(id), !one.traits.contains(.unchecked), inverse.deleteRule != .noAction
        else { continue }
        try close(one, field, entity: entity)
      }
    }
    if torn.isEmpty { return }
    var catalog = tables.catalog
    for id in torn { catalog.tear(relationship: id) }
    if catalog == tables.catalog { return }
    try tables.setCatalog(catalog)
    changed += 1
  }

  private func close(_ one: Relationship, _ field: Field, entity: Entity) throws {
    let target = tables.catalog.entity(one.target)?.name ?? ""
    var next: RowID? = RowID(0)
    while let start = next {
      let (open, following) = try open(one, field, entity: entity, from: start)
      next = following
      for row in open {
        if !field.isOptional {
          torn.insert(one.id)
          tally.add("rows of \(entity.name) need a row of \(target) that is lost", "row \(row.number)")
          continue
        }
        tally.add(
          "references of \(entity.name) by \(one.name) to rows of \(target) that are lost are nil now",
          "row \(row.number)")
        _ = try tables.table(entity.id).update(row) { builder in try builder.empty(field.id) }
        changed += 1
      }
    }
  }

  /// The rows with references to missing rows among the next ones, and where to continue.
  private func open(
    _ one: Relationship, _ field: Field, entity: Entity, from start: RowID
  ) throws -> (open: [RowID], next: RowID?) {
    let table = try tables.table(entity.id).reading
    guard let access = table.access(field.id) else { return ([], nil) }
    let target = try tables.table(one.target).rows.tree
    var found: [RowID] = []
    var cursor = IntegerCursor(table.rows)
    var isThere = try cursor.seek(start.number)
    var count = 0
    // Many rows may refer to the same row.
    var last: (row: RowID, isThere: Bool)?
    while isThere {
      let id = RowID(cursor.key)
      if count == Self.most { return (found, id) }
      count += 1
      let value = try table.withRow(id) { (row) throws(StoreError) in try table.value(access, row) }
      if case .reference(let row)? = value, row.number != 0 || !field.isOptional {
        if last?.row != row { last = (row, try target.value(of: row.number) != nil) }
        if last?.isThere == false { found.append(id) }
      }
      isThere = try cursor.next()
    }
    return (found, nil)
  }
}
