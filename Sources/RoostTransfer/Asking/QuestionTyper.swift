internal import RoostQuery
internal import RoostRecords

/// Resolves the names in a typed condition, and makes an expression of it.
///
/// It allows a little more than Swift: a comparison with an optional value is false for nil, and
/// `a.b` means `a?.b`.
struct QuestionTyper {
  struct Typed {
    var expression: RoostQuery.Expression
    var kind: Kind
    /// The location of the parts, if this is a stored struct. Then the expression is whether the
    /// struct exists.
    var structure: StructPath?
  }

  /// A struct whose parts are fields of a row.
  struct StructPath {
    /// The row, and its kind.
    var row: RoostQuery.Expression
    var kind: Kind
    /// The path of the struct in the store, such as `place` or `place.position`.
    var name: String
  }

  private let text: String
  let catalog: Catalog
  /// The class of the queried rows.
  let rows: RowClass
  var entity: EntityID { rows.entity.id }
  /// The meaning of `$0` in the surrounding closures, the innermost last.
  private var scope: [(variable: Int, kind: Kind)] = []
  private var lastVariable = 0
  /// The meaning of names in a question about groups; nil in a question about rows.
  var grouping: QuestionGrouping?

  init(_ text: String, _ catalog: Catalog, of rows: RowClass) {
    self.text = text
    self.catalog = catalog
    self.rows = rows
  }

  func fault(_ detail: String, _ placed: Placed) -> QuestionFault {
    QuestionFault(detail: detail, place: placed.place, text: text)
  }

  /// A condition, in which nil means false.
  mutating func condition(_ placed: Placed) throws(QuestionFault) -> RoostQuery.Expression {
    let found = try typed(placed, .bool)
    guard found.kind.whole == .bool else {
      throw fault("this is \(name(found.kind)), and a condition is true or false", placed)
    }
    return found.kind.isOptional ? .coalesce(found.expression, .constant(.bool(false), .bool)) : found.expression
  }

  /// The name of a kind in messages. An entity has its own name.
  func name(_ kind: Kind) -> String {
    if let id = kind.entity, let name = catalog.name(of: id) { return kind.isOptional ? "\(name)?" : name }
    if case .rows(let id) = kind.whole, let name = catalog.name(of: id) { return "[\(name)]" }
    return "\(kind)"
  }

  /// The expression of a parsed value. A literal gets the wanted kind if possible.
  mutating func typed(_ placed: Placed, _ wanted: Kind? = nil) throws(QuestionFault) -> Typed {
    if let found = try grouped(placed) { return found }
    switch placed.written {
    case .null, .flag, .integer, .number, .text, .row, .list: return try literal(placed, wanted)
    case .element:
      guard let last = scope.last else { return Typed(expression: .row, kind: .plain(.reference(entity))) }
      return Typed(expression: .variable(last.variable), kind: last.kind)
    case .name(let name):
      // In a closure, names belong to the row, as `$0` does outside.
      return try property(name, of: Typed(expression: .row, kind: .plain(.reference(entity))), placed)
    case .property(let base, let name, _):
      if let part = try datePart(name, of: base) { return part }
      return try property(name, of: typed(base), placed)
    case .call(let base, let name, let arguments, _): return try call(name, of: base, arguments, placed: placed)
    case .subscripted(let base, let index): return try element(typed(base), index, placed: placed)
    case .not(let inner): return Typed(expression: .not(try condition(inner)), kind: .bool)
    case .negate(let inner):
      if case .integer(let digits) = inner.written {
        return try literal(Placed(written: .integer("-" + digits), place: placed.place), wanted)
      }
      if case .number(let digits) = inner.written {
        return try literal(Placed(written: .number("-" + digits), place: placed.place), wanted)
      }
      let found = try typed(inner, wanted)
      return Typed(expression: .negate(found.expression), kind: found.kind)
    case .unwrap(let inner):
      let found = try typed(inner)
      if found.structure != nil { return found }
      return Typed(expression: .unwrap(found.expression), kind: found.kind.whole)
    case .joined(let isAnd, let all):
      var parts: [RoostQuery.Expression] = []
      for part in all { parts.append(try condition(part)) }
      return Typed(expression: isAnd ? .and(parts) : .or(parts), kind: .bool)
    case .binary(let sign, let one, let other):
      return try binary(sign, one, other: other, placed: placed, wanted: wanted)
    case .conditional(let test, let one, let other):
      let condition = try condition(test)
      let (first, second) = try pair(one, other, wanted: wanted)
      return Typed(
        expression: .conditional(condition, first.expression, second.expression),
        kind: first.kind.isOptional ? first.kind : second.kind)
    case .function(let name, let arguments): return try function(name, arguments, placed: placed)
    }
  }

  // MARK: Names

