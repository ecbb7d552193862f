package import RoostRecords

/// A model and the entity that holds its objects, in one store.
package final class EntityMap: Sendable {
  /// Its place among the store's.
  package let number: Int
  package let type: _ModelType
  package let entity: Entity
  /// For the rows of each layout, by version.
  let rows: [RowPlan]
  /// For rows that are written now.
  package var newest: RowPlan { rows[rows.count - 1] }

  init(_ number: Int, _ type: _ModelType, _ entity: Entity) throws(RecordFault) {
    self.number = number
    self.type = type
    self.entity = entity
    let layouts = entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
    rows = try RowPlan.all(type, entity, layouts)
  }
}
