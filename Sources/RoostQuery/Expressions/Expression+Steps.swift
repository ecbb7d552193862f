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
}