  private mutating func property(_ name: String, of base: Typed, _ placed: Placed) throws(QuestionFault) -> Typed {
    if let path = base.structure { return try part(name, of: path, placed) }
    if mayLack(base), ["count", "isEmpty", "first", "last"].contains(name) {
      return try bound(base) { (typer, base) throws(QuestionFault) in try typer.property(name, of: base, placed) }
    }
    switch name {
    case "count" where !isRow(base.kind): return Typed(expression: .count(base.expression), kind: .int)
    case "isEmpty" where !isRow(base.kind): return Typed(expression: .isEmpty(base.expression), kind: .bool)
    case "first" where base.kind.element != nil:
      return Typed(expression: .first(base.expression), kind: base.kind.element!.optional)
    case "last" where base.kind.element != nil:
      return Typed(expression: .last(base.expression), kind: base.kind.element!.optional)
    case "folded" where base.kind.whole == .string: return try folded(base)
    default: break
    }
    if case .structure(let parts) = base.kind.whole {
      guard let place = parts.firstIndex(where: { $0.name == name }) else {
        throw fault("it has no '\(name)'" + FieldNames.offer(name, parts.map(\.name)), placed)
      }
      let kind = Kind(parts[place].type)
      return Typed(expression: .part(base.expression, place), kind: base.kind.isOptional ? kind.optional : kind)
    }
    guard let id = base.kind.entity, let entity = catalog.entity(id) else {
      if case .rows(let many) = base.kind.whole, let target = catalog.name(of: many) {
        throw fault(
          "this is a list of \(target), which has no one '\(name)': write .count or .contains { $0.\(name) == … }",
          placed)
      }
      throw fault("\(self.name(base.kind)) has no '\(name)'", placed)
    }
    let rows = base.expression == .row ? self.rows : RowClass(entity)
    if let field = rows.field(name), field.type != .presence {
      let kind = Kind(field)
      if base.expression == .row, rows.always(field) {
        return Typed(expression: .unwrap(.field(.row, field.id)), kind: kind.whole)
      }
      return Typed(expression: .field(base.expression, field.id), kind: base.kind.isOptional ? kind.optional : kind)
    }
    if let path = rows.structure(name) { return structure(path, rows, row: base.expression, kind: base.kind) }
    if let one = rows.relationship(name, catalog) {
      let many = RoostQuery.Expression.many(base.expression, one.id)
      if one.isToOne { return Typed(expression: .first(many), kind: .optional(.plain(.reference(one.target)))) }
      return Typed(expression: many, kind: base.kind.isOptional ? .optional(.rows(one.target)) : .rows(one.target))
    }
    if let heir = rows.heir(with: name) {
      throw fault("\(rows.name) has no '\(name)', but its subclass \(heir) has: ask for the rows of \(heir)", placed)
    }
    throw fault("\(rows.name) has no '\(name)'" + FieldNames.offer(name, rows.properties(catalog)), placed)
  }

  private func isRow(_ kind: Kind) -> Bool { kind.entity != nil }

  // MARK: Operators

  /// Two operands of one kind: a literal gets the other operand's kind.
  private mutating func pair(
    _ one: Placed, _ other: Placed, wanted: Kind? = nil
  ) throws(QuestionFault) -> (Typed, Typed) {
    if one.written.isLiteral, !other.written.isLiteral {
      let second = try typed(other, wanted)
      return (try typed(one, second.kind), second)
    }
    let first = try typed(one, wanted)
    return (first, try typed(other, first.kind))
  }

  private mutating func binary(
    _ sign: String, _ one: Placed, other: Placed, placed: Placed, wanted: Kind?
  ) throws(QuestionFault) -> Typed {
    switch sign {
    case "??":
      let (first, second) = try pair(one, other, wanted: wanted)
      return Typed(expression: .coalesce(first.expression, second.expression), kind: second.kind)
    case "+", "-", "*", "/", "%":
      let (first, second) = try pair(one, other, wanted: wanted)
      return try joined([first, second]) { parts in .arithmetic(Self.arithmetic[sign]!, parts[0], parts[1]) }
    case "...", "..<": throw fault("use a range with .contains: (1...5).contains(x)", placed)
    default:
      let (first, second) = try pair(one, other)
      let comparison = Self.comparisons[sign]!
      guard first.kind.whole == second.kind.whole else {
        throw fault("\(name(first.kind)) and \(name(second.kind)) cannot be compared", placed)
      }
      if first.structure != nil, second.structure != nil {
        throw fault("a struct is compared with nil only: name one of its parts", placed)
      }
      if comparison == .equal || comparison == .notEqual {
        return Typed(expression: .compare(comparison, first.expression, second.expression), kind: .bool)
      }
      guard first.kind.whole.isComparable else { throw fault("\(name(first.kind.whole)) has no order", placed) }
      return Typed(expression: present([first, second]) { .compare(comparison, $0[0], $0[1]) }, kind: .bool)
    }
  }

