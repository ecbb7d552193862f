internal import RoostPages
internal import RoostQuery
internal import RoostRecords

/// Changes a store to fit the models. Properties that the models do not name stay in the file, and
/// can be named again.
///
/// Most changes concern only the catalog. Changes of rows are recorded in ``work``. All of it is
/// one transaction.
struct SchemaKeeper {
  let models: [ModelPlan]
  /// The version of the models to record in the catalog; nil for none.
  let version: OpeningVersion?
  /// Whether the code of a migration plan will set values that the store lacks.
  let isStaged: Bool
  /// The rows of the store, which the checks read; nil if only catalogs are compared.
  private(set) var stored: Ground?
  /// The rows to write besides the catalog.
  var work = RowWork()
  /// Properties without values, which the code of a migration plan must set. Empty unless
  /// ``isStaged``.
  var pending: [(entity: String, property: String)] = []
  /// Lists that became a relationship of their own, and the relationship that still contains their
  /// members.
  var parted: [PropertyName: RelationshipID] = [:]
  private(set) var isReadOnly = false
  /// The stored names of entities that now have the name of a new superclass.
  private(set) var adopted: [String: String] = [:]
  /// By the name of an entity, the fields that the models name.
  var namedFields: [String: Set<String>] = [:]
  /// The fields of values, by a model's type.
  var neededFields: [ObjectIdentifier: [_ModelType.NeededField]] = [:]
  /// The indexes that the models declare.
  var asked: [AskedIndex] = []
  /// The full text indexes that the models declare.
  var askedTexts: [AskedText] = []

  init(_ models: [ModelPlan], _ version: OpeningVersion? = nil, isStaged: Bool = false) {
    self.models = models
    self.version = version
    self.isStaged = isStaged
  }

  /// Changes the store, and returns its new catalog. Writes nothing if the store fits the models
  /// already.
  mutating func settle(_ records: RecordStore) throws -> Catalog {
    isReadOnly = records.store.options.readOnly
    let (now, wanted, hasWork) = try records.read { reader in
      if let version, let known = reader.catalog.version { try refuseOlder(version, than: known) }
      var wanted = reader.catalog
      try bring(&wanted, over: Ground(reader))
      return (reader.catalog, wanted, !work.isEmpty)
    }
    if !hasWork {
      if wanted == now { return now }
      // A program without a version does not add one to a store without a version, unless the store
      // must change.
      if now.version == nil, version?.isWhole == false, wanted.version?.hasParked == false, wanted.isUnnoted(now) {
        return now
      }
      // A store opened for reading keeps its recorded cases and version.
      if isReadOnly, wanted.storesRows(as: now) { return now }
    }
    if isReadOnly {
      throw MigrationFault(
        "", nil,
        detail:
          "the store has to be changed to fit the models, but the container only reads: open it once with a configuration that "
          + "allows saves")
    }
    _ = try Self.settle(records, through: [self])
    return try records.read { $0.catalog }
  }

  /// Throws if a store cannot be changed to fit the models. It does not search for duplicates of
  /// unique values.
  func check(_ records: RecordStore) throws { _ = try records.read { try prospect($0) } }

  /// The catalog that a store gets when it is changed to fit the models. Writes nothing. Throws if
  /// that is impossible, as far as it can be known without writing rows.
  func prospect(_ reader: RecordReader) throws -> Prospect {
    var keeper = self
    if let version, let known = reader.catalog.version { try refuseOlder(version, than: known) }
    var wanted = reader.catalog
    try keeper.bring(&wanted, over: Ground(reader))
    let hasNewUnique = wanted.indexes.contains { $0.isUnique && !reader.catalog.indexes.contains($0) }
    let known = Set(reader.catalog.derivations)
    let fillsDerived = wanted.derivations.contains { !known.contains($0) }
    return Prospect(catalog: wanted, writesRows: !keeper.work.isEmpty || fillsDerived, fillsUnique: hasNewUnique)
  }

  /// Migrates a store through several versions of the models in one transaction. Returns true if
  /// anything changed.
  static func settle(_ records: RecordStore, through keepers: [SchemaKeeper]) throws -> Bool {
    var reached: (keeper: SchemaKeeper, wanted: Catalog)?
    var isChanged = false
    do {
      try records.write { writer in
        // Another opening may have come first, so everything is computed again.
        for var keeper in keepers {
          var wanted = writer.catalog
          try keeper.bring(&wanted, over: Ground(writer))
          reached = (keeper, wanted)
          if wanted == writer.catalog, keeper.work.isEmpty { continue }
          try keeper.work.carryOut(wanted, in: writer)
          isChanged = true
        }
      }
      return isChanged
    } catch let fault as RecordFault where fault.code == .notUnique {
      guard let (keeper, wanted) = reached else { throw fault }
      throw try records.read { try keeper.duplicates(fault, wanted, reader: $0) } ?? fault
    }
  }

