extension Expression {
  /// How many steps there are from a row to another one, or to a value of it. No path over references is longer.
  package var stepCount: Int {
    let own =
      switch self {
      case .field, .many: 1
      default: 0
      }
    return operands.reduce(own) { $0 + $1.stepCount }
  }

  /// Whether it looks at the members of a relationship to many.
  package var hasLists: Bool {
    if case .many = self { return true }
    return operands.contains { $0.hasLists }
  }
}
