internal import RoostGraph

extension ModelContext {
  /// When a save returns.
  public enum Durability: Sendable {
    /// After the changes are on the disk: a crash loses nothing that was saved.
    case full
    /// After other contexts can see the changes. A crash may lose the newest saves; it loses whole
    /// saves and keeps their order.
    case relaxed
  }

  /// The durability that ``save()`` waits for. An import of many thousand models that you can
  /// repeat is faster with `relaxed`.
  public var durability: Durability {
    get { state.durability }
    set { state.durability = newValue }
  }
}
