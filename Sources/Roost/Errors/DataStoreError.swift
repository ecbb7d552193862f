/// What a store of the program's own says it cannot do. Roost's own stores can do all of it, and throw ``RoostError``.
public enum DataStoreError: Error, Hashable, Sendable {
  case unsupportedFeature
  case preferInMemoryFilter
  case preferInMemorySort
  case invalidPredicate
}
