internal import RoostQuery
package import RoostRecords

/// A store cannot be brought to the program's models as they are.
package struct MigrationFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var entity: String
  package var property: String?
  /// What would have to be done, and how to do without.
  package var detail: String

  package init(_ entity: String, _ property: String?, detail: String) {
    self.entity = entity
    self.property = property
    self.detail = detail
  }

  package var description: String { entity + (property.map { "." + $0 } ?? "") + ": " + detail }
}

/// Asked before a store that was there is changed to a program's models; it throws where that takes more than a change of the catalog.
///
/// - Parameters:
///   - catalog: what the store holds.
///   - entity: where it differs from the models, and in which property, if it is one.
package typealias MigrationCheck = (_ catalog: Catalog, _ entity: String, _ property: String?) throws -> Void

extension GraphStore {
  /// Whether a store with this catalog need not be changed for some models.
  package static func fits(_ models: [ModelPlan], _ catalog: Catalog) -> Bool {
    var wanted = catalog
    var keeper = SchemaKeeper(models)
    do { try keeper.bring(&wanted) } catch { return false }
    return wanted == catalog && keeper.work.isEmpty
  }
}

/// What a change of the catalog cannot do.
extension SchemaKeeper {
  /// Where a catalog differs from the wanted one.
  static func difference(_ now: Catalog, _ wanted: Catalog, failure: (any Error)?) -> (
    entity: String, property: String?
  ) {
    if let fault = failure as? MigrationFault { return (fault.entity, fault.property) }
    if let fault = failure as? RecordFault, let entity = fault.entity { return (entity, fault.field) }
    for entity in wanted.entities {
      guard let known = now.entity(entity.name) else { return (entity.name, nil) }
      if let field = entity.fields.first(where: { known.field($0.name) == nil }) { return (entity.name, field.name) }
    }
    for one in wanted.relationships where !one.isHidden && now.relationship(one.id) != one {
      return (wanted.name(of: one.entity) ?? "", one.name)
    }
    for index in wanted.indexes where !now.indexes.contains(index) {
      return (wanted.name(of: index.entity) ?? "", index.name)
    }
    return (wanted.entities.first?.name ?? "", nil)
  }

  /// The name that an entity has in the store.
  func storedName(_ root: String) -> String { adopted[root] ?? root }

  /// A model's entity as it is stored, if there are rows of it.
  func filled(_ model: ModelPlan) throws -> Entity? {
    guard let stored, let entity = stored.catalog.entity(storedName(model.type.root.name)),
      try stored.table(entity.id).count > 0
    else { return nil }
    return entity
  }
}
