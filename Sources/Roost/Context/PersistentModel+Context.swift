internal import RoostGraph

extension PersistentModel {
  /// The context of the model. Nil if the model was never inserted, or its deletion was saved.
  public nonisolated var modelContext: ModelContext? {
    if isGone { return nil }
    return (graphContext?.owner as? ContextState)?.context
  }
}
