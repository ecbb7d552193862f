package import RoostFile
internal import RoostPages
internal import RoostTrees

extension RecordReader {
  /// The lists of a to-many relationship, by its name in an entity.
  package func links(_ name: String, of entity: String) throws -> Members {
    try links(catalog.relationship(name, of: entity))
  }

  package func links(_ one: Relationship) throws -> Members {
    switch one.shape {
    case .one: throw RecordFault(.wrongType, "a reference is a field of its row", field: one.name)
    case .manyByReference(let entity, let field):
      let table = try table(entity)
      guard let id = one.index, let index = table.index(id) else { throw LinkDraft.damaged(one) }
      return Members(
        one, rows: index.tree, isOptional: table.entity.field(field)?.isOptional ?? false,
        order: one.isOrdered ? (Tables.form(one, catalog), try linkTree(one.id)) : nil, index.bond)
    case .links:
      guard let forward = one.isForward ? one : catalog.inverse(of: one) else { throw LinkDraft.damaged(one) }
      return Members(one, links: try linkTree(forward.id), Tables.form(forward, catalog), bond: try bond)
    }
  }

  /// The number of links of a relationship, the same for both sides; 0 if it is not stored as
  /// links.
  package func linkCount(_ one: Relationship) throws(StoreError) -> Int {
    guard one.shape == .links, one.isForward else { return 0 }
    return Int(clamping: try linkTree(one.id).root.count) / Tables.form(one, catalog).entries.count
  }
}
