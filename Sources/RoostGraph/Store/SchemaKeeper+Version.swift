internal import RoostQuery
package import RoostRecords

/// The version of the models with which a program opens a store.
package struct OpeningVersion: Sendable {
  /// Three numbers, such as "2.0.0".
  package var number: String
  /// Whether the program names all models of this version. Then entities that it does not name are
  /// parked.
  package var isWhole: Bool

  package init(_ number: String, isWhole: Bool) {
    self.number = number
    self.isWhole = isWhole
  }

  /// Whether a version is older than another one.
  package static func isOlder(_ one: String, than other: String) -> Bool {
    func parts(_ number: String) -> [Int] { number.split(separator: ".").map { Int($0) ?? 0 } }
    return parts(one).lexicographicallyPrecedes(parts(other))
  }
}

/// The result that opening a store would have.
package struct Prospect: Sendable {
  package var catalog: Catalog
  /// Whether the opening writes rows, not only the catalog.
  package var writesRows: Bool
  /// Whether the opening fills a unique index from rows. It fails if they have duplicates.
  package var fillsUnique: Bool
}

extension GraphStore {
  /// The outlines of the models' entities, by name.
  package static func outlines(_ models: [ModelPlan]) throws -> [String: Outline] {
    let keeper = SchemaKeeper(models)
    return keeper.outlines(try keeper.fresh)
  }

  /// Migrates a store through versions of the models that need no code, in one transaction, without
  /// opening it as a store of objects. Returns true if anything changed.
  @discardableResult
  package static func settle(
    _ records: RecordStore, through versions: [(models: [ModelPlan], version: OpeningVersion?)]
  ) throws -> Bool {
    try SchemaKeeper.settle(records, through: versions.map { SchemaKeeper($0.models, $0.version) })
  }

  /// The catalog that an opening with these models would make. Throws the errors that the opening
  /// would throw before it writes rows or fills indexes. The classes of the models are not needed:
  /// see ``StoredModels``.
  package static func prospect(
    _ reader: RecordReader, _ models: [ModelPlan], version: OpeningVersion?
  ) throws -> Prospect {
    try SchemaKeeper(models, version).prospect(reader)
  }

  /// The number of rows of each entity and of each subclass.
  package static func counts(_ reader: RecordReader) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entity in reader.catalog.entities {
      let own = Int(clamping: try reader.table(entity.id).count)
      counts[entity.name] = try Parking.subclassRows(entity, reader.catalog).reduce(own) { sum, query in
        sum + (try Planner(Ground(reader)).count(query))
      }
    }
    return counts
  }
}

/// The version of the models in a store's catalog.
extension SchemaKeeper {
  /// The catalog that the models make for an empty store.
  fileprivate var fresh: Catalog {
    get throws {
      var keeper = SchemaKeeper(models)
      var catalog = Catalog()
      try keeper.bring(&catalog)
      return catalog
    }
  }

  fileprivate func outlines(_ fresh: Catalog) -> [String: Outline] {
    var outlines: [String: Outline] = [:]
    for entity in fresh.entities {
      let salts = models.first { $0.type.name == entity.name }?.salts ?? [:]
      outlines[entity.name] = Outline(entity, fresh, salts: salts)
    }
    return outlines
  }

  /// Records the version of the models in a catalog that has everything the models declare.
  func note(_ version: OpeningVersion, in catalog: inout Catalog) throws {
    var digests: [String: UInt64] = [:]
    for model in models { digests[model.type.name] = try model.digest }
    if isNoted(version, digests, in: catalog) { return }
    let fresh = try fresh
    let parts = outlines(fresh).values.map { outline in
      ModelVersion.Part(
        outline.entity, fingerprint: outline.fingerprint, digest: digests[outline.entity] ?? 0,
        parked: parked(outline.entity, catalog, fresh: fresh),
        formerNames: models.first { $0.type.name == outline.entity }?.originalNames ?? [:])
    }
    var noted = ModelVersion(version.number, parts: parts)
    if let known = catalog.version, !version.isWhole {
      // A program that names only some models keeps the records of the others.
      noted.number = known.number
      noted.parts += known.parts.filter { noted.part($0.name) == nil }
      noted.parked = known.parked.filter { noted.part($0) == nil }
    } else if version.isWhole {
      noted.parked = catalog.entities.map(\.name).filter { noted.part($0) == nil }.sorted()
    }
    noted.parts.sort { $0.name < $1.name }
    catalog.version = noted
  }

