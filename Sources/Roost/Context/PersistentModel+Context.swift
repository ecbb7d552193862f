internal import RoostGraph

extension PersistentModel {
  /// The context that the model is in; nil for one that was never inserted, or whose deletion was saved.
  public nonisolated var modelContext: ModelContext? {
    if isGone { return nil }
    return (graphContext?.owner as? ContextState)?.context
  }
}
