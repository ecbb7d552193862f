extension Expression {
  /// The number of fields and to-many relationships that the expression reads. No path over
  /// references is longer than this.
  package var stepCount: Int {
    let own =
      switch self {
      case .field, .many: 1
      default: 0
      }
    return operands.reduce(own) { $0 + $1.stepCount }
  }

  /// Whether it reads a to-many relationship.
  package var hasLists: Bool {
    if case .many = self { return true }
    return operands.contains { $0.hasLists }
  }
}
