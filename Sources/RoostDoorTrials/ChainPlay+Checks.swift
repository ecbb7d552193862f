internal import RoostFile
internal import RoostGraph
internal import RoostRecords
internal import RoostTestSupport

/// Comparisons of a closed store.
extension ChainPlay {
  func world(_ files: SimulatedFileSystem) throws -> ChainWorld {
    let store = try RecordStore(path, options: options, fileSystem: files)
    defer { try? store.close() }
    return try store.read { try ChainWorld($0) }
  }

  /// Throws unless a closed store equals a world, is sound, and has the models of a version.
  func check(_ files: SimulatedFileSystem, _ world: ChainWorld, version: ChainVersion?)
    throws
  {
    let store = try RecordStore(path, options: options, fileSystem: files)
    defer { try? store.close() }
    let (found, catalog) = try store.read { (try ChainWorld($0), $0.catalog) }
    if let difference = found.difference(from: world) { throw Complaint(description: difference) }
    if let finding = try RowAudit.findings(store).first {
      throw Complaint(description: "\(finding)")
    }
    guard let version else { return }
    for entity in version.entities {
      guard let stored = catalog.entity(version.root(entity.name)) else { continue }
      for property in entity.properties {
        let name = "\(entity.name).\(property.name)"
        guard let field = stored.field(entity.prefix + property.name) else { continue }
        let indexes = catalog.indexes(of: stored.id).filter { $0.parts.map(\.field) == [field.id] }
        if indexes.contains(where: \.isUnique) != property.isUnique {
          throw Complaint(description: "\(name) is \(property.isUnique ? "not" : "still") unique")
        }
        if property.isIndexed, indexes.isEmpty {
          throw Complaint(description: "\(name) has no index")
        }
        let isOptional = field.isOptional && !field.isNeeded
        if isOptional != property.isOptional {
          throw Complaint(description: "\(name) is \(isOptional ? "" : "not ")optional")
        }
      }
      if entity.above != nil { continue }
      let family = version.entities.filter { $0.name == entity.name || $0.above == entity.name }
      let named = family.flatMap { one in
        (one.properties.map(\.name) + one.links.map(\.name)).map { one.prefix + $0 }
      }
      let known = Set(world.tables[entity.name]?.types.keys ?? [:].keys)
        .union(world.sides.keys.filter { $0.entity == entity.name }.map(\.name))
      let parked = known.subtracting(named)
      let told = catalog.version?.part(entity.name)?.parked ?? []
      if Set(told) != parked {
        throw Complaint(description: "\(entity.name) says that \(told) are parked, and not \(parked.sorted())")
      }
    }
  }

  /// Checks that a program of an earlier version can open the store only if their common models are
  /// the same.
  func refuse(_ reached: State, by earlier: State) throws {
    guard let version = earlier.version, let newest = reached.version else { return }
    func meaning(_ entity: ChainVersion.Entity) -> [String] {
      ([entity.above ?? ""]
        + entity.properties.map { "\($0.name) \($0.type) \($0.isOptional) \($0.isUnique)" }
        + entity.links.map { "\($0.name) \($0.target) \($0.isToMany) \($0.inverse ?? "")" })
        .sorted()
    }
    let differs = version.entities.contains { entity in
      newest.entities.contains { $0.name == entity.name && meaning($0) != meaning(entity) }
    }
    guard differs else { return }
    let files = reached.copy
    if try attempt(files, try version.plans([:]), version: version) {
      throw Complaint(
        description: "version \(version.number) opened the store of version \(newest.number)")
    }
    record.note("older programs refused")
    try check(files, reached.world, version: newest)
  }
}
