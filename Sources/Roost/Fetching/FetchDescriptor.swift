public import Foundation

/// What is to be fetched: which models, in which order, and how many.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
  // Unchecked because key paths are not marked as what they are: values that never change.
  /// The test that models must pass; nil for all models of the class and its subclasses.
  public var predicate: Predicate<T>?
  /// The order of the models, the first descriptor first. Without one the order is not promised.
  public var sortBy: [SortDescriptor<T>]
  /// The most models to return; nil for all. ``ModelContext/fetchPage(_:after:fileID:line:)`` returns so many at a
  /// time.
  public var fetchLimit: Int?
  /// How many of the first models to leave out; nil for none.
  public var fetchOffset: Int?
  /// Whether changes that are not saved count.
  public var includePendingChanges = true
  /// Accepted for SwiftData's sake, without effect: whole rows are read.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships that are read with the models, before somebody asks. Without it they are read for a thousand models at the first use.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Makes a descriptor of all models, or of those that pass a predicate.
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

  /// Two predicates are the same if they read the same, whatever their variables are called.
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
