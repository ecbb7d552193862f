internal import RoostGraph
internal import Synchronization

extension PersistentModel {
  /// Which model it is. One that was never saved has an identifier of this process.
  public nonisolated var persistentModelID: PersistentIdentifier {
    let entity = Self._$type.name
    if _$state.row != 0 { return PersistentIdentifier(store: nil, entity: entity, .row(_$state.row)) }
    let extras = _$state.takeExtras()
    if extras.temporaryNumber == 0 {
      extras.temporaryNumber = temporaryNumbers.add(1, ordering: .relaxed).newValue
    }
    return PersistentIdentifier(store: nil, entity: entity, .temporary(extras.temporaryNumber))
  }

  public nonisolated var id: PersistentIdentifier { persistentModelID }
}

private let temporaryNumbers = Atomic<UInt64>(0)
