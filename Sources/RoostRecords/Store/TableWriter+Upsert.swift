internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Adding a row, or changing the one that has its unique values already.
extension TableWriter {
  /// What an upsert did.
  package enum Upsert: Equatable, Sendable {
    case inserted(RowID)
    case changed(RowID)
  }

  /// Adds the row; or, where another one has its values in the unique index, gives that one all its fields.
  ///
  /// A row of which a part of the index is nil is always added. A conflict in another unique index is a fault, as ever.
  @discardableResult
  package func upsert(_ builder: inout RowBuilder, by name: String) throws -> Upsert {
    try tables.check(generation)
    guard let index = indexes.first(where: { $0.index.isUnique && $0.index.name == name }) else {
      throw RecordFault(.unknown, "there is no unique index named \(name)", entity: entity.name)
    }
    let id = RowID(nextRow)
    let moved = try assemble(&builder, id)
    try makeKey(index, id, moved)
    guard let other = try index.conflict(id) else {
      try add(id, moved)
      return .inserted(id)
    }
    guard try load(other) else { throw IndexWriter.damaged(index.index) }
    try replace(other, moved)
    return .changed(other)
  }
}
