internal import RoostGraph
internal import Synchronization

extension PersistentModel {
  /// The identifier of the model. A model without a context has a temporary identifier that is
  /// valid in this process only.
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

  /// Whether the model has unsaved changes.
  public nonisolated var hasChanges: Bool { graphContext != nil && isPending }

  /// Whether the model was deleted. True also before the deletion is saved.
  public nonisolated var isDeleted: Bool { isMarkedDeleted }
}

/// The numbers begin at a random value, so that two processes hardly ever use the same one. They
/// stay small enough for the integers of other languages.
private let temporaryNumbers = Atomic<UInt64>(UInt64.random(in: 0..<1 << 52))