  private static let arithmetic: [String: RoostQuery.Expression.Arithmetic] = [
    "+": .add, "-": .subtract, "*": .multiply, "/": .divide, "%": .remainder,
  ]
  private static let comparisons: [String: RoostQuery.Expression.Comparison] = [
    "==": .equal, "!=": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
  ]

  /// A condition on optional values that is false if one of them is nil.
  private func present(
    _ parts: [Typed], _ body: ([RoostQuery.Expression]) -> RoostQuery.Expression
  ) -> RoostQuery.Expression {
    let tests = parts.filter(\.kind.isOptional).map { part in
      RoostQuery.Expression.compare(.notEqual, part.expression, .constant(.null, part.kind))
    }
    let whole = body(parts.map { $0.kind.isOptional ? .unwrap($0.expression) : $0.expression })
    return tests.isEmpty ? whole : .and(tests + [whole])
  }

  /// A value computed from optional values that is nil if one of them is nil.
  private func joined(
    _ parts: [Typed], _ body: ([RoostQuery.Expression]) -> RoostQuery.Expression
  ) throws(QuestionFault) -> Typed {
    let kind = parts[0].kind.whole
    let tests = parts.filter(\.kind.isOptional).map { part in
      RoostQuery.Expression.compare(.notEqual, part.expression, .constant(.null, part.kind))
    }
    let whole = body(parts.map { $0.kind.isOptional ? .unwrap($0.expression) : $0.expression })
    if tests.isEmpty { return Typed(expression: whole, kind: kind) }
    return Typed(expression: .conditional(.and(tests), whole, .constant(.null, .optional(kind))), kind: .optional(kind))
  }

  private mutating func element(_ base: Typed, _ index: Placed, placed: Placed) throws(QuestionFault) -> Typed {
    if case .dictionary(let key, let value) = base.kind {
      return Typed(expression: .lookup(base.expression, try typed(index, key).expression), kind: value.optional)
    }
    guard case .array(let element) = base.kind else {
      throw fault("\(name(base.kind)) has no elements by number", placed)
    }
    return Typed(expression: .element(base.expression, try typed(index, .int).expression), kind: element)
  }

  // MARK: Collections that may be nil

  /// Whether this is an optional collection.
  private func mayLack(_ base: Typed) -> Bool { base.kind.isOptional && base.kind.whole.element != nil }

  /// The result of `body` for an optional value; nil if the value is nil.
  mutating func bound(
    _ base: Typed, _ body: (inout QuestionTyper, Typed) throws(QuestionFault) -> Typed
  ) throws(QuestionFault) -> Typed {
    lastVariable += 1
    let variable = lastVariable
    let found = try body(&self, Typed(expression: .variable(variable), kind: base.kind.whole))
    let kind = found.kind.optional
    return Typed(expression: .ifLet(variable, base.expression, found.expression, .constant(.null, kind)), kind: kind)
  }

  // MARK: Calls

  private mutating func call(
    _ name: String, of base: Placed, _ arguments: [Written.Argument], placed: Placed
  ) throws(QuestionFault) -> Typed {
    if name == "contains", case .binary(let sign, let low, let high) = base.written, sign == "..." || sign == "..<",
      arguments.count == 1
    {
      let value = try typed(arguments[0].value)
      let (first, second) = (try typed(low, value.kind.whole), try typed(high, value.kind.whole))
      return Typed(
        expression: present([value]) { .within(first.expression, second.expression, sign == "...", $0[0]) }, kind: .bool
      )
    }
    if name == "contains", case .list = base.written, arguments.count == 1, !arguments[0].isClosure {
      let value = try typed(arguments[0].value)
      let list = try typed(base, .array(value.kind.whole))
      return Typed(expression: .contains(list.expression, value.expression), kind: .bool)
    }
    if name == "contains", arguments.count == 1, let found = try hasKey(base, arguments[0]) { return found }
    let found = try typed(base)
    if mayLack(found) || name == "matches" && isRow(found.kind) && found.kind.isOptional {
      return try bound(found) { (typer, found) throws(QuestionFault) in
        try typer.call(name, of: found, arguments, placed: placed)
      }
    }
    return try call(name, of: found, arguments, placed: placed)
  }

