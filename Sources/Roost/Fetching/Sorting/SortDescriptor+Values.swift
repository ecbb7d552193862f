public import Foundation

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a flag: false comes before true.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(Composed.sendable(keyPath.appending(path: Composed.rank)), order: order)
  }

  /// Sorts by a flag that may be nil: nil comes first, then false, then true.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(Composed.sendable(keyPath.appending(path: Composed.optionalRank)), order: order)
  }

  /// Sorts by the raw values of an enum. A `Comparable` enum is sorted by its own order instead.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable {
    self.init(Composed.sendable(keyPath.appending(path: Composed.rawValue(Value.self))), order: order)
  }

  /// Sorts by the raw values of an optional enum; nil comes first.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable {
    self.init(Composed.sendable(keyPath.appending(path: Composed.optionalRawValue(Value.self))), order: order)
  }
}

#if !canImport(Darwin)
  // Foundation on Linux sorts texts by their bytes only.
  extension SortDescriptor {
    /// Sorts texts as readers expect.
    @_disfavoredOverload
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedComparator, order: SortOrder? = nil
    ) {
      let order = order ?? comparator.order
      if comparator.readsNumbers {
        self.init(Composed.sendable(keyPath.appending(path: Composed.localizedStandard)), order: order)
      } else {
        self.init(Composed.sendable(keyPath.appending(path: Composed.localized)), order: order)
      }
    }

    /// Sorts optional texts as readers expect; nil comes first.
    @_disfavoredOverload
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: LocalizedComparator, order: SortOrder? = nil
    ) {
      let order = order ?? comparator.order
      if comparator.readsNumbers {
        self.init(Composed.sendable(keyPath.appending(path: Composed.optionalLocalizedStandard)), order: order)
      } else {
        self.init(Composed.sendable(keyPath.appending(path: Composed.optionalLocalized)), order: order)
      }
    }
  }
#endif
