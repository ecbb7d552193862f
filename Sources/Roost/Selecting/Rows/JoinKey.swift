internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Two key paths whose values decide which models belong together, as the parameter `on` of a ``Join`` names them.
///
/// A value that is nil belongs to no other one. Texts are equal if they are equal in Swift.
public struct JoinKey<Model: PersistentModel, Other: PersistentModel>: @unchecked Sendable {
  // Unchecked because key paths are not marked as what they are: values that never change.
  let comparison: JoinComparison
  /// The key path of the other side, by which two keys are seen to be about one property.
  let otherPath: AnyKeyPath?
  let own: () -> AnyJoinColumn<Model>
  let other: () -> AnyJoinColumn<Other>
  /// What is true of two values that belong together.
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

  /// Every model belongs to every one of the other class:
  ///
  ///     try context.select(Size.self, \.name, joining: .inner(Color.self, on: .all, select: \.name))
  ///
  /// A thousand models and a thousand others are a million rows.
  public static var all: JoinKey {
    JoinKey(.all, \.persistentModelID, other: \.persistentModelID, test: JoinTest { _, _ in true }) { _ in
      true
    } otherKey: { _ in
      true
    }
  }

  /// A value as a key. In generic code an optional type may come here, so nil is looked for.
  private static func whole<Key: Hashable>(_ value: Key) -> AnyHashable? {
    FlatValue.of(value) == nil ? nil : AnyHashable(value)
  }

  private static var isEqual: JoinTest { JoinTest { $0 == $1 } }

  /// The value of one model is that of the other.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(.equal, own, other: other, test: isEqual, ownKey: Self.whole, otherKey: Self.whole)
  }

  /// The value of one model is that of the other; a model whose value is nil has no partner.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(.equal, own, other: other, test: isEqual, ownKey: { $0.map(AnyHashable.init) }, otherKey: Self.whole)
  }

  /// The value of one model is that of the other; another model whose value is nil has no partner.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(.equal, own, other: other, test: isEqual, ownKey: Self.whole, otherKey: { $0.map(AnyHashable.init) })
  }

  /// The value of one model is that of the other; nil is equal to nothing, also not to nil.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(
      .equal, own, other: other, test: isEqual, ownKey: { $0.map(AnyHashable.init) },
      otherKey: { $0.map(AnyHashable.init) })
  }
}

/// How the value of the first model compares with the value of the other one.
enum JoinComparison {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  /// Not at all.
  case all

  /// Whether the values that fulfil it are a range in their order.
  var isRange: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .notEqual, .all: false
    }
  }

  /// How the other value compares with the first one.
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
  /// Whether the first is less than the second; nil if the type has no order.
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
    // A type may have an equality or an order of its own, which what is stored does not have.
    let isStored =
      isRange ? Constant.isSortedByValue(TypeFacts.whole(Known.self)) : Constant.isComparedByValue(Known.self)
    kind = isStored ? column.kind : nil
    return found
  }
  override func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable? { try hashable(row.value(column)) }
}
