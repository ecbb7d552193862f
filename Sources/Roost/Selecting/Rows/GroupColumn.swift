internal import RoostGraph

/// The key of groups.
class AnyGroupColumn<Model: PersistentModel>: AnySelectedColumn<Model> {
  func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable { preconditionFailure("a group has a key") }
}

final class GroupColumn<Model: PersistentModel, Key: Hashable>: AnyGroupColumn<Model> {
  private let column: SelectedColumn<Model, Key>
  override var number: Int {
    get { column.number }
    set { column.number = newValue }
  }

  init(_ keyPath: KeyPath<Model, Key>) {
    column = SelectedColumn(keyPath)
    super.init(keyPath)
  }

  override func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? { column.placed(map, graph) }
  override func key(_ row: SelectRun<Model>.Row) throws -> AnyHashable { AnyHashable(try row.value(column)) }
}
