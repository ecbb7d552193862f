public import Foundation

/// Describes a fetch: which models, in which order, and how many.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  /// The test that models must pass; nil for all models of the class and its subclasses.
  public var predicate: Predicate<T>?
  /// The order of the models. The first descriptor matters most. Without one the order is not
  /// defined.
  public var sortBy: [SortDescriptor<T>]
  /// The largest number of models to return; nil for all. It is the size of a page of
  /// ``ModelContext/fetchPage(_:after:fileID:line:)``.
  public var fetchLimit: Int?
  /// How many models to skip at the beginning; nil for none.
  public var fetchOffset: Int?
  /// Whether the fetch includes unsaved changes.
  public var includePendingChanges = true
  /// Accepted for compatibility with SwiftData, without effect: a fetch reads whole rows.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships to load together with the models. Without it a relationship is loaded at its
  /// first use, for a thousand models together.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Makes a descriptor of all models, or of those that fulfil a predicate.
  ///
  /// ```swift
  /// var newest = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.year, order: .reverse)])
  /// newest.fetchLimit = 10
  /// ```
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension FetchDescriptor: Equatable {
  public static func == (one: FetchDescriptor, other: FetchDescriptor) -> Bool {
    one.fetchLimit == other.fetchLimit && one.fetchOffset == other.fetchOffset
      && one.includePendingChanges == other.includePendingChanges && one.sortBy == other.sortBy
      && one.propertiesToFetch == other.propertiesToFetch
      && one.relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
      && text(one.predicate) == text(other.predicate)
  }

  /// Describes a predicate. Two predicates are equal if their texts are. The names of their variables
  /// make no difference, because the text has numbers in their place.
  private static func text(_ predicate: Predicate<T>?) -> String? {
    guard let predicate else { return nil }
    var names: [Substring: Int] = [:]
    return String(describing: predicate.expression).replacing(/Variable\((\d+)\)/) { match in
      let number = names[match.output.1] ?? names.count
      names[match.output.1] = number
      return "Variable(\(number))"
    }
  }
}
