package import RoostQuery
package import RoostRecords

/// A model and the entity that holds its objects, in one store.
package final class EntityMap: Sendable {
  /// Its place among the store's.
  package let number: Int
  package let type: _ModelType
  package let entity: Entity
  /// The classes with which it shares the entity; nil where it has it for itself.
  package let family: Family?
  /// The number of the map that stands for all of these: a row has one name.
  package let home: Int
  /// For the rows of each layout, by version.
  let rows: [RowPlan]
  /// For rows that are written now.
  package var newest: RowPlan { rows[rows.count - 1] }

  init(_ number: Int, _ type: _ModelType, entity: Entity, family: Family?) throws(RecordFault) {
    self.number = number
    self.type = type
    self.entity = entity
    self.family = family
    home = family?.home ?? number
    let layouts = entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
    rows = try RowPlan.all(type, entity, layouts: layouts, classNumber: family?.classNumber(number))
  }

  var isHome: Bool { home == number }

  /// Whether its objects are objects of another one's class.
  package func isKind(of other: EntityMap) -> Bool {
    self === other || family?.isKind(number, of: other.number) == true
  }

  /// The field of a property.
  package func field(_ property: Int) -> Field? { entity.field(type.fieldName(property)) }

  /// What is true of the class's rows alone; nil where it is of all rows of the entity.
  package func condition(includesSubclasses: Bool = true) -> RoostQuery.Expression? {
    family?.condition(of: number, includesSubclasses: includesSubclasses)
  }
}
