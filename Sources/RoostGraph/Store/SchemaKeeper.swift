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
  private var asked: [AskedIndex] = []
  /// The full text indexes that the models ask for.
  var askedTexts: [AskedText] = []

  private struct AskedIndex: Hashable {
    var entity: EntityID
    var name: String
    var fields: [FieldID]
    var isUnique: Bool
    var tests: [Index.Test]

    /// By what it is over, because its name may have been another property's.
    func isMet(by index: Index) -> Bool {
      isAlike(index) && index.tests == tests && !index.name.hasPrefix("@")
    }

    func isAlike(_ index: Index) -> Bool {
      index.entity == entity && index.isUnique == isUnique && index.parts.map(\.field) == fields
    }
  }

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
    for model in models { try ask(model, catalog) }
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

  // MARK: Indexes

  /// Notes the indexes that a model asks for.
  private mutating func ask(_ model: ModelPlan, _ catalog: Catalog) throws {
    let needed = Set(try needed(model).filter(\.isNeeded).map(\.name))
    for (paths, isUnique) in model.uniques.map({ ($0, true) }) + model.indexes.map({ ($0, false) }) {
      guard let entity = catalog.entity(model.type.root.name) else { continue }
      let fields = paths.map { model.type.fieldName(ofPath: $0) }
      if try !isIndexed(fields, isUnique, entity: entity) { continue }
      var name = (isUnique ? "unique " : "") + fields.joined(separator: ", ")
      var tests: [Index.Test] = []
      if isUnique, isNarrower(paths, model), let field = entity.field(Family.fieldName),
        let number = catalog.id(of: model.type.name)?.number
      {
        // Rows of other classes may have the same values.
        name += " of \(model.type.name)"
        tests = [.equals(field.id, .uint(UInt64(number)))]
      } else if let first = fields.first, needed.contains(first), let field = entity.field(first) {
        // Rows of other classes need not stand in it.
        tests = [.isNotNull(field.id)]
      }
      let one = AskedIndex(
        entity: entity.id, name: name, fields: fields.compactMap { entity.field($0)?.id }, isUnique: isUnique,
        tests: tests)
      if !asked.contains(one) { asked.append(one) }
    }
  }

  private func addIndexes(_ catalog: inout Catalog) throws {
    for one in asked where !catalog.indexes.contains(where: { one.isMet(by: $0) }) {
      guard let entity = catalog.entity(one.entity) else { continue }
      // The code of a stage may have to fill values, or to remove duplicates, first.
      if one.isUnique, isStaged, try hasRows(entity.name) { continue }
      try catalog.add(
        index: one.name, of: entity.name, on: one.fields.compactMap { entity.field($0)?.name }, isUnique: one.isUnique,
        tests: one.tests)
    }
  }

  /// Removes unique indexes that the models do not ask for any more, and others that one with the same fields replaces. Indexes
  /// over properties that the program does not name stay.
  private mutating func removeIndexes(_ catalog: inout Catalog) throws {
    for root in Set(models.map(\.type.root.name)).sorted() {
      guard let entity = catalog.entity(root) else { continue }
      let named = try named(root)
      let classes = models.compactMap { catalog.id(of: $0.type.name)?.number }
      for index in catalog.indexes(of: entity.id) where !index.name.hasPrefix("@") {
        let isOfStranger = index.tests.contains { test in
          guard case .equals(_, .uint(let number)) = test else { return false }
          return !classes.contains { UInt64($0) == number }
        }
        let isReplaced = asked.contains { $0.isAlike(index) }
        guard !asked.contains(where: { $0.isMet(by: index) }), !isOfStranger, index.isUnique || isReplaced,
          index.parts.allSatisfy({ part in entity.field(part.field).map { named.contains($0.name) } ?? false }),
          !catalog.relationships.contains(where: { $0.index == index.id })
        else { continue }
        try catalog.remove(index: index.name, of: root)
      }
    }
  }

  /// Whether an index over fields is made: there is one over each reference already, and lists, and references that the other
  /// side holds, have no field that it could be over.
  private func isIndexed(_ fields: [String], _ isUnique: Bool, entity: Entity) throws -> Bool {
    if fields.isEmpty { return false }
    if let missing = fields.first(where: { entity.field($0) == nil }) {
      if !isUnique { return false }
      throw RecordFault(
        .conflict, "the other side stores this relationship, so it cannot be unique here", entity: entity.name,
        field: missing)
    }
    if !isUnique, fields.count == 1, case .reference? = entity.field(fields[0])?.type { return false }
    return true
  }

  /// Whether a subclass asks of inherited properties alone that they be unique among its objects.
  private func isNarrower(_ paths: [String], _ model: ModelPlan) -> Bool {
    var owner = model
    while let above = models.first(where: { $0.type === owner.type.superType }), above.uniques.contains(paths) {
      owner = above
    }
    if owner.type.superType == nil { return false }
    return paths.allSatisfy { path in owner.type.number(ofPath: path).map { $0 < owner.type.first } ?? false }
  }
}
