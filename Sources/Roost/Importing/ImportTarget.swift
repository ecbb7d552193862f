internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

/// Where records go: a class of a container's models, or an entity that only a store knows.
struct ImportTarget: Sendable {
  let store: GraphStore
  /// Nil for an entity that is none of the models'.
  let map: EntityMap?
  /// The entity that holds the rows.
  let entity: String

  init(_ place: StoreSet.Place, _ stores: StoreSet) {
    store = stores.stores[place.store]
    map = place.map
    entity = place.map.entity.name
  }

  /// By the name of a class, or of an entity that one of the stores has.
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

  /// What the classes say of rows that the catalog does not.
  func shape() throws -> ImportShape? {
    guard let map else { return nil }
    var names: [String: String] = [:]
    for property in map.type.properties.indices {
      let (field, name) = (map.type.fieldName(property), map.type.propertyName(property))
      if field != name { names[name] = field }
    }
    let others = store.maps.filter { $0 !== map && $0.isKind(of: map) }
    var checks: [String: @Sendable (Value) -> String?] = [:]
    let kinds = try ([map] + others).map { map in
      let blank = try RowBlank(map)
      for (field, check) in blank.checks { checks[field] = check }
      return ImportShape.Kind(
        map.type.name, number: blank.classNumber, required: blank.required,
        initials: blank.initials.map { field, value in
          switch value {
          case .always(let value): (field, .always(value))
          case .anew(let make): (field, .anew(make))
          }
        })
    }
    return ImportShape(kinds, names: names, mutual: mutual, checks: checks)
  }

  /// Relationships of the class and of its subclasses that are their own other side, as the store calls them.
  var mutual: Set<String> {
    guard let map else { return [] }
    var found: Set<String> = []
    for one in store.maps where one.isKind(of: map) {
      for property in one.type.properties.indices where store.isMutual(one, property) {
        found.insert(one.type.fieldName(property))
      }
    }
    return found
  }

  /// Whether models of the class, or of its subclasses, may lead to each other.
  var leadsToItself: Bool {
    guard let map else { return false }
    return store.maps.contains { one in
      one.isKind(of: map) && one.type.properties.indices.contains { store.leadsToItself(one, $0) }
    }
  }

  func hasUnique() throws -> Bool {
    try store.records.read { reader in
      guard let entity = reader.catalog.entity(entity) else { return false }
      return reader.catalog.indexes(of: entity.id).contains { $0.isUnique && !$0.name.hasPrefix("@") }
    }
  }

  func identifier(_ row: UInt64) -> PersistentIdentifier {
    PersistentIdentifier(store: store.identifier, entity: map?.type.name ?? entity, .row(row))
  }
}

/// Tells contexts and listeners of what an importer stores.
final class ImportNotice: ImportWatch {
  private let notice: RowNotice
  private let map: EntityMap?
  let judges: Bool

  init(_ target: ImportTarget) {
    notice = RowNotice(target.store)
    map = target.map
    judges = target.map.map(notice.counts) ?? false
  }

  func begin(_ writer: RecordWriter) { notice.begin(writer) }
  func changed(_ row: RowID, of entity: EntityID) { notice.changed(row, of: entity) }
  func led(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    notice.led(row, of: entity, by: relationship)
  }
  func left(_ row: RowID, of entity: EntityID, by relationship: RelationshipID) {
    notice.left(row, of: entity, by: relationship)
  }
  func beginRow() { notice.beginRow() }
  func end() { notice.end() }

  func stored() {
    notice.stored()
    CommitWatch.tell()
  }

  func fault(of row: RowID, but open: Set<RelationshipID>) throws -> RecordFault? {
    try judged { try notice.miscount(row, of: $0, but: open) }
  }

  func fault(of row: RowID, by relationship: RelationshipID) throws -> RecordFault? {
    try judged { try notice.miscount(row, of: $0, by: relationship) }
  }

  func lack(of row: RowID, in relationship: RelationshipID) throws -> RecordFault? {
    try judged { try notice.lack(row, of: $0, in: relationship) }
  }

  private func judged(_ judge: (EntityMap) throws -> GraphFault?) throws -> RecordFault? {
    guard let map, let fault = try judge(map) else { return nil }
    return RecordFault(.denied, fault.detail, entity: fault.entity, field: fault.property)
  }
}
