internal import RoostGraph
internal import RoostRecords

/// A plan's custom stages, which are not carried out yet: a store that needs one is refused.
struct StagedMigration {
  let plan: any SchemaMigrationPlan.Type
  /// The models that the store keeps in the newest version.
  let names: Set<String>

  /// Is asked before a store is changed to the newest version.
  func check(_ catalog: Catalog, _ entity: String, property: String?) throws {
    let stages = plan.stages
    guard stages.contains(where: \.isCustom) else { return }
    let versions = plan.schemas
    let fitting = versions.lastIndex { GraphStore.fits(plans($0, catalog), catalog) }
    if fitting == nil, !versions.contains(where: { isKnown($0, catalog) }) { return }
    let needed = stages.first { stage in
      guard case .custom(_, let next, _, _) = stage else { return false }
      guard let fitting, let target = versions.firstIndex(where: { $0 == next }) else { return true }
      return target > fitting
    }
    guard case .custom(let from, let to, _, _)? = needed else { return }
    let known =
      fitting.map { "it is at version \(versions[$0].versionIdentifier)" } ?? "it is at none of the plan's versions"
    throw MigrationFault(
      entity, property,
      detail:
        "the store differs here from the newest version of \(plan), \(known), and the stage from \(from.versionIdentifier) to "
        + "\(to.versionIdentifier) is custom. Custom stages are not supported yet: make the stage lightweight and change "
        + "the objects after that, or export them with the models of the old version and import them into a new store"
    )
  }

  /// What a version asks of a store that keeps the entities of this catalog. Entities that are kept elsewhere do not count.
  private func plans(_ version: any VersionedSchema.Type, _ catalog: Catalog) -> [ModelPlan] {
    let schema = Schema(versionedSchema: version)
    return schema.models.compactMap { model in
      let name = model._$type.name
      guard names.contains(name) || catalog.entity(name) != nil else { return nil }
      return schema.entitiesByName[name].map { ModelPlan($0, model) }
    }
  }

  private func isKnown(_ version: any VersionedSchema.Type, _ catalog: Catalog) -> Bool {
    version.models.contains { catalog.entity($0._$type.root.name) != nil }
  }
}