  private mutating func call(
    _ name: String, of found: Typed, _ arguments: [Written.Argument], placed: Placed
  ) throws(QuestionFault) -> Typed {
    if arguments.count == 1, arguments[0].isClosure {
      return try closure(name, found, body: arguments[0].value, placed: placed)
    }
    if name == "matches", arguments.count == 1, isRow(found.kind) {
      return try search(found, arguments[0].value, placed: placed)
    }
    if found.kind.whole == .string { return try textCall(name, found, arguments: arguments, placed: placed) }
    switch (name, arguments.count) {
    case ("contains", 1):
      guard let element = found.kind.element else {
        throw fault("\(self.name(found.kind)) is not a collection", placed)
      }
      return Typed(
        expression: .contains(found.expression, try typed(arguments[0].value, element).expression), kind: .bool)
    case ("min", 0), ("max", 0):
      guard let element = found.kind.element else {
        throw fault("\(self.name(found.kind)) is not a collection", placed)
      }
      return Typed(
        expression: name == "min" ? .minimum(found.expression) : .maximum(found.expression), kind: element.optional)
    default:
      throw fault(
        "\(self.name(found.kind)) has no '\(name)' with \(arguments.count) argument\(arguments.count == 1 ? "" : "s")",
        placed)
    }
  }

  private mutating func closure(
    _ name: String, _ base: Typed, body: Placed, placed: Placed
  ) throws(QuestionFault) -> Typed {
    guard let element = base.kind.element else { throw fault("\(self.name(base.kind)) is not a collection", placed) }
    guard ["contains", "allSatisfy", "filter"].contains(name) else {
      throw fault("there is no '\(name)' with a closure; there are contains, allSatisfy and filter", placed)
    }
    lastVariable += 1
    let variable = lastVariable
    scope.append((variable, element))
    defer { scope.removeLast() }
    let test = try condition(body)
    switch name {
    case "contains": return Typed(expression: .quantified(.some, variable, base.expression, test), kind: .bool)
    case "allSatisfy": return Typed(expression: .quantified(.all, variable, base.expression, test), kind: .bool)
    default: return Typed(expression: .filter(variable, base.expression, test), kind: base.kind)
    }
  }

  private mutating func textCall(
    _ name: String, _ base: Typed, arguments: [Written.Argument], placed: Placed
  ) throws(QuestionFault) -> Typed {
    if arguments.isEmpty, name == "lowercased" || name == "uppercased" {
      return try joined([base]) { .changed(name == "lowercased" ? .lowercased : .uppercased, $0[0]) }
    }
    let tests: [String: RoostQuery.Expression.TextTest] = [
      "contains": .contains, "hasPrefix": .hasPrefix, "hasSuffix": .hasSuffix, "starts": .starts,
      "localizedStandardContains": .containsLoosely,
    ]
    guard let test = tests[name], arguments.count == 1 else {
      throw fault(
        "a text has no '\(name)'" + FieldNames.offer(name, tests.keys.sorted() + ["lowercased", "uppercased"]), placed)
    }
    let other = try typed(arguments[0].value, .string)
    guard other.kind.whole == .string else {
      throw fault("a text is expected, and not \(self.name(other.kind))", arguments[0].value)
    }
    return Typed(expression: present([base, other]) { .text(test, $0[0], $0[1]) }, kind: .bool)
  }

  /// A full text search in the index of a row's entity.
  private func search(_ row: Typed, _ question: Placed, placed: Placed) throws(QuestionFault) -> Typed {
    guard case .text(let text) = question.written else {
      throw fault("matches needs a text in quotation marks", question)
    }
    guard let id = row.kind.entity, let index = catalog.textIndexes(of: id).first(where: { !$0.findsSubstrings }) else {
      throw fault("\(name(row.kind)) has no full text index: declare one with #FullText", placed)
    }
    do throws(FullTextFault) { try index.check(question: text, of: catalog) } catch {
      throw fault(error.detail, question)
    }
    return Typed(
      expression: .search(RowSearch(index.id), row.expression, .constant(.string(text), .plain(.string))), kind: .bool)
  }

  private mutating func function(
    _ name: String, _ arguments: [Written.Argument], placed: Placed
  ) throws(QuestionFault) -> Typed {
    if name == "matches", arguments.count == 1 {
      return try search(
        Typed(expression: .row, kind: .plain(.reference(entity))), arguments[0].value, placed: placed)
    }
    let kinds: [String: Kind] = [
      "date": .date, "uuid": .plain(.uuid), "url": .plain(.url), "decimal": .plain(.decimal), "data": .plain(.data),
    ]
    if GroupMeasure.Way(rawValue: name) != nil {
      throw fault("'\(name)' measures groups of rows, and this is asked of each row", placed)
    }
    guard let kind = kinds[name], arguments.count == 1, arguments[0].value.written.isLiteral else {
      throw fault(
        "there is no function '\(name)'; there are \(FieldNames.list(kinds.keys.sorted() + ["matches"])), each of a text",
        placed)
    }
    return try literal(arguments[0].value, kind)
  }
}

extension Written {
  /// Whether its kind depends on the other operand.
  var isLiteral: Bool {
    switch self {
    case .null, .flag, .integer, .number, .text, .row: true
    case .list(let all): all.allSatisfy(\.written.isLiteral)
    case .negate(let inner): inner.written.isLiteral
    default: false
    }
  }
}
