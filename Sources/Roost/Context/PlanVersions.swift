package import RoostGraph
package import RoostRecords

/// The models that a store has. A file stores them in its catalog, a database in one of Roost's own
/// tables.
package protocol HeldModels {
  func hasEntity(_ name: String) -> Bool
  /// The version that was noted when the store was last migrated; nil if none was noted.
  var version: ModelVersion? { get }
  /// Returns the outline of an entity; nil if the store lacks the entity or its outline.
  func outline(_ name: String) -> Outline?
}

extension Catalog: HeldModels {
  package func hasEntity(_ name: String) -> Bool { entity(name) != nil }
}

/// The versions of a plan for one store. Finds the version that the store has.
package struct PlanVersions {
  /// One version, with the models that this store keeps.
  package struct Version {
    package let schema: Schema
    package let plans: [ModelPlan]
    package let outlines: [String: Outline]

    package var number: String { schema.version.description }
    /// The version that the store notes when it is migrated to this one.
    var noted: OpeningVersion { OpeningVersion(number, isWhole: true) }
    package var models: [any PersistentModel.Type] {
      plans.compactMap { $0.type.model as? any PersistentModel.Type }
    }
    /// The schema of the models that the store keeps.
    package var kept: Schema {
      let own = Schema(models, version: schema.version)
      return Schema(entities: own.entities, version: schema.version, models: own.models, isVersioned: true)
    }
  }

  let plan: any SchemaMigrationPlan.Type
  package let all: [Version]
  /// The index of the version of the container's models.
  package let target: Int
  /// The names of the entities that both this store and at least one version have.
  private let names: Set<String>

  /// - Parameters:
  ///   - models: the models that the container keeps in the store.
  ///   - others: the names of the entities in the container's other stores.
  ///   - held: the models that the store has.
  package init(
    _ plan: any SchemaMigrationPlan.Type, _ models: [ModelPlan], over held: some HeldModels, others: Set<String>
  ) throws {
    self.plan = plan
    let here = Set(models.map(\.type.name))
    let all = try plan.schemas.map { version in
      let schema = Schema(versionedSchema: version)
      if let fault = schema.faults.first {
        throw SwiftDataError.loadIssueModelContainer.about("\(version): \(fault)")
      }
      let kept = Self.kept(schema, held, here: here, others: others)
      let plans = zip(schema.models, schema.entities).compactMap { model, entity in
        kept.contains(entity.name) ? ModelPlan(entity, model) : nil
      }
      return Version(schema: schema, plans: plans, outlines: try GraphStore.outlines(plans))
    }
    for (one, next) in zip(all, all.dropFirst()) where one.schema.version >= next.schema.version {
      throw SwiftDataError.loadIssueModelContainer.about(
        "the versions in \(plan).schemas do not ascend: \(next.number) follows \(one.number). Give each version a number of its own, "
          + "and list the oldest first")
    }
    self.all = all
    names = all.reduce(into: here) { $0.formUnion($1.outlines.keys) }
    let wanted = try GraphStore.outlines(models)
    guard let target = all.lastIndex(where: { version in wanted.allSatisfy { version.outlines[$0.key] == $0.value } })
    else {
      throw SwiftDataError.loadIssueModelContainer.about(
        "the container's models are none of the versions in \(plan).schemas: make the container for the models of the newest one"
          + (all.last.map {
            ". Beside version \($0.number), " + Self.text($0.outlines, wanted, start: "the container has")
          } ?? ""))
    }
    self.target = target
  }

  /// Finds the steps that a store outside of Roost's files needs. It throws the errors that a
  /// container throws.
  ///
  /// - Returns: the plan's versions, and the steps. There are none if the store has none of the
  ///   plan's entities, or has the newest version.
  package static func steps(
    of plan: any SchemaMigrationPlan.Type, _ models: [ModelPlan], over held: some HeldModels, others: Set<String>
  ) throws -> (versions: PlanVersions, steps: [Step]) {
    try Doorway.pass {
      let versions = try PlanVersions(plan, models, over: held, others: others)
      return (versions, try versions.current(held).map { try versions.steps(from: $0) } ?? [])
    }
  }

  /// Returns the entities of a version that this store keeps. In a container of one store these are
  /// all. Otherwise they are the entities that the store has, or gets from the container, and the
  /// targets of their relationships.
  private static func kept(
    _ schema: Schema, _ held: some HeldModels, here: Set<String>, others: Set<String>
  ) -> Set<String> {
    let names = Set(schema.entities.map(\.name)).subtracting(others.filter { !held.hasEntity($0) })
    if others.isEmpty { return names }
    var kept = names.filter { here.contains($0) || held.hasEntity($0) }
    var waiting = Array(kept)
    while let name = waiting.popLast() {
      guard let entity = schema.entitiesByName[name] else { continue }
      let led = entity.relationships.map(\.destination) + [entity.superentityName].compactMap { $0 }
      for other in led where names.contains(other) && kept.insert(other).inserted { waiting.append(other) }
    }
    return kept
  }

  /// Finds the version that a store has. Returns nil if the store has none of the plan's entities
  /// yet. Throws if it has none of the plan's versions.
  package func current(_ held: some HeldModels) throws -> Int? {
    if !names.contains(where: { held.hasEntity($0) }) { return nil }
    if let noted = held.version {
      let known = Dictionary(
        noted.parts.filter { names.contains($0.name) }.map { ($0.name, $0.fingerprint) }
      ) { first, _ in first }
      let fitting = all.indices.filter { all[$0].outlines.mapValues(\.fingerprint) == known }
      if let same = fitting.last(where: { all[$0].number == noted.number }) ?? fitting.last { return same }
      // A store may lack an entity of its version, if no program has named it.
      let partial = all.indices.filter { place in
        known.allSatisfy { all[place].outlines[$0.key]?.fingerprint == $0.value }
      }
      if let same = partial.last(where: { all[$0].number == noted.number }) ?? partial.last { return same }
      if let mixed = try mixed(known) { return mixed }
      if let newest = all.last, OpeningVersion.isOlder(newest.number, than: noted.number) {
        throw MigrationFault(
          newest.outlines.keys.min() ?? "", nil, isBackward: true,
          detail:
            "version \(noted.number) of the models wrote the store, and the newest version of \(plan) is \(newest.number): "
            + "open the store with the newer program, or open a backup from before the migration")
      }
    } else if let fitting = fitting(held) {
      return fitting
    }
    if plan.stages.contains(where: \.hasCode) { throw unknown(held) }
    // Without code, the rest is inferred from the nearest version, so that renamed properties are
    // followed from version to version.
    let stored = stored(held)
    return all.indices.prefix(target + 1).min {
      Self.distance(all[$0].outlines, stored) < Self.distance(all[$1].outlines, stored)
    }
  }

  /// Finds the version of a store that programs with only some of the models have migrated in part.
  ///
  /// The result is the last version for which every entity is of that version or newer. An entity
  /// may be newer only by steps without code. A later version may have more entities.
  private func mixed(_ known: [String: UInt64]) throws -> Int? {
    let coded = try plan.stages.filter(\.hasCode).map(ends)
    return all.indices.last { place in
      let version = all[place]
      let isBehind = known.contains { name, fingerprint in
        let later = all.indices.filter { $0 >= place && all[$0].outlines[name]?.fingerprint == fingerprint }
        guard version.outlines[name] != nil else { return later.isEmpty }
        return !later.contains { ahead in !coded.contains { $0.from < ahead && $0.to > place } }
      }
      return !isBehind && version.outlines.keys.allSatisfy { known[$0] != nil }
    }
  }

  /// Finds the version of a store without a noted version: the last version that matches exactly,
  /// else the last one that has no more than the store.
  private func fitting(_ held: some HeldModels) -> Int? {
    let stored = stored(held)
    if let exact = all.lastIndex(where: { $0.outlines == stored }) { return exact }
    return all.lastIndex { version in
      version.outlines.allSatisfy { name, outline in
        guard let known = stored[name] else { return false }
        return outline.properties.allSatisfy { known.properties[$0.key] == $0.value }
      }
    }
  }

  private func stored(_ held: some HeldModels) -> [String: Outline] {
    Dictionary(names.compactMap { name in held.outline(name).map { (name, $0) } }) { first, _ in first }
  }

  private func unknown(_ held: some HeldModels) -> MigrationFault {
    let stored = stored(held)
    // The error compares the store with the nearest version.
    let said = held.version.flatMap { noted in all.first { $0.number == noted.number } }
    let nearest = said ?? all.min { Self.distance($0.outlines, stored) < Self.distance($1.outlines, stored) }
    let numbers = all.map(\.number).joined(separator: ", ")
    var text = "the store has none of the versions of \(plan) (\(numbers))"
    if let noted = held.version { text += "; it says that it has version \(noted.number)" }
    if let nearest {
      text += ". Beside version \(nearest.number), " + Self.text(nearest.outlines, stored, start: "the store has")
    }
    let entity = nearest?.outlines.keys.sorted().first { nearest?.outlines[$0] != stored[$0] }
    return MigrationFault(
      entity ?? "", nil,
      detail: text + ". Add the version that wrote the store to the plan; a version that was changed needs a new number"
    )
  }

  private static func distance(_ one: [String: Outline], _ other: [String: Outline]) -> Int {
    Set(one.keys).union(other.keys).reduce(0) { sum, name in
      guard let here = one[name], let there = other[name] else { return sum + 100 }
      return sum + there.differences(from: here).count
    }
  }

  /// Describes the differences between two versions, entity by entity.
  private static func text(_ version: [String: Outline], _ other: [String: Outline], start: String) -> String {
    let parts = Set(version.keys).union(other.keys).sorted().compactMap { name -> String? in
      switch (version[name], other[name]) {
      case (let wanted?, let found?):
        let differences = found.differences(from: wanted)
        return differences.isEmpty ? nil : "\(name): " + differences.joined(separator: "; ")
      case (nil, .some): return "the entity \(name) more"
      case (.some, nil): return "no entity \(name)"
      case (nil, nil): return nil
      }
    }
    return start + " " + parts.joined(separator: ". ")
  }

  // MARK: Steps

  /// The change from one version to a later one. Stages that name the same two versions are one
  /// step.
  package struct Step {
    package let from: Version
    package let to: Version
    var will: ((ModelContext) throws -> Void)?
    var removals: [DuplicateRemoval] = []
    var transforms: [ModelTransform] = []
    var did: ((ModelContext) throws -> Void)?

    package var hasCode: Bool { will != nil || did != nil || !removals.isEmpty || !transforms.isEmpty }
  }

  /// Returns the steps from one version to the target.
  package func steps(from current: Int) throws -> [Step] {
    guard current <= target else {
      throw MigrationFault(
        "", nil, isBackward: true,
        detail:
          "the store has version \(all[current].number) of \(plan), and the container has version \(all[target].number): "
          + "stages go only to later versions. Open the store with the newer models, or open a backup from before the migration"
      )
    }
    let stages = try plan.stages.map { (stage: $0, ends: try ends(of: $0)) }
    var steps: [Step] = []
    var at = current
    while at < target {
      let here = stages.filter { $0.ends.from == at }
      // A step that no stage names needs no code.
      let next = here.first { $0.stage.namesEnd }?.ends.to ?? at + 1
      if next > target { break }
      var step = Step(from: all[at], to: all[next])
      for (stage, ends) in here {
        guard ends.to == next || !stage.namesEnd else {
          throw wrong("has stages from version \(all[at].number) to two others: leave one of them")
        }
        switch stage {
        case .lightweight: continue
        case .objects(let transform): step.transforms.append(transform)
        case .duplicates(let removal): step.removals.append(removal)
        case .custom(_, _, let will, let did):
          guard step.will == nil, step.did == nil else {
            throw wrong("has two custom stages from version \(all[at].number): make one of them")
          }
          (step.will, step.did) = (will, did)
        }
      }
      steps.append(step)
      at = next
    }
    return steps
  }

  /// Returns the positions of a stage's versions.
  private func ends(of stage: MigrationStage) throws -> (from: Int, to: Int) {
    func place(_ version: any VersionedSchema.Type) throws -> Int {
      if let place = plan.schemas.firstIndex(where: { $0 == version }) { return place }
      throw wrong("has a stage for \(version), which is not in its schemas")
    }
    func places(_ model: any PersistentModel.Type) throws -> [Int] {
      let places = plan.schemas.indices.filter { plan.schemas[$0].models.contains { $0 == model } }
      if !places.isEmpty { return places }
      throw wrong("has a stage for \(model), which is not a model of its schemas")
    }
    let ends: (from: Int, to: Int)?
    switch stage {
    case .lightweight(let from, let to), .custom(let from, let to, _, _): ends = (try place(from), try place(to))
    case .duplicates(let removal):
      // If several versions share the class, this is the last one.
      ends = try places(removal.model).max().map { ($0, $0 + 1) }
    case .objects(let transform):
      if let new = transform.new, new._$type.root.name != transform.old._$type.root.name,
        new._$type.name != transform.old._$type.name
      {
        throw wrong(
          "transforms \(transform.old) to \(new), which has another name, so no object of the one is an object of the other: use "
            + "transform(from:in:), and insert the new models")
      }
      let froms = try places(transform.old)
      let tos = try transform.new.map(places) ?? transform.version.map { [try place($0)] } ?? []
      // If several versions share a class, these are the two nearest versions.
      ends = froms.flatMap { from in tos.filter { $0 > from }.map { (from, $0) } }.min { $0.1 - $0.0 < $1.1 - $1.0 }
    }
    guard let ends, ends.from < ends.to, ends.to < plan.schemas.count else {
      throw wrong("has a stage that does not end with a later version of its schemas")
    }
    return ends
  }

  private func wrong(_ detail: String) -> SwiftDataError {
    SwiftDataError.loadIssueModelContainer.about("the migration plan \(plan) \(detail)")
  }
}
