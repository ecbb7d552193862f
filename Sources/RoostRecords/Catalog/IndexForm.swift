extension Index {
  /// The part of a field's value that an index stores. The raw values are stored in the file.
  package enum Form: UInt8, Hashable, Sendable, CaseIterable {
    /// The value itself.
    case value = 0
    /// A text in lower case, as `lowercased()` returns it.
    case lowercased = 1
    /// A text in upper case, as `uppercased()` returns it.
    case uppercased = 2
    /// The number of a text's characters or of a collection's elements.
    case count = 3
    /// An entry for each different element of an array or a set. Nil has none.
    case elements = 4

    /// The keyword in Swift declarations and in the tool.
    package var word: String {
      switch self {
      case .value: "value"
      case .lowercased: "lowercased"
      case .uppercased: "uppercased"
      case .count: "count"
      case .elements: "elements"
      }
    }

    /// The type of the values in the index; nil if fields of the type do not have the form.
    package func type(of type: FieldType) -> FieldType? {
      switch (self, type) {
      case (.value, _): KeyCoding.isOrdered(type) ? type : nil
      case (.lowercased, .string), (.uppercased, .string): .string
      case (.count, .string), (.count, .array), (.count, .set), (.count, .dictionary): .int64
      case (.elements, .array(let element)), (.elements, .set(let element)): element.ordered
      default: nil
      }
    }

    /// The value that the index stores for a non-nil value; nil if the value has no such form. For
    /// elements see ``elements(of:)``.
    package func applied(to value: Value) -> Value? {
      switch (self, value) {
      case (.value, _): value
      case (.lowercased, .string(let text)): .string(text.lowercased())
      case (.uppercased, .string(let text)): .string(text.uppercased())
      case (.count, .string(let text)): .int(Int64(text.count))
      case (.count, .array(let all)): .int(Int64(all.count))
      case (.count, .set(let all)): .int(Int64(all.count))
      case (.count, .dictionary(let all)): .int(Int64(all.count))
      default: nil
      }
    }

    /// The non-nil elements of a collection, with duplicates.
    static func elements(of value: Value) -> [Value] {
      switch value {
      case .array(let all): all.filter { !$0.isNull }
      case .set(let all): all.filter { !$0.isNull }
      default: []
      }
    }
  }

  /// Whether any part has another form than the plain value.
  package var hasForms: Bool { parts.contains { $0.form != .value } }

  /// Whether a row may have several entries.
  package var hasElements: Bool { parts.contains { $0.form == .elements } }

  /// Whether programs that know only catalog forms up to 5 can update the index.
  var isOld: Bool { !hasForms && tests.allSatisfy(\.isOld) }

  /// The error in the parts and tests of an index, as a clause; nil if they are valid.
  package func complaint(in entity: Entity) -> String? {
    if parts.isEmpty { return "covers no property" }
    if tests.count > Self.mostTests { return "has more than \(Self.mostTests) tests in its condition" }
    if parts.filter({ $0.form == .elements }).count > 1 { return "has the elements of two collections" }
    if isUnique, hasForms { return "is unique, so it needs the values of its properties as they are" }
    for part in parts {
      guard let field = entity.field(part.field) else { return "names a field that does not exist" }
      if part.form.type(of: field.type) == nil {
        return part.form == .value
          ? "covers \(field.name), whose values have no order" : "cannot have \(part.form.word) of \(field.name)"
      }
    }
    for test in tests { if let fault = test.complaint(in: entity) { return fault } }
    return nil
  }
}

extension ElementType {
  /// The type of plain elements, optional or not, that have an order in keys.
  fileprivate var ordered: FieldType? {
    var element = self
    // At most one optional is nested in another.
    for _ in 0..<2 { if case .optional(let inner) = element { element = inner } }
    guard case .plain(let type) = element, KeyCoding.isOrdered(type) else { return nil }
    return type
  }
}
