package import RoostQuery

/// Replaces parts of expressions, to reduce failures and to make invalid conditions.
extension Expression {
  /// The number of its operations, names and constants.
  package var size: Int { operands.reduce(1) { $0 + $1.size } }

  /// The part with this number; 0 is the whole expression.
  package func part(_ number: Int) -> Expression {
    var rest = number - 1
    if number == 0 { return self }
    for operand in operands {
      let size = operand.size
      if rest < size { return operand.part(rest) }
      rest -= size
    }
    return self
  }

  /// A copy with another part in place of the part with this number.
  package func replacing(_ number: Int, by other: Expression) -> Expression {
    if number == 0 { return other }
    var rest = number - 1
    var parts = operands
    for index in parts.indices {
      let size = parts[index].size
      if rest >= 0, rest < size { parts[index] = parts[index].replacing(rest, by: other) }
      rest -= size
    }
    return with(parts)
  }
}
