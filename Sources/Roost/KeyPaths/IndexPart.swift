internal import RoostRecords

extension Schema {
  /// A part of an index that is more than a key path: a form of a property, or a descending order.
  ///
  /// ```swift
  /// #Index<Chore>([.lowercased(\.title)], [.elements(\.tags)], [.ascending(\.points), .descending(\.due)])
  /// ```
  public struct IndexPart<Model: PersistentModel>: Hashable {
    /// The property.
    public let keyPath: PartialKeyPath<Model>
    /// The form of the property in the index.
    public let form: IndexDefinition.Form
    /// Whether the greatest values come first.
    public private(set) var isDescending = false

    private init(_ keyPath: PartialKeyPath<Model>, _ form: IndexDefinition.Form) {
      (self.keyPath, self.form) = (keyPath, form)
    }

    /// The values of a property in ascending order.
    public static func ascending(_ keyPath: PartialKeyPath<Model>) -> IndexPart { IndexPart(keyPath, .value) }

    /// The values of a property in descending order.
    ///
    /// An index is read in both directions, so only an index with mixed directions needs this.
    public static func descending(_ keyPath: PartialKeyPath<Model>) -> IndexPart { ascending(keyPath).descending }

    /// The texts of a property, as `lowercased()` returns them.
    public static func lowercased(_ keyPath: KeyPath<Model, String>) -> IndexPart { IndexPart(keyPath, .lowercased) }
    /// The texts of a property, as `lowercased()` returns them.
    public static func lowercased(_ keyPath: KeyPath<Model, String?>) -> IndexPart { IndexPart(keyPath, .lowercased) }

    /// The texts of a property, as `uppercased()` returns them.
    public static func uppercased(_ keyPath: KeyPath<Model, String>) -> IndexPart { IndexPart(keyPath, .uppercased) }
    /// The texts of a property, as `uppercased()` returns them.
    public static func uppercased(_ keyPath: KeyPath<Model, String?>) -> IndexPart { IndexPart(keyPath, .uppercased) }

    /// The number of a text's characters, or of a collection's elements.
    public static func count(_ keyPath: PartialKeyPath<Model>) -> IndexPart { IndexPart(keyPath, .count) }

    /// The elements of an array or a set. An object has one entry for each different element.
    public static func elements<Value: Collection>(_ keyPath: KeyPath<Model, Value>) -> IndexPart {
      IndexPart(keyPath, .elements)
    }
    /// The elements of an array or a set. An object has one entry for each different element.
    public static func elements<Value: Collection>(_ keyPath: KeyPath<Model, Value?>) -> IndexPart {
      IndexPart(keyPath, .elements)
    }

    /// This part in descending order.
    public var descending: IndexPart {
      var part = self
      part.isDescending = true
      return part
    }

    /// The part with the name of its property.
    var named: IndexDefinition.Part {
      IndexDefinition.Part(Schema.names([keyPath])[0], form: form, isDescending: isDescending)
    }
  }
}

extension Schema.IndexDefinition.Form {
  var stored: RoostRecords.Index.Form {
    switch self {
    case .value: .value
    case .lowercased: .lowercased
    case .uppercased: .uppercased
    case .count: .count
    case .elements: .elements
    }
  }
}
