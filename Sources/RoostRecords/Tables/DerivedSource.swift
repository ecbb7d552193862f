internal import RoostFile

/// Reads the rows from which derived fields are computed, as they are at one moment of a
/// transaction.
final class DerivedSource {
  private let tables: Tables
  private var readers: [EntityID: TableReader] = [:]
  private var lists: [RelationshipID: Members] = [:]

  init(_ tables: Tables) throws(StoreError) { self.tables = tables }

  func field(_ one: Derivation) throws(RecordFault) -> Field {
    guard let field = tables.catalog.field(one.field, of: one.entity) else {
      throw RecordFault(.unknown, "there is no such field to derive")
    }
    return field
  }

  /// The stored value of a derived field; nil if the row does not exist.
  func stored(_ one: Derivation, of row: RowID) throws(StoreError) -> Value? {
    try reader(one.entity).values([one.field], of: row)?.first
  }

  /// The value of a derived field, computed from all members.
  func value(_ one: Derivation, of row: RowID) throws(StoreError) -> Result<Value, RecordFault> {
    guard let id = one.relationship, let relationship = tables.catalog.relationship(id),
      let field = tables.catalog.field(one.field, of: one.entity)
    else { return .failure(RecordFault(.unknown, "there is no such field to derive")) }
    let members = try members(relationship)
    var fold = DerivedFold(one.kind, field)
    if one.kind == .count {
      return .success(.int(Int64(clamping: try members.count(of: row))))
    }
    let reader = try reader(relationship.target)
    let wanted = [one.value, one.key].compactMap { $0 }
    func add(_ member: RowID) throws(StoreError) {
      guard let values = try reader.values(wanted, of: member) else { return }
      fold.add(values.first ?? .null, key: values.count > 1 ? values[1] : .null)
    }
    if relationship.shape == .links || relationship.isOrdered {
      for member in try members.rows(of: row).sorted() { try add(member) }
    } else {
      var cursor = try members.cursor(of: row)
      while let member = try cursor.next() { try add(member) }
    }
    do throws(RecordFault) { return .success(try fold.result()) } catch { return .failure(error) }
  }

  private func reader(_ entity: EntityID) throws(StoreError) -> TableReader {
    if let known = readers[entity] { return known }
    let made = try opening { try tables.table(entity).reading }
    readers[entity] = made
    return made
  }

  private func members(_ one: Relationship) throws(StoreError) -> Members {
    if let known = lists[one.id] { return known }
    let made = try opening { try tables.members(one) }
    lists[one.id] = made
    return made
  }

  /// The catalog names only entities that exist.
  private func opening<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do { return try body() } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "a derived field cannot be computed: \(error)")
    }
  }
}