  /// Whether the catalog is unchanged and already records this version with these digests.
  private func isNoted(_ version: OpeningVersion, _ digests: [String: UInt64], in catalog: Catalog) -> Bool {
    guard let known = catalog.version, let stored, stored.catalog == catalog else { return false }
    if version.isWhole, known.number != version.number || known.parts.count != digests.count { return false }
    return digests.allSatisfy { name, digest in known.part(name)?.digest == digest }
  }

  /// Throws if a newer version of the models wrote the store, and these models would change it.
  func refuseOlder(_ version: OpeningVersion, than known: ModelVersion) throws {
    guard OpeningVersion.isOlder(version.number, than: known.number) else { return }
    let fresh = try fresh
    for outline in outlines(fresh).values.sorted(by: { $0.entity < $1.entity }) {
      guard let part = known.part(outline.entity), part.fingerprint != outline.fingerprint else { continue }
      throw MigrationFault(
        outline.entity, nil, isBackward: true,
        detail: "version \(known.number) of the models wrote the store, and this program "
          + (version.isWhole ? "has version \(version.number)" : "names no version, which counts as \(version.number)")
          + ": use the newer program, or a backup from before the migration"
          + (version.isWhole ? "" : ". If this is the newer program, make the container with Schema(versionedSchema:)"))
    }
  }

  /// The properties of a stored entity that the models do not name; sorted.
  private func parked(_ name: String, _ catalog: Catalog, fresh: Catalog) -> [String] {
    guard let entity = catalog.entity(name), let wanted = fresh.entity(name) else { return [] }
    let links = Set(fresh.relationships(of: wanted.id).filter { !$0.isHidden }.map(\.name))
    var names = catalog.relationships(of: entity.id).filter { !$0.isHidden && !links.contains($0.name) }.map(\.name)
    // These are removed after their rows are copied.
    names.removeAll { $0.hasPrefix(Self.retired) }
    let held = Set(
      catalog.relationships(of: entity.id).compactMap { one in
        if case .one(let field) = one.shape { field } else { nil as FieldID? }
      })
    for field in entity.fields where wanted.field(field.name) == nil && !held.contains(field.id) {
      if field.name.hasPrefix("@"), !field.name.hasPrefix(Self.parkedPrefix) { continue }
      names.append(field.name)
    }
    return Set(names).sorted()
  }

  /// The prefix of a parked field's name. A field is parked if its property gets another type.
  static let parkedPrefix = "@parked "
}

extension Catalog {
  /// Whether this catalog without its version is equal to another catalog.
  func isUnnoted(_ other: Catalog) -> Bool {
    var plain = self
    plain.version = nil
    return plain == other
  }
}

extension ModelPlan {
  /// A hash of all parts of its entity's outline, and of a subclass's required properties.
  var digest: UInt64 {
    get throws {
      var digest = ModelDigest()
      digest.add(type.root.name)
      for field in try type.neededFields() {
        digest.add(field.name)
        digest.add(field.type)
        digest.add(field.isOptional)
        digest.add(field.isNeeded)
      }
      for one in relationships {
        digest.add(one.name)
        digest.add(one.target)
        digest.add(one.isToMany)
        digest.add(one.inverse ?? "")
        digest.add(type.number(ofPath: one.name).map { type.mayBeNil($0) } ?? false)
      }
      for unique in uniques {
        digest.add(unique.count == 1)
        for path in unique { digest.add(path) }
      }
      for one in definitions where one.isUnique { digest.add(one.text) }
      for (property, salt) in salts.sorted(by: { $0.key < $1.key }) {
        digest.add(property)
        digest.add(salt)
      }
      for (property, before) in originalNames.sorted(by: { $0.key < $1.key }) {
        digest.add(property)
        digest.add(before)
      }
      return digest.value
    }
  }
}

extension ModelVersion {
  var hasParked: Bool { !parked.isEmpty || parts.contains { !$0.parked.isEmpty } }
}
