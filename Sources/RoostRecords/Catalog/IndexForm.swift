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
    /// A text without its case and without the marks on its letters.
    case folded = 5
    /// An entry for each key of a dictionary. Nil has none.
    case keys = 6
    /// Parts of a date in UTC.
    case year = 7
    case month = 8
    case day = 9
    case weekday = 10
    case hour = 11

    /// The part of a date that this is.
    package var datePart: DatePart? {
      switch self {
      case .year: .year
      case .month: .month
      case .day: .day
      case .weekday: .weekday
      case .hour: .hour
      default: nil
      }
    }

    /// The form that has a part of a date.
    package init(_ part: DatePart) {
      self =
        switch part {
        case .year: .year
        case .month: .month
        case .day: .day
        case .weekday: .weekday
        case .hour: .hour
        }
    }

    /// Whether a row may have several entries.
    package var isMany: Bool { self == .elements || self == .keys }

    /// Whether programs that know only catalog forms up to 6 know this form.
    var isOfSixthForm: Bool { rawValue <= Form.elements.rawValue }

    /// The keyword in Swift declarations and in the tool.
    package var word: String {
      switch self {
      case .value: "value"
      case .lowercased: "lowercased"
      case .uppercased: "uppercased"
      case .count: "count"
      case .elements: "elements"
      case .folded: "folded"
      case .keys: "keys"
      case .year: "year"
      case .month: "month"
      case .day: "day"
      case .weekday: "weekday"
      case .hour: "hour"
      }
    }

    /// The type of the values in the index; nil if fields of the type do not have the form.
    package func type(of type: FieldType) -> FieldType? {
      switch (self, type) {
      case (.value, _): KeyCoding.isOrdered(type) ? type : nil
      case (.lowercased, .string), (.uppercased, .string), (.folded, .string): .string
      case (.count, .string), (.count, .array), (.count, .set), (.count, .dictionary): .int64
      case (.elements, .array(let element)), (.elements, .set(let element)): element.ordered
      case (.keys, .dictionary(let key, _)): key.ordered
      case (_, .date) where datePart != nil: .int64
      default: nil
      }
    }

    /// The value that the index stores for a non-nil value; nil if the value has no such form. For
    /// elements and keys see ``several(of:)``.
    package func applied(to value: Value) -> Value? {
      switch (self, value) {
      case (.value, _): value
      case (.lowercased, .string(let text)): .string(text.lowercased())
      case (.uppercased, .string(let text)): .string(text.uppercased())
      case (.count, .string(let text)): .int(Int64(text.count))
      case (.count, .array(let all)): .int(Int64(all.count))
      case (.count, .set(let all)): .int(Int64(all.count))
      case (.count, .dictionary(let all)): .int(Int64(all.count))
      case (.folded, .string(let text)): .string(Folding.text(text))
      case (_, .date(let seconds)): datePart.map { .int($0.of(seconds)) }
      default: nil
      }
    }

    /// The non-nil elements of a collection, with duplicates, or the keys of a dictionary.
    static func several(of value: Value) -> [Value] {
      switch value {
      case .array(let all): all.filter { !$0.isNull }
      case .set(let all): all.filter { !$0.isNull }
      case .dictionary(let all): all.keys.filter { !$0.isNull }
      default: []
      }
    }
  }

  /// Whether any part has another form than the plain value.
  package var hasForms: Bool { parts.contains { $0.form != .value } }

  /// Whether a row may have several entries.
  package var hasElements: Bool { parts.contains { $0.form.isMany } }

  /// Whether programs that know only catalog forms up to 5 can update the index.
  var isOld: Bool { !hasForms && tests.allSatisfy(\.isOld) }

  /// Whether programs that know only catalog forms up to 6 can update the index.
  var isOfSixthForm: Bool { parts.allSatisfy(\.form.isOfSixthForm) }

  /// The error in the parts and tests of an index, as a clause; nil if they are valid.
  package func complaint(in entity: Entity) -> String? {
    if parts.isEmpty { return "covers no property" }
    if tests.count > Self.mostTests { return "has more than \(Self.mostTests) tests in its condition" }
    if parts.filter({ $0.form.isMany }).count > 1 { return "has the elements or keys of two collections" }
    if isUnique, hasForms { return "is unique, so it needs the values of its properties as they are" }
    for part in parts {
      guard let field = entity.field(part.field) else { return "names a field that does not exist" }
      if part.form.type(of: field.type) == nil {
        return part.form == .value
          ? "covers \(field.name), whose values have no order: leave it out"
            + (isUnique ? "" : ", or use .elements or .count of a collection")
          : "has the form \(part.form.word), which values of \(field.name) do not have"
      }
    }
    for test in tests { if let fault = test.complaint(in: entity) { return fault } }
    return nil
  }
}

extension Field {
  /// Whether an index can sort by its values.
  package var hasOrder: Bool { Index.Form.value.type(of: type) != nil }
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
