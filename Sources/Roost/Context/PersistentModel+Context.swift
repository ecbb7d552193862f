internal import RoostGraph

extension PersistentModel {
  /// The context of the model. Nil if the model was never inserted, or its deletion was saved.
  ///
  /// For the model of a bulk write's closure, and for one that `validate` gets after a merge, it is
  /// the context that writes. Fetches there show what that context shows.
  public nonisolated var modelContext: ModelContext? {
    if isGone { return nil }
    return ((graphContext ?? scratchContext)?.owner as? ContextState)?.context
  }
}
