/// Joins by comparisons other than equality. The first value is of the selected model, the second
/// of the joined one.
extension JoinKey {
  private static func compared<Own, Others, Key: Comparable & Hashable & Sendable>(
    _ comparison: JoinComparison, _ own: KeyPath<Model, Own>, with other: KeyPath<Other, Others>,
    test: @escaping (Key, Key) -> Bool, own ownKey: @escaping (Own) -> Key?, other otherKey: @escaping (Others) -> Key?
  ) -> JoinKey {
    JoinKey(comparison, own, other: other, test: JoinTest(Key.self, test)) {
      ownKey($0).map(AnyHashable.init)
    } otherKey: {
      otherKey($0).map(AnyHashable.init)
    }
  }

  private static func unequal<Own, Others, Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Own>, _ other: KeyPath<Other, Others>, own ownKey: @escaping (Own) -> Key?,
    other otherKey: @escaping (Others) -> Key?
  ) -> JoinKey {
    JoinKey(.notEqual, own, other: other, test: JoinTest { $0 != $1 }) {
      ownKey($0).map(AnyHashable.init)
    } otherKey: {
      otherKey($0).map(AnyHashable.init)
    }
  }

  // MARK: less

  /// The first value is less than the second one.
  public static func less<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(.less, own, with: other, test: { (one: Key, other: Key) in one < other }, own: { $0 }, other: { $0 })
  }

  /// The first value is less than the second one.
  public static func less<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(.less, own, with: other, test: { (one: Key, other: Key) in one < other }, own: { $0 }, other: { $0 })
  }

  /// The first value is less than the second one.
  public static func less<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(.less, own, with: other, test: { (one: Key, other: Key) in one < other }, own: { $0 }, other: { $0 })
  }

  /// The first value is less than the second one.
  public static func less<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(.less, own, with: other, test: { (one: Key, other: Key) in one < other }, own: { $0 }, other: { $0 })
  }

  // MARK: atMost

  /// The first value is less than the second one, or equal to it.
  public static func atMost<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(
      .lessOrEqual, own, with: other, test: { (one: Key, other: Key) in one <= other }, own: { $0 }, other: { $0 })
  }

  /// The first value is less than the second one, or equal to it.
  public static func atMost<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(
      .lessOrEqual, own, with: other, test: { (one: Key, other: Key) in one <= other }, own: { $0 }, other: { $0 })
  }

  /// The first value is less than the second one, or equal to it.
  public static func atMost<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(
      .lessOrEqual, own, with: other, test: { (one: Key, other: Key) in one <= other }, own: { $0 }, other: { $0 })
  }

  /// The first value is less than the second one, or equal to it.
  public static func atMost<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(
      .lessOrEqual, own, with: other, test: { (one: Key, other: Key) in one <= other }, own: { $0 }, other: { $0 })
  }

  // MARK: greater

  /// The first value is greater than the second one.
  public static func greater<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(.greater, own, with: other, test: { (one: Key, other: Key) in one > other }, own: { $0 }, other: { $0 })
  }

  /// The first value is greater than the second one.
  public static func greater<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(.greater, own, with: other, test: { (one: Key, other: Key) in one > other }, own: { $0 }, other: { $0 })
  }

  /// The first value is greater than the second one.
  public static func greater<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(.greater, own, with: other, test: { (one: Key, other: Key) in one > other }, own: { $0 }, other: { $0 })
  }

  /// The first value is greater than the second one.
  public static func greater<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(.greater, own, with: other, test: { (one: Key, other: Key) in one > other }, own: { $0 }, other: { $0 })
  }

  // MARK: atLeast

  /// The first value is greater than the second one, or equal to it.
  public static func atLeast<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(
      .greaterOrEqual, own, with: other, test: { (one: Key, other: Key) in one >= other }, own: { $0 }, other: { $0 })
  }

  /// The first value is greater than the second one, or equal to it.
  public static func atLeast<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(
      .greaterOrEqual, own, with: other, test: { (one: Key, other: Key) in one >= other }, own: { $0 }, other: { $0 })
  }

  /// The first value is greater than the second one, or equal to it.
  public static func atLeast<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    compared(
      .greaterOrEqual, own, with: other, test: { (one: Key, other: Key) in one >= other }, own: { $0 }, other: { $0 })
  }

  /// The first value is greater than the second one, or equal to it.
  public static func atLeast<Key: Comparable & Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    compared(
      .greaterOrEqual, own, with: other, test: { (one: Key, other: Key) in one >= other }, own: { $0 }, other: { $0 })
  }

  // MARK: notEqual

  /// The first value differs from the second one. With nil the result is false.
  public static func notEqual<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    unequal(own, other, own: { $0 }, other: { $0 })
  }

  /// The first value differs from the second one. With nil the result is false.
  public static func notEqual<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    unequal(own, other, own: { $0 }, other: { $0 })
  }

  /// The first value differs from the second one. With nil the result is false.
  public static func notEqual<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    unequal(own, other, own: { $0 }, other: { $0 })
  }

  /// The first value differs from the second one. With nil the result is false.
  public static func notEqual<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    unequal(own, other, own: { $0 }, other: { $0 })
  }
}
