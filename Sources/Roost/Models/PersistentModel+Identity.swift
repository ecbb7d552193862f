internal import RoostGraph
internal import Synchronization

extension PersistentModel {
  /// Which model it is. One that is in no context has an identifier of this process.
  public nonisolated var persistentModelID: PersistentIdentifier {
    let entity = type(of: self)._$type.name
    if _$state.row != 0, let store = graphContext?.store ?? scratchStore {
      return store.identifier(entity, _$state.row, isSaved: isStored)
    }
    let extras = _$state.takeExtras()
    if extras.temporaryNumber == 0 {
      extras.temporaryNumber = temporaryNumbers.add(1, ordering: .relaxed).newValue
    }
    return PersistentIdentifier(store: nil, entity: entity, .temporary(extras.temporaryNumber))
  }

  /// The model's ``persistentModelID``. A class may have an `id` of its own instead.
  public nonisolated var id: PersistentIdentifier { persistentModelID }

  /// Whether it differs from what is stored.
  public nonisolated var hasChanges: Bool { graphContext != nil && isPending }

  /// Whether it was deleted, also before that is saved.
  public nonisolated var isDeleted: Bool { isMarkedDeleted }
}

/// They begin anywhere, so that two processes hardly ever give the same one; and stay small enough for the numbers of other languages.
private let temporaryNumbers = Atomic<UInt64>(UInt64.random(in: 0..<1 << 52))
