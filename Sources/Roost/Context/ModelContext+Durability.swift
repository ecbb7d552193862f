internal import RoostGraph

extension ModelContext {
  /// When a save has succeeded.
  public enum Durability: Sendable {
    /// When it is on the disk: nothing that was saved is lost.
    case full
    /// When others can see it. A crash may lose the newest saves; it loses them whole and keeps their order.
    case relaxed
  }

  /// What ``save()`` waits for. An import of many thousand models that can be begun anew is quicker with `relaxed`.
  public var durability: Durability {
    get { state.durability }
    set { state.durability = newValue }
  }
}
