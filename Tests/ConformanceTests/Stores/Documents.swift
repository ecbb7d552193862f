import Foundation
import SwiftData

/// The models of a store as JSON, for the stores of the tests.
struct Documents {
  var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
  /// The last key; nil if keys are random.
  var lastKey: Int?

  init(_ snapshots: [DefaultSnapshot] = []) {
    for snapshot in snapshots { self.snapshots[snapshot.persistentIdentifier] = snapshot }
  }

  /// Performs a save. A new model with the unique values of another one is merged into it.
  mutating func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ schema: Schema, store: String
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let entity = snapshot.persistentIdentifier.entityName
      remapped[snapshot.persistentIdentifier] =
        try twin(of: snapshot, schema)
        ?? PersistentIdentifier.identifier(for: store, entityName: entity, primaryKey: newKey())
    }
    for snapshot in request.inserted + request.updated {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      snapshots[identifier] = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { snapshots[snapshot.persistentIdentifier] = nil }
    return DataStoreSaveChangesResult(for: store, remappedIdentifiers: remapped)
  }

  private mutating func newKey() -> String {
    guard let last = lastKey else { return UUID().uuidString }
    lastKey = last + 1
    return String(1_000_000 + last)
  }

  private func twin(of snapshot: DefaultSnapshot, _ schema: Schema) throws -> PersistentIdentifier? {
    let entity = snapshot.persistentIdentifier.entityName
    for names in schema.entitiesByName[entity]?.uniquenessConstraints ?? [] {
      let own = try Self.values(snapshot, names)
      for (identifier, other) in snapshots where identifier.entityName == entity {
        if try Self.values(other, names) == own { return identifier }
      }
    }
    return nil
  }

  /// Returns some values of a model in their coded form.
  static func values(_ snapshot: DefaultSnapshot, _ names: [String]) throws -> [NSObject?] {
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(snapshot)) as? [String: NSObject]
    return names.map { object?[$0] }
  }

  /// Whether a model references one that does not exist.
  func isDangling(_ schema: Schema) throws -> Bool {
    struct Reference: Decodable { var list: [PersistentIdentifier] }
    for (identifier, snapshot) in snapshots {
      guard let entity = schema.entitiesByName[identifier.entityName] else { continue }
      let data = try JSONEncoder().encode(snapshot)
      let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      for relationship in entity.relationships {
        guard let value = object?[relationship.name], !(value is NSNull) else { continue }
        let list = try JSONSerialization.data(
          withJSONObject: ["list": relationship.isToOneRelationship ? [value] : value])
        let references = try JSONDecoder().decode(Reference.self, from: list).list
        if references.contains(where: { snapshots[$0] == nil }) { return true }
      }
    }
    return false
  }

  /// Returns the models of a class and of its subclasses.
  func all<T: PersistentModel>(of type: T.Type, _ schema: Schema) -> [DefaultSnapshot] {
    var names: Set<String> = []
    func add(_ entity: Schema.Entity) {
      names.insert(entity.name)
      for sub in entity.subentities { add(sub) }
    }
    if let entity = schema.entity(for: type) { add(entity) }
    return snapshots.values.filter { names.contains($0.persistentIdentifier.entityName) }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
  }
}
