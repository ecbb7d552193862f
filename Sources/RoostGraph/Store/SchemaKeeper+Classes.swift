internal import RoostQuery
internal import RoostRecords

/// Changes that depend on the class of a row's object, if several classes share an entity.
extension SchemaKeeper {
  /// Whether a model differs from the one in the store's catalog. If not, its rows need no test.
  func isChanged(_ model: ModelPlan) throws -> Bool {
    guard let part = stored?.catalog.version?.part(model.type.name) else { return true }
    return try part.digest != model.digest
  }

  /// The condition that a row's object is of one of some classes; nil if all rows of the store are
  /// of one class, which is among them.
  private func isOf(
    _ classes: [_ModelType], _ row: RoostQuery.Expression, root: String, catalog: Catalog
  ) -> RoostQuery.Expression? {
    guard let entity = catalog.entity(root), let field = entity.field(Family.fieldName) else {
      return classes.contains { $0.name == root } ? nil : .constant(.bool(false), .plain(.bool))
    }
    let numbers = classes.compactMap { catalog.id(of: $0.name)?.number }.sorted()
    if numbers.isEmpty { return .constant(.bool(false), .plain(.bool)) }
    return Family.condition(row, field.id, numbers: numbers)
  }

  /// The condition that a row's object is of a model's class or a subclass; nil for all rows.
  func isOf(_ model: ModelPlan, _ entity: String, catalog: Catalog) -> RoostQuery.Expression? {
    if model.type.superType == nil { return nil }
    return isOf(models.map(\.type).filter { $0.isKind(of: model.type) }, .row, root: entity, catalog: catalog)
  }

  /// The condition that a row's object is of a model's class, for rows before the change.
  func isOfStored(_ model: ModelPlan) -> RoostQuery.Expression? {
    stored.flatMap { isOf(model, storedName(model.type.root.name), catalog: $0.catalog) }
  }

  /// Throws if a unique property that is new in a subclass would have its default in several
  /// objects.
  func checkAlone(_ field: _ModelType.NeededField, _ value: Value, of model: ModelPlan) throws {
    guard let stored, let condition = isOfStored(model), !isStaged, model.uniques.contains([field.path]) else { return }
    let count = try Planner(stored).count(Query(storedName(model.type.root.name), where: condition))
    if count < 2 { return }
    throw MigrationFault(
      model.type.name, field.path,
      detail:
        "the model wants it unique, and \(count) objects would get its default \(Self.text(value)): make it optional, or fill it in "
        + "a custom stage of a migration plan")
  }

  // MARK: Relationships whose target becomes a subclass

  /// The rows whose relationship refers to objects of other classes than the model declares.
  func misled(_ end: RelationshipEnd, _ side: Relationship) throws -> [RowID] {
    guard let target = models.first(where: { $0.type.name == end.plan.target }), target.type.superType != nil,
      let stored, try isChanged(end.model)
    else { return [] }
    let others = models.map(\.type).filter { $0.root === target.type.root && !$0.isKind(of: target.type) }
    let root = storedName(target.type.root.name)
    func isWrong(_ row: RoostQuery.Expression) -> RoostQuery.Expression? {
      isOf(others, row, root: root, catalog: stored.catalog)
    }
    guard let entity = stored.catalog.name(of: side.entity), try stored.table(side.entity).count > 0 else { return [] }
    let condition: RoostQuery.Expression
    if case .one(let id) = side.shape {
      guard let field = stored.catalog.entity(side.entity)?.field(id) else { return [] }
      let reference = RoostQuery.Expression.field(.row, id)
      let no = RoostQuery.Expression.constant(.bool(false), .plain(.bool))
      let yes = RoostQuery.Expression.constant(.bool(true), .plain(.bool))
      condition =
        field.isOptional
        ? .ifLet(1, reference, isWrong(.variable(1)) ?? yes, no) : isWrong(reference) ?? yes
    } else {
      let members = RoostQuery.Expression.many(.row, side.id)
      condition = isWrong(.variable(1)).map { .quantified(.some, 1, members, $0) } ?? .not(.isEmpty(members))
    }
    return try Planner(stored).plan(Query(entity, where: condition)).rows()
  }

  /// Throws if a relationship refers to objects of other classes than the model declares. In a
  /// stage, code sets it later, and this returns false.
  func checkTargets(_ end: RelationshipEnd, _ side: Relationship) throws -> Bool {
    let rows = try misled(end, side)
    if rows.isEmpty { return true }
    if isStaged { return false }
    let (first, more) = (rows.prefix(5).map { "\($0.number)" }.joined(separator: ", "), rows.count > 5 ? ", …" : "")
    throw MigrationFault(
      end.model.type.name, end.plan.name,
      detail:
        "the model has a relationship to \(end.plan.target), and \(rows.count) \(rows.count == 1 ? "object refers" : "objects refer") "
        + "to objects of other classes (\(rows.count == 1 ? "row" : "rows") \(first)\(more)): change it with the models of the old "
        + "version, or in a migration plan, with a transform or a custom stage")
  }
}
