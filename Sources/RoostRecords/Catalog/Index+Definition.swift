extension Index {
  /// What an index is called that models define: its parts with their forms, then its condition.
  ///
  /// `unique lowercased of title, rank descending where isDone == false`
  package func definition(in entity: Entity) -> String {
    func name(_ id: FieldID) -> String { entity.field(id)?.name ?? "" }
    let parts = parts.map { part in
      (part.form == .value ? name(part.field) : "\(part.form.word) of \(name(part.field))")
        + (part.isDescending ? " descending" : "")
    }
    let condition = tests.isEmpty ? "" : " where " + tests.map { $0.definition(name) }.joined(separator: " && ")
    return (isUnique ? "unique " : "") + parts.joined(separator: ", ") + condition
  }
}

extension Index.Test {
  /// The test as Swift has it.
  ///
  /// - Parameter name: tells the name of a field.
  func definition(_ name: (FieldID) -> String) -> String {
    switch self {
    case .isNull(let id): "\(name(id)) == nil"
    case .isNotNull(let id): "\(name(id)) != nil"
    case .equals(let id, let value): "\(name(id)) == \(value.brief)"
    case .compares(let id, let comparison, let value): "\(name(id)) \(comparison.sign) \(value.brief)"
    case .any(let tests): "(" + tests.map { $0.definition(name) }.joined(separator: " || ") + ")"
    }
  }
}
