internal import RoostQuery
internal import RoostRecords

/// A store cannot be changed to fit the program's models.
package struct MigrationFault: Error, Hashable, Sendable, CustomStringConvertible {
  package var entity: String
  package var property: String?
  /// The change that would be needed, and alternatives.
  package var detail: String
  /// Whether the store is newer than the program.
  package var isBackward: Bool
  /// The file of the store; nil until the public module adds it.
  package var path: String?

  package init(_ entity: String, _ property: String?, isBackward: Bool = false, detail: String) {
    self.entity = entity
    self.property = property
    self.isBackward = isBackward
    self.detail = detail
  }

  package var description: String {
    let place = entity.isEmpty ? "" : entity + (property.map { "." + $0 } ?? "") + ": "
    return place + detail + (path.map { " [\($0)]" } ?? "")
  }
}

/// Facts about the store before a change of its catalog.
extension SchemaKeeper {
  /// The name that an entity has in the store.
  func storedName(_ root: String) -> String { adopted[root] ?? root }

  /// A model's entity as it is stored, if it has rows.
  func filled(_ model: ModelPlan) throws -> Entity? {
    let root = model.type.root.name
    return try hasRows(root) ? stored?.catalog.entity(storedName(root)) : nil
  }

  /// Whether the store has rows of an entity.
  func hasRows(_ root: String) throws -> Bool {
    guard let stored, let entity = stored.catalog.entity(storedName(root)) else { return false }
    return try stored.table(entity.id).count > 0
  }
}
