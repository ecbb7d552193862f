/// Says what a store of your program's own cannot do. Roost's own stores support everything, and
/// throw ``RoostError``.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store, or the call, cannot do this at all. A context passes the error on.
  case unsupportedFeature
  /// The store cannot test this predicate. The context asks again for all models of the class and tests them itself.
  case preferInMemoryFilter
  /// The store cannot sort by this. The context asks again without the order, and sorts the models itself.
  case preferInMemorySort
  /// The predicate is wrong for this store, and testing in memory would not help. A context passes the error on.
  case invalidPredicate
}