  private mutating func bring(_ catalog: inout Catalog, over ground: Ground) throws {
    (stored, work, pending, parted) = (ground, RowWork(), [], [:])
    adopted = [:]
    defer { stored = nil }
    try checkClasses(ground)
    try bring(&catalog)
    if let version { try note(version, in: &catalog) }
  }

  /// Changes a catalog to fit the models, and records in ``work`` which rows must be written.
  mutating func bring(_ catalog: inout Catalog) throws {
    let newcomers = models.filter { catalog.entity($0.type.name) == nil && catalog.entity($0.type.root.name) != nil }
    try adopt(&catalog)
    for model in models where catalog.entity(model.type.root.name) == nil {
      try catalog.add(entity: model.type.root.name)
    }
    for model in models where model.type.superType != nil { try addClass(model, &catalog) }
    for model in models { try names(model, &catalog) }
    for model in models { try fields(model, newcomers.map(\.type), catalog: &catalog) }
    try relationships(newcomers.map(\.type), &catalog)
    if !isReadOnly { try park(&catalog) }
    // They may be over references, so they come last.
    asked = []
    for model in models {
      try ask(model, catalog)
      for plan in model.definitions { try ask(plan, of: model, catalog) }
    }
    if !isReadOnly { try removeIndexes(&catalog) }
    try bringDerived(&catalog)
    try addIndexes(&catalog)
    try bringTexts(&catalog)
  }

  // MARK: Classes

  /// The class whose entity becomes that of a new superclass; nil if it is not exactly one class.
  private func heir(of root: String, _ catalog: Catalog) -> Entity? {
    if catalog.entity(root) != nil { return nil }
    // Entities without fields only give classes their numbers.
    let heirs = models.filter { $0.type.root.name == root }.compactMap { catalog.entity($0.type.name) }
      .filter { !$0.fields.isEmpty }
    guard heirs.count == 1, let heir = heirs.first, heir.field(Family.fieldName) == nil else { return nil }
    return heir
  }

  /// Gives the entity of a class to its new superclass, with all rows. Each row stores its class
  /// from then on.
  private mutating func adopt(_ catalog: inout Catalog) throws {
    for root in Set(models.map(\.type.root.name)).sorted() {
      guard let heir = heir(of: root, catalog) else { continue }
      adopted[root] = heir.name
      try catalog.change(entity: heir.name) { (entity) throws(RecordFault) in entity.name = root }
      try addFamily(root, of: catalog.add(entity: heir.name), catalog: &catalog)
    }
  }

  /// Adds the class field to rows. The existing rows are of one class.
  private func addFamily(_ root: String, of number: EntityID, catalog: inout Catalog) throws {
    try catalog.change(entity: root) { (entity) throws(RecordFault) in
      try entity.add(Family.fieldName, .uint32, initial: .uint(UInt64(number.number)), isPreserved: true)
    }
    try catalog.add(index: Family.indexName, of: root, on: [Family.fieldName])
  }

  /// Gives a subclass its number, and the root class's entity a class field.
  private func addClass(_ model: ModelPlan, _ catalog: inout Catalog) throws {
    let root = model.type.root.name
    if catalog.entity(model.type.name) == nil { try catalog.add(entity: model.type.name) }
    guard let entity = catalog.entity(root), entity.field(Family.fieldName) == nil else { return }
    try addFamily(root, of: entity.id, catalog: &catalog)
  }

  private func checkClasses(_ ground: Ground) throws {
    for model in models {
      guard let above = model.type.superType else {
        try checkOrphan(model, ground)
        continue
      }
      guard models.contains(where: { $0.type === above }) else {
        throw RecordFault(
          .unknown, "\(above.name), from which it inherits, is not among the models", entity: model.type.name)
      }
      // A class that was in no family has rows in its own entity, which would no longer be found.
      guard let entity = ground.catalog.entity(model.type.name), try ground.table(entity.id).count > 0,
        heir(of: model.type.root.name, ground.catalog)?.id != entity.id
      else { continue }
      throw MigrationFault(
        model.type.name, nil,
        detail:
          "the store has its objects in an entity of their own, and the model inherits from \(model.type.root.name), whose objects "
          + "are in another one: give the class a new name, and copy the objects in a custom stage of a migration plan")
    }
  }

  /// Throws if a class lost its superclass: its rows are among those of the superclass.
  private func checkOrphan(_ model: ModelPlan, _ ground: Ground) throws {
    guard let entity = ground.catalog.entity(model.type.name), entity.fields.isEmpty, !isStaged else { return }
    for query in Parking.subclassRows(entity, ground.catalog) where try Planner(ground).count(query) > 0 {
      throw MigrationFault(
        model.type.name, nil,
        detail:
          "the store has its objects as a subclass of \(query.entity), and the model inherits from nothing: keep the superclass, "
          + "or copy the objects in a transform of a migration plan")
    }
  }
}
