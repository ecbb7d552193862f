package import RoostRecords

/// A query whose constants come with each call. The work that does not depend on them is done once.
///
/// It is valid only for the catalog for which it was made.
package final class Question: Sendable {
  let entity: EntityID
  let name: String
  let condition: Term?
  let order: [SortTerm]
  let onlyField: (field: FieldID, kind: Kind)?
  /// The kinds of the constants by number; empty if they are not numbered from 0.
  let kinds: [Kind]
  private let edition: (any AnyObject & Sendable)?

  /// Checks a query; its offset and limit are ignored.
  package init(_ query: Query, _ ground: Ground) throws {
    let catalog = ground.catalog
    edition = ground.edition
    guard let entity = catalog.id(of: query.entity) else {
      throw ConditionFault(.unknown, "there is no such entity", in: query.entity)
    }
    self.entity = entity
    name = query.entity
    condition = try query.condition.map { (condition) throws(ConditionFault) in
      try Checker.condition(condition, catalog, entity: entity)
    }
    onlyField = Self.onlyField(condition)
    kinds = condition.map(Self.kinds) ?? []
    var checker = Checker(catalog, entity)
    order = try query.order.map { (order) throws(ConditionFault) in try checker.key(order) }
  }

  private static func kinds(_ condition: Term) -> [Kind] {
    var kinds: [Int: Kind] = [:]
    func look(_ term: Term) {
      if !term.isOpen { return }
      if case .parameter(let number, let kind) = term.expression { kinds[number] = kind }
      for part in term.operands { look(part) }
    }
    look(condition)
    let all = (0..<kinds.count).compactMap { kinds[$0] }
    return all.count == kinds.count ? all : []
  }

  /// The field and its kind, if the condition only requires that one field equals one constant.
  private static func onlyField(_ condition: Term?) -> (field: FieldID, kind: Kind)? {
    guard let condition, case .compare(.equal, _, _) = condition.expression else { return nil }
    let (one, two) = (condition.operands[0], condition.operands[1])
    switch (one.expression, two.expression) {
    case (.field(.variable(0), let field), .parameter(0, let kind)),
      (.parameter(0, let kind), .field(.variable(0), let field)):
      return (field, kind)
    default: return nil
    }
  }

  package func isFor(_ ground: Ground) -> Bool { edition.map { $0 === ground.edition } ?? false }
}

extension Planner {
  /// If the question only compares a unique field with one value: the row with that value, or none.
  /// Nil if the question must be planned.
  package func uniqueRows(_ question: Question, _ values: [Value]) throws -> [RowID]? {
    guard let (field, kind) = question.onlyField, question.isFor(ground), values.count == 1, kind.holds(values[0])
    else { return nil }
    return try uniqueRows(of: question.entity, field, key: values)
  }

  /// The row with a value of a field, or none; nil if the field is not unique or the value equals
  /// no stored one. `key` is an array with only the value.
  package func uniqueRows(of entity: EntityID, _ field: FieldID, key: [Value]) throws -> [RowID]? {
    if key[0].isNull || ValueOrder.isUnordered(key[0]) { return nil }
    let table = try ground.table(entity)
    for index in table.indexes where index.firstField == field && index.isWhole && !index.isPartial {
      guard index.index.isUnique, index.index.parts.count == 1 else { continue }
      return try table.row(unique: index, key).map { [$0] } ?? []
    }
    return nil
  }
}

extension Expression {
  /// The expression with constants in place of its parameters. Each parameter must have one.
  package func bound(_ values: [Value]) -> Expression {
    if case .parameter(let number, let kind) = self { return .constant(values[number], kind) }
    let operands = operands
    return operands.isEmpty ? self : with(operands.map { $0.bound(values) })
  }
}

extension Checker {
  /// Checks a sort key.
  mutating func key(_ order: Order) throws(ConditionFault) -> SortTerm {
    let term = try term(order.key)
    guard term.kind.isSortable else { throw wrong(order.key, "\(term.kind) has no order") }
    guard order.collation == .plain || term.kind.whole == .string else { throw wrong(order.key, "it is not a text") }
    return SortTerm(key: term, isDescending: order.isDescending, collation: order.collation)
  }
}
