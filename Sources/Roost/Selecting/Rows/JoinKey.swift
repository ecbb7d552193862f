internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Two key paths whose values decide which models match, for the parameter `on` of a ``Join``.
///
/// A nil matches nothing. Texts are equal if they are equal in Swift.
public struct JoinKey<Model: PersistentModel, Other: PersistentModel>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  let comparison: JoinComparison
  /// The key path of the other side. Two keys with equal key paths are about one property.
  let otherPath: AnyKeyPath?
  let own: () -> AnyJoinColumn<Model>
  let other: () -> AnyJoinColumn<Other>
  /// Tests whether two values match.
  let test: JoinTest

  init<Own, Others>(
    _ comparison: JoinComparison, _ own: KeyPath<Model, Own>, other: KeyPath<Other, Others>, test: JoinTest,
    ownKey: @escaping (Own) -> AnyHashable?, otherKey: @escaping (Others) -> AnyHashable?
  ) {
    self.comparison = comparison
    self.test = test
    otherPath = other
    self.own = { JoinColumn(own, isRange: comparison.isRange, ownKey) }
    self.other = { JoinColumn(other, isRange: comparison.isRange, otherKey) }
  }

  /// Every model matches every model of the other class:
  ///
  ///     try context.select(Size.self, \.name, joining: .inner(Color.self, on: .all, select: \.name))
  ///
  /// A thousand models and a thousand others make a million rows.
  public static var all: JoinKey {
    JoinKey(.all, \.persistentModelID, other: \.persistentModelID, test: JoinTest { _, _ in true }) { _ in
      true
    } otherKey: { _ in
      true
    }
  }

  /// Returns a value as a key; nil for nil. In generic code the type may be an optional.
  private static func whole<Key: Hashable>(_ value: Key) -> AnyHashable? {
    FlatValue.of(value) == nil ? nil : AnyHashable(value)
  }

  private static var isEqual: JoinTest { JoinTest { $0 == $1 } }

  /// The two values are equal.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(.equal, own, other: other, test: isEqual, ownKey: Self.whole, otherKey: Self.whole)
  }

  /// The two values are equal. A selected model whose value is nil has no match.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(.equal, own, other: other, test: isEqual, ownKey: { $0.map(AnyHashable.init) }, otherKey: Self.whole)
  }

  /// The two values are equal. A joined model whose value is nil has no match.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(.equal, own, other: other, test: isEqual, ownKey: Self.whole, otherKey: { $0.map(AnyHashable.init) })
  }

  /// The two values are equal. Nil equals nothing, not even nil.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(
      .equal, own, other: other, test: isEqual, ownKey: { $0.map(AnyHashable.init) },
      otherKey: { $0.map(AnyHashable.init) })
  }
}

/// The comparison of the first model's value with the other one's.
enum JoinComparison {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  /// No comparison.
  case all

  /// Whether the values that fulfil it are a range in their order.
  var isRange: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .notEqual, .all: false
    }
  }

  /// The comparison with its sides exchanged.
  var turned: Condition.Comparison? {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual, .all: nil
    }
  }
}

/// Compares two values whose type only the maker of the test knows.
struct JoinTest {
  let holds: (AnyHashable, AnyHashable) -> Bool
  /// Whether the first value is less than the second; nil if the type has no order.
  var precedes: ((AnyHashable, AnyHashable) -> Bool)?

  init(_ holds: @escaping (AnyHashable, AnyHashable) -> Bool) { self.holds = holds }

  init<Key: Comparable & Hashable>(_ type: Key.Type, _ holds: @escaping (Key, Key) -> Bool) {
    self.holds = Self.typed(holds)
    precedes = Self.typed { (one: Key, other: Key) in one < other }
  }

  private static func typed<Key: Hashable>(
    _ test: @escaping (Key, Key) -> Bool
  ) -> (AnyHashable, AnyHashable) -> Bool {
    { one, other in
      guard let one = one.base as? Key, let other = other.base as? Key else { return false }
      return test(one, other)
    }
  }
}

/// A column whose values are compared with those of another model.
class AnyJoinColumn<Model: PersistentModel>: AnySelectedColumn<Model> {
  func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable? { preconditionFailure("a column of a join has keys") }
}

final class JoinColumn<Model: PersistentModel, Known>: AnyJoinColumn<Model> {
  private let column: SelectedColumn<Model, Known>
  private let hashable: (Known) -> AnyHashable?
  private let isRange: Bool

  init(_ keyPath: KeyPath<Model, Known>, isRange: Bool, _ hashable: @escaping (Known) -> AnyHashable?) {
    column = SelectedColumn(keyPath)
    self.isRange = isRange
    self.hashable = hashable
    super.init(keyPath)
  }

  override var number: Int {
    get { column.number }
    set { column.number = newValue }
  }
  override func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? {
    let found = column.placed(map, graph)
    // A type may define its own equality or order, which stored values do not have.
    let isStored =
      isRange ? Constant.isSortedByValue(TypeFacts.whole(Known.self)) : Constant.isComparedByValue(Known.self)
    kind = isStored ? column.kind : nil
    return found
  }
  override func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable? { try hashable(row.value(column)) }
}
