package import RoostQuery

/// Taking expressions apart and putting them together again, for making failures smaller and conditions wrong.
extension Expression {
  /// How many operations, names and constants it has.
  package var size: Int { operands.reduce(1) { $0 + $1.size } }

  /// The part with this number, counted from the whole on, which is 0.
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

  /// The same with another part in the place of that number.
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
