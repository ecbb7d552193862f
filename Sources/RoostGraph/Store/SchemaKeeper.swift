internal import RoostPages
internal import RoostQuery
internal import RoostRecords

/// Brings a store to the models. Properties that the models do not name stay in the file, and can be named again.
///
/// Most changes are of the catalog alone. Those that write rows are noted in ``work``; all of it is one transaction.
struct SchemaKeeper {
  let models: [ModelPlan]
  /// The version of the models that is noted in the catalog; nil where none is.
  let version: OpeningVersion?
  /// Whether code of a migration plan fills later what the store has no values for.
  let isStaged: Bool
  /// The rows of the store, by which changes are refused; nil if a catalog alone is compared.
  private(set) var stored: Ground?
  /// The rows to write besides the catalog.
  var work = RowWork()
  /// Properties without values of their own, which the code of a migration plan has to fill. Empty unless ``isStaged``.
  var pending: [(entity: String, property: String)] = []
  /// Lists that became a relationship of their own, and the relationship that still holds their members.
  var parted: [PropertyName: RelationshipID] = [:]
  private(set) var isReadOnly = false
  /// The names that entities have in the store which now have that of a new superclass.
  private(set) var adopted: [String: String] = [:]
  /// By the name of an entity, the fields that the models name.
  var namedFields: [String: Set<String>] = [:]
  /// By a model's type, the fields of its values.
  var neededFields: [ObjectIdentifier: [_ModelType.NeededField]] = [:]
  /// The indexes that the models ask for.
  var asked: [AskedIndex] = []
  /// The full text indexes that the models ask for.
  var askedTexts: [AskedText] = []

  init(_ models: [ModelPlan], _ version: OpeningVersion? = nil, isStaged: Bool = false) {
    self.models = models
    self.version = version
    self.isStaged = isStaged
  }

  /// The catalog as it is then. If the store fits the models already, nothing is written.
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
      // A program that says no version leaves a store without one as it is, unless it is to change.
      if now.version == nil, version?.isWhole == false, wanted.version?.hasParked == false, wanted.isUnnoted(now) {
        return now
      }
      // A store that is only read keeps the cases and the version that were written into it.
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

  /// Throws if a store cannot be brought to the models. Duplicates of unique values are not looked for.
  func check(_ records: RecordStore) throws { _ = try records.read { try prospect($0) } }

  /// The catalog that a store gets when it is brought to the models. Writes nothing. Throws if it cannot be brought to them, as far as
  /// no row must be written to know.
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

  /// Brings a store through several versions of the models, all in one transaction. True if anything changed.
  static func settle(_ records: RecordStore, through keepers: [SchemaKeeper]) throws -> Bool {
    var reached: (keeper: SchemaKeeper, wanted: Catalog)?
    var isChanged = false
    do {
      try records.write { writer in
        // Another opening may have come first, so everything is found out again.
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

  /// Brings a catalog to the models, and notes in ``work`` what must be written besides it.
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

  /// The class whose entity becomes that of a superclass which the store does not know; nil if it is not one class.
  private func heir(of root: String, _ catalog: Catalog) -> Entity? {
    if catalog.entity(root) != nil { return nil }
    // Entities without fields only give classes their numbers.
    let heirs = models.filter { $0.type.root.name == root }.compactMap { catalog.entity($0.type.name) }
      .filter { !$0.fields.isEmpty }
    guard heirs.count == 1, let heir = heirs.first, heir.field(Family.fieldName) == nil else { return nil }
    return heir
  }

  /// Gives the entity of a class to its new superclass, with all rows. Each row names its class from then on.
  private mutating func adopt(_ catalog: inout Catalog) throws {
    for root in Set(models.map(\.type.root.name)).sorted() {
      guard let heir = heir(of: root, catalog) else { continue }
      adopted[root] = heir.name
      try catalog.change(entity: heir.name) { (entity) throws(RecordFault) in entity.name = root }
      try addFamily(root, of: catalog.add(entity: heir.name), catalog: &catalog)
    }
  }

  /// Gives rows a field that tells classes. Those that are there are of one class.
  private func addFamily(_ root: String, of number: EntityID, catalog: inout Catalog) throws {
    try catalog.change(entity: root) { (entity) throws(RecordFault) in
      try entity.add(Family.fieldName, .uint32, initial: .uint(UInt64(number.number)), isPreserved: true)
    }
    try catalog.add(index: Family.indexName, of: root, on: [Family.fieldName])
  }

  /// Gives a subclass its number, and rows of the topmost class's entity a field that tells classes.
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
      // A class that was none of a family has rows of its own, which would not be found any more.
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

  /// Refuses a class that had a superclass and has none: its rows are among those of the superclass.
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
