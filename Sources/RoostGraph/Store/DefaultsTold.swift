internal import RoostFile

/// The properties of a store for which it was reported that a getter returned a default.
///
/// Unchecked because of `told`, which is accessed under the lock.
final class DefaultsTold: @unchecked Sendable {
  private struct Place: Hashable {
    var map: Int
    var property: Int
  }

  private let lock = Lock()
  private var told: Set<Place> = []

  func isNew(_ map: Int, _ property: Int) -> Bool {
    lock.withLock { told.insert(Place(map: map, property: property)).inserted }
  }
}
