package import RoostQuery
package import RoostRecords

/// A model class and the entity that stores its objects, in one store.
package final class EntityMap: Sendable {
  /// Its place among the store's maps.
  package let number: Int
  package let type: _ModelType
  package let entity: Entity
  /// The classes that share the entity; nil if no other class does.
  package let family: Family?
  /// The number of the home map, which names rows of all these classes, so that a row has one name.
  package let home: Int
  /// The plans for rows of each layout, by version.
  let rows: [RowPlan]
  /// The plan for rows that are written now.
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

  /// Whether its objects are also objects of another map's class.
  package func isKind(of other: EntityMap) -> Bool {
    self === other || family?.isKind(number, of: other.number) == true
  }

  /// The field of a property.
  package func field(_ property: Int) -> Field? { entity.field(type.fieldName(property)) }

  /// The condition that is true only for rows of the class; nil if all rows of the entity are.
  package func condition(includesSubclasses: Bool = true) -> RoostQuery.Expression? {
    family?.condition(of: number, includesSubclasses: includesSubclasses)
  }
}
