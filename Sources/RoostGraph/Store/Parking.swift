internal import RoostFile
internal import RoostQuery
package import RoostRecords

/// Stored data that the program's models do not name.
package struct ParkedPart: Hashable, Sendable {
  package var entity: String
  /// The property's name in the store; nil for a whole entity.
  package var property: String?
  /// The number of rows that have it.
  package var rows: Int

  package init(entity: String, property: String?, rows: Int = 0) {
    self.entity = entity
    self.property = property
    self.rows = rows
  }
}

/// Lists parked data, and discards it.
package enum Parking {
  package static func list(_ reader: RecordReader) throws -> [ParkedPart] {
    guard let version = reader.catalog.version else { return [] }
    var parts: [ParkedPart] = []
    let counts = version.parked.isEmpty ? [:] : try GraphStore.counts(reader)
    for name in version.parked {
      guard let entity = reader.catalog.entity(name) else { continue }
      parts.append(ParkedPart(entity: name, property: nil, rows: counts[entity.name] ?? 0))
    }
    for part in version.parts {
      guard let entity = reader.catalog.entity(part.name) else { continue }
      for property in part.parked {
        parts.append(
          ParkedPart(entity: part.name, property: property, rows: try rows(with: property, of: entity, reader: reader)))
      }
    }
    return parts
  }

  /// Queries for the rows of a subclass, which are stored in the entity of its root class.
  static func subclassRows(_ entity: Entity, _ catalog: Catalog) -> [Query] {
    catalog.entities.compactMap { root in
      guard root.id != entity.id, let field = root.field(Family.fieldName) else { return nil }
      let number = RoostQuery.Expression.constant(.uint(UInt64(entity.id.number)), .plain(.uint32))
      return Query(root.name, where: .compare(.equal, .field(.row, field.id), number))
    }
  }

  /// The number of rows with a value for a property; for a list, all rows count.
  private static func rows(with property: String, of entity: Entity, reader: RecordReader) throws -> Int {
    guard let field = entity.field(property) ?? entity.fields.first(where: { $0.name.hasPrefix(property + ".") }) else {
      return Int(clamping: try reader.table(entity.id).count)
    }
    let isNil = RowWork.isNil(field)
    return try Planner(Ground(reader)).count(Query(entity.name, where: field.isOptional ? .not(isNil) : nil))
  }

  /// Removes parked data permanently. No container may have the store open.
  package static func discard(_ parts: [ParkedPart], from records: RecordStore) throws {
    try records.write { writer in
      for part in parts {
        guard let version = writer.catalog.version, isParked(part, version) else {
          throw MigrationFault(
            part.entity, part.property, detail: "it is not parked in this store: list the parked data again")
        }
        if part.property == nil, let entity = writer.catalog.entity(part.entity) {
          for query in subclassRows(entity, writer.catalog) { try writer.delete(query) }
        }
        try writer.change { catalog in
          if let property = part.property {
            try remove(property, of: part.entity, &catalog)
          } else {
            try remove(part.entity, &catalog)
          }
        }
      }
    }
  }

  private static func isParked(_ part: ParkedPart, _ version: ModelVersion) -> Bool {
    guard let property = part.property else { return version.parked.contains(part.entity) }
    return version.part(part.entity)?.parked.contains(property) == true
  }

  private static func remove(_ property: String, of name: String, _ catalog: inout Catalog) throws {
    guard let entity = catalog.entity(name) else { return }
    if let one = catalog.relationships(of: entity.id).first(where: { $0.name == property && !$0.isHidden }) {
      try remove(one, &catalog)
    }
    let fields =
      catalog.entity(name)?.fields.map(\.name).filter { $0 == property || $0.hasPrefix(property + ".") } ?? []
    for index in catalog.indexes(of: entity.id) {
      let isOver = index.fields.contains { id in entity.field(id).map { fields.contains($0.name) } ?? false }
      if isOver { try catalog.remove(index: index.name, of: name) }
    }
    try catalog.change(entity: name) { (entity) throws(RecordFault) in for field in fields { try entity.remove(field) }
    }
    forget(property, of: name, &catalog)
  }

  private static func forget(_ property: String, of name: String, _ catalog: inout Catalog) {
    guard var version = catalog.version, let at = version.parts.firstIndex(where: { $0.name == name }) else { return }
    version.parts[at].parked.removeAll { $0 == property }
    catalog.version = version
  }

  private static func remove(_ name: String, _ catalog: inout Catalog) throws {
    guard let entity = catalog.entity(name) else { return }
    while let one = catalog.relationships.first(where: { $0.entity == entity.id || $0.target == entity.id }) {
      let isNamed = one.target == entity.id && one.entity != entity.id && !one.isHidden
      if isNamed, let owner = catalog.name(of: one.entity),
        catalog.version?.part(owner).map({ !$0.parked.contains(one.name) }) == true
      {
        throw MigrationFault(
          owner, one.name, detail: "the relationship needs \(name), which therefore cannot be discarded")
      }
      try remove(one, &catalog)
    }
    try catalog.remove(entity: name)
    catalog.version?.parked.removeAll { $0 == name }
  }

  /// Removes both sides of a relationship, and its reference.
  private static func remove(_ one: Relationship, _ catalog: inout Catalog) throws {
    guard let other = catalog.inverse(of: one) else { return }
    let (owner, target) = (catalog.name(of: one.entity) ?? "", catalog.name(of: other.entity) ?? "")
    if !other.isHidden, catalog.version?.part(target).map({ !$0.parked.contains(other.name) }) == true {
      throw MigrationFault(
        target, other.name,
        detail: "the relationship is the inverse of \(owner).\(one.name), which therefore cannot be discarded")
    }
    forget(one.name, of: owner, &catalog)
    forget(other.name, of: target, &catalog)
    let isNamed = !one.isHidden
    try catalog.remove(relationship: isNamed ? one.name : other.name, of: isNamed ? owner : target)
    for side in [one, other] {
      guard case .one(let field) = side.shape, let entity = catalog.entity(side.entity),
        let name = entity.field(field)?.name
      else { continue }
      try catalog.change(entity: entity.name) { (entity) throws(RecordFault) in try entity.remove(name) }
    }
  }
}
