public import Foundation
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

    /// The texts of a property as `folded` has them: in lower case, and without marks on letters.
    public static func folded(_ keyPath: KeyPath<Model, String>) -> IndexPart { IndexPart(keyPath, .folded) }
    /// The texts of a property as `folded` has them: in lower case, and without marks on letters.
    public static func folded(_ keyPath: KeyPath<Model, String?>) -> IndexPart { IndexPart(keyPath, .folded) }

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

    /// The keys of a dictionary: an object has an entry for each key.
    public static func keys<Key: Hashable, Value>(_ keyPath: KeyPath<Model, [Key: Value]>) -> IndexPart {
      IndexPart(keyPath, .keys)
    }
    /// The keys of a dictionary: an object has an entry for each key.
    public static func keys<Key: Hashable, Value>(_ keyPath: KeyPath<Model, [Key: Value]?>) -> IndexPart {
      IndexPart(keyPath, .keys)
    }

    /// The years of a date in UTC, as `utc.year` has them.
    public static func year(_ keyPath: KeyPath<Model, Date>) -> IndexPart { IndexPart(keyPath, .year) }
    /// The years of a date in UTC, as `utc.year` has them.
    public static func year(_ keyPath: KeyPath<Model, Date?>) -> IndexPart { IndexPart(keyPath, .year) }

    /// The months of a date in UTC, from 1 to 12.
    public static func month(_ keyPath: KeyPath<Model, Date>) -> IndexPart { IndexPart(keyPath, .month) }
    /// The months of a date in UTC, from 1 to 12.
    public static func month(_ keyPath: KeyPath<Model, Date?>) -> IndexPart { IndexPart(keyPath, .month) }

    /// The days of the month of a date in UTC, from 1 to 31.
    public static func day(_ keyPath: KeyPath<Model, Date>) -> IndexPart { IndexPart(keyPath, .day) }
    /// The days of the month of a date in UTC, from 1 to 31.
    public static func day(_ keyPath: KeyPath<Model, Date?>) -> IndexPart { IndexPart(keyPath, .day) }

    /// The days of the week of a date in UTC, from 1 for Sunday to 7 for Saturday.
    public static func weekday(_ keyPath: KeyPath<Model, Date>) -> IndexPart { IndexPart(keyPath, .weekday) }
    /// The days of the week of a date in UTC, from 1 for Sunday to 7 for Saturday.
    public static func weekday(_ keyPath: KeyPath<Model, Date?>) -> IndexPart { IndexPart(keyPath, .weekday) }

    /// The hours of a date in UTC, from 0 to 23.
    public static func hour(_ keyPath: KeyPath<Model, Date>) -> IndexPart { IndexPart(keyPath, .hour) }
    /// The hours of a date in UTC, from 0 to 23.
    public static func hour(_ keyPath: KeyPath<Model, Date?>) -> IndexPart { IndexPart(keyPath, .hour) }

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
    case .folded: .folded
    case .keys: .keys
    case .year: .year
    case .month: .month
    case .day: .day
    case .weekday: .weekday
    case .hour: .hour
    }
  }
}
