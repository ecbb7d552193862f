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

  /// The value of one model is that of the other.
  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: { AnyHashable($0) }, otherKey: { AnyHashable($0) })
  }

  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key?>, _ other: KeyPath<Other, Key>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: { $0.map(AnyHashable.init) }, otherKey: { AnyHashable($0) })
  }

  public static func equal<Key: Hashable & Sendable>(
    _ own: KeyPath<Model, Key>, _ other: KeyPath<Other, Key?>
  ) -> JoinKey {
    JoinKey(own, other, ownKey: { AnyHashable($0) }, otherKey: { $0.map(AnyHashable.init) })
  }

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
    super.init(column.path)
  }

  override var number: Int {
    get { column.number }
    set { column.number = newValue }
  }
  override func placed(_ map: EntityMap, _ store: GraphStore) -> PlacedPath? {
    let found = column.placed(map, store)
    kind = column.kind
    return found
  }
  override func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable? { try hashable(row.value(column)) }
}
