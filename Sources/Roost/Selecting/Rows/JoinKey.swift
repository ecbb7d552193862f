internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Two key paths whose values are equal in models that belong together, as the parameter `on` of a ``Join`` names them.
///
/// A value that is nil is equal to no other one. Texts are equal if they are equal in Swift.
public struct JoinKey<Model: PersistentModel, Other: PersistentModel>: @unchecked Sendable {
  // Unchecked because key paths are not marked as what they are: values that never change.
  let own: () -> AnyJoinColumn<Model>
  let other: () -> AnyJoinColumn<Other>

  private init<Own, Others>(
    _ own: KeyPath<Model, Own>, _ other: KeyPath<Other, Others>, ownKey: @escaping (Own) -> AnyHashable?,
    otherKey: @escaping (Others) -> AnyHashable?
  ) {
    self.own = { JoinColumn(own, ownKey) }
    self.other = { JoinColumn(other, otherKey) }
  }

  /// A value as a key. In generic code an optional type may come here, so nil is looked for.
  private static func whole<Key: Hashable>(_ value: Key) -> AnyHashable? {
    FlatValue.of(value) == nil ? nil : AnyHashable(value)
  }

  /// The value of one model is that of the other.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: Self.whole, otherKey: Self.whole)
  }

  /// The value of one model is that of the other; a model whose value is nil has no partner.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: { $0.map(AnyHashable.init) }, otherKey: Self.whole)
  }

  /// The value of one model is that of the other; another model whose value is nil has no partner.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: Self.whole, otherKey: { $0.map(AnyHashable.init) })
  }

  /// The value of one model is that of the other; nil is equal to nothing, also not to nil.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: { $0.map(AnyHashable.init) }, otherKey: { $0.map(AnyHashable.init) })
  }
}

/// A column whose values are compared with those of another model.
class AnyJoinColumn<Model: PersistentModel>: AnySelectedColumn<Model> {
  func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable? { preconditionFailure("a column of a join has keys") }
}

final class JoinColumn<Model: PersistentModel, Known>: AnyJoinColumn<Model> {
  private let column: SelectedColumn<Model, Known>
  private let hashable: (Known) -> AnyHashable?

  init(_ keyPath: KeyPath<Model, Known>, _ hashable: @escaping (Known) -> AnyHashable?) {
    column = SelectedColumn(keyPath)
    self.hashable = hashable
    super.init(keyPath)
  }

  override var number: Int {
    get { column.number }
    set { column.number = newValue }
  }
  override func placed(_ map: EntityMap, _ store: GraphStore) -> PlacedPath? {
    let found = column.placed(map, store)
    // A type may have an equality of its own, which what is stored does not.
    kind = Constant.isComparedByValue(Known.self) ? column.kind : nil
    return found
  }
  override func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable? { try hashable(row.value(column)) }
}
