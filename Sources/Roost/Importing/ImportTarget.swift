package import RoostGraph
package import RoostRecords

/// The target of records: a class of a container's models, or an entity that only a store knows.
package struct ImportTarget: Sendable {
  package let store: GraphStore
  /// The map of the class; nil for an entity that is not one of the models.
  package let map: EntityMap?
  /// The entity that holds the rows.
  package let entity: String

  init(_ place: StoreSet.Place, _ stores: StoreSet) {
    store = stores.stores[place.store]
    map = place.map
    entity = place.map.entity.name
  }

  /// Finds the target by the name of a class, or of an entity of one of the stores.
  init(_ name: String, _ stores: StoreSet) throws {
    if let place = stores.place(named: name) {
      (store, map, entity) = (stores.stores[place.store], place.map, place.map.entity.name)
      return
    }
    for store in stores.stores where !name.hasPrefix("@") {
      let catalog = try store.records.read { $0.catalog }
      guard catalog.entity(name) != nil else { continue }
      self.store = store
      map = nil
      entity = name
      return
    }
    throw RoostError(
      .unknownModel,
      "the container has no \(name): name its class when you make the container, or name an entity of the store")
  }

  /// Relationships of the class and its subclasses that are their own inverse, by their names in
  /// the store.
  package var mutual: Set<String> {
    guard let map else { return [] }
    var found: Set<String> = []
    for one in store.maps where one.isKind(of: map) {
      for property in one.type.properties.indices where store.isMutual(one, property) {
        found.insert(one.type.fieldName(property))
      }
    }
    return found
  }

  /// Whether models of the class, or of its subclasses, may reference each other.
  var leadsToItself: Bool {
    guard let map else { return false }
    return store.maps.contains { one in
      one.isKind(of: map) && one.type.properties.indices.contains { store.leadsToItself(one, $0) }
    }
  }

  package func hasUnique() throws -> Bool {
    try store.records.read { reader in
      guard let entity = reader.catalog.entity(entity) else { return false }
      return reader.catalog.indexes(of: entity.id).contains { $0.isUnique && !$0.name.hasPrefix("@") }
    }
  }

  package func identifier(_ row: UInt64) -> PersistentIdentifier {
    store.identifier(map?.type.name ?? entity, row)
  }

  /// The text and the property of an error for the report of a record. The record's line tells its
  /// own model. The text names every other model.
  ///
  /// - Parameters:
  ///   - fault: the error.
  ///   - row: the row of the record; nil if it is not known.
  func words(_ fault: GraphFault, of row: RowID? = nil) -> (detail: String, field: String?) {
    guard let name = fault.entity else { return (fault.detail, fault.property) }
    let isOwn = store.maps.contains { $0.type.name == name && $0.entity.name == entity }
    if isOwn, row == nil || row?.number == fault.row { return (fault.detail, fault.property) }
    let place = name + (fault.row.map { " \($0)" } ?? "") + (fault.property.map { "." + $0 } ?? "")
    return ("\(place): \(fault.detail)", nil)
  }
}

extension ModelContainer {
  /// Finds the target of records by the name of a class, or of an entity of one of the stores.
  package func importTarget(named name: String) throws -> ImportTarget {
    try Doorway.pass { try ImportTarget(name, stores) }
  }
}

/// Notifies contexts and listeners of the chunks that an importer stores.
package final class ImportNotice: ImportWatch {
  private let notice: RowNotice
  private let target: ImportTarget
  package let judges: Bool

  package init(_ target: ImportTarget) {
    notice = RowNotice(target.store)
    self.target = target
    let notice = notice
    judges = target.map.map { notice.counts($0) || notice.asks($0) } ?? false
  }

  package func begin(_ writer: RecordWriter) { notice.begin(writer) }
  package func changed(_ row: RowID, of entity: EntityID) { notice.changed(row, of: entity) }
  package func led(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    notice.led(row, of: entity, by: relationship)
  }
  package func left(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    notice.left(row, of: entity, by: relationship)
  }
  package func beginRow() { notice.beginRow() }
  package func end() throws { try notice.end() }

  package func stored() {
    notice.stored()
    CommitWatch.tell()
  }

  package func fault(of row: RowID, but open: Set<RelationshipID>) throws -> RecordFault? {
    try judged(row) { try notice.miscount(row, of: $0, but: open) ?? notice.refusal(row, of: $0) }
  }

  package func fault(of row: RowID, by relationship: RelationshipID) throws -> RecordFault? {
    try judged(row) { try notice.miscount(row, of: $0, by: relationship) ?? notice.neighbourRefusal() }
  }

  package func lack(of row: RowID, in relationship: RelationshipID) throws -> RecordFault? {
    try judged(row) { try notice.lack(row, of: $0, in: relationship) }
  }

  private func judged(_ row: RowID, _ judge: (EntityMap) throws -> GraphFault?) throws -> RecordFault? {
    guard let map = target.map, let fault = try judge(map) else { return nil }
    let code: RecordFault.Code =
      switch fault.code {
      case .invalid, .count: .invalid
      case .notUnique: .notUnique
      default: .denied
      }
    let (detail, field) = target.words(fault, of: row)
    return RecordFault(code, detail, entity: fault.entity, field: field)
  }
}
