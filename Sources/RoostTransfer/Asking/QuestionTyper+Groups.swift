internal import RoostQuery
internal import RoostRecords

/// Resolves names in a question about groups: keys of the groups, or measures.
extension QuestionTyper {
  /// The parameter for a name; nil if this is not a name, and for values that are computed from
  /// names.
  mutating func grouped(_ placed: Placed) throws(QuestionFault) -> Typed? {
    guard let grouping else { return nil }
    switch placed.written {
    case .function(let name, let arguments):
      guard let way = GroupMeasure.Way(rawValue: name) else { return nil }
      return try measure(way, arguments, placed: placed)
    case .name(let name):
      if let named = grouping.names[name] { return named }
      if let key = grouping.keys.firstIndex(where: { $0.name == name }) { return grouping.key(key) }
      if let key = key(placed) { return key }
      if name == GroupMeasure.Way.count.rawValue { return try measure(.count, [], placed: placed) }
      // An unknown name throws its own error.
      _ = try ofRow(placed)
      throw fault(
        "'\(name)' is no key of the groups: group by it too, or write sum(\(name)), average(\(name)), min(\(name)), max(\(name)) or count(\(name))",
        placed)
    case .property, .call, .subscripted: return key(placed)
    case .element: throw fault("a group has no $0", placed)
    default: return nil
    }
  }

  /// The parameter of the key with this expression.
  private mutating func key(_ placed: Placed) -> Typed? {
    guard let grouping, let found = try? ofRow(placed),
      let number = grouping.keys.firstIndex(where: { $0.expression == found.expression })
    else { return nil }
    return grouping.key(number)
  }

  /// The meaning of an expression in one row.
  private mutating func ofRow(_ placed: Placed) throws(QuestionFault) -> Typed {
    let before = grouping
    grouping = nil
    defer { grouping = before }
    return try typed(placed)
  }

  private mutating func measure(
    _ way: GroupMeasure.Way, _ arguments: [Written.Argument], placed: Placed
  ) throws(QuestionFault) -> Typed {
    guard arguments.count == 1 || arguments.isEmpty && way == .count, !(arguments.first?.isClosure ?? false) else {
      throw fault("\(way) is of one value: write \(way)(plays)", placed)
    }
    var value: Typed?
    if let argument = arguments.first { value = try ofRow(argument.value) }
    guard let measure = GroupMeasure(way, value?.expression, of: value?.kind) else {
      let needs = way == .sum || way == .average ? "numbers" : "values with an order"
      throw fault("there is no \(way) of \(name(value?.kind ?? .int)): it takes \(needs)", placed)
    }
    return grouping?.parameter(measure) ?? Typed(expression: .row, kind: .int)
  }
}
