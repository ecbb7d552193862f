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

  /// Sorts by what stands for an enum's cases. An enum that is `Comparable` is sorted by its own order instead.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable {
    self.init(Composed.sendable(keyPath.appending(path: Composed.rawValue(Value.self))), order: order)
  }

  /// The same where it may be nil, which comes first.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    _ keyPath: any KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward
  ) where Value.RawValue: Comparable {
    self.init(Composed.sendable(keyPath.appending(path: Composed.optionalRawValue(Value.self))), order: order)
  }
}

#if !canImport(Darwin)
  // Foundation on other systems sorts texts by their bytes alone.
  extension SortDescriptor {
    /// Sorts texts as readers expect them.
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

    /// The same where a text may be nil, which comes first.
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

/// Key paths behind key paths. Each is written once, because the same words elsewhere are another key path: in generic code, and in
/// an optimised build wherever they are.
enum Composed {
  static let rank: any KeyPath<Bool, Int> & Sendable = \.rank
  static let optionalRank: any KeyPath<Bool?, Int?> & Sendable = \.rank
  static let localized: any KeyPath<String, LocalizedText> & Sendable = \.localized
  static let optionalLocalized: any KeyPath<String?, LocalizedText?> & Sendable = \.localized
  static let localizedStandard: any KeyPath<String, LocalizedText> & Sendable = \.localizedStandard
  static let optionalLocalizedStandard: any KeyPath<String?, LocalizedText?> & Sendable = \.localizedStandard

  /// Both parts capture nothing that could change.
  static func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
  }

  static func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> KeyPath<Value, Value.RawValue> { \.rawValue }
  static func optionalRawValue<Value: RawRepresentable>(_ type: Value.Type) -> KeyPath<Value?, Value.RawValue?> {
    \.?.rawValue
  }
}

// Flags as numbers, since Swift's have no order.
extension Bool {
  var rank: Int { self ? 1 : 0 }
}

extension Bool? {
  // It may be nil, because behind a `?` in a key path nothing else is asked where there is nothing.
  var rank: Int? { map { $0.rank } }
}
