#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif
internal import Observation

/// Finds out whether the caller runs inside `withObservationTracking`.
///
/// Observation has no function for that. But outside a tracking `access` does nothing, and inside
/// it inserts the key path into a set. So the probe calls `access` with a key path whose hash
/// function is defined here, and sees whether the set called it. If a later version of Observation
/// works differently, models outside the main context are observed only if the program requests it.
///
/// A tracking that the probe finds keeps the probe's registrar until it ends.
final class ObservationProbe {
  private final class Subject: Observable, Sendable {
    subscript(mark: Mark) -> Int { 0 }
  }

  private struct Mark: Hashable {
    func hash(into hasher: inout Hasher) {
      pthread_setspecific(ObservationProbe.key, UnsafeMutableRawPointer(bitPattern: 1))
      hasher.combine(0)
    }
  }

  /// A value per thread that is not nil if the set called the hash function.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static let subject = Subject()
  // Unsafe, because a key path never changes, and this one contains no value.
  private nonisolated(unsafe) static let keyPath: KeyPath<Subject, Int> = \Subject.[Mark()]

  private let registrar = ObservationRegistrar()

  var isTracking: Bool {
    pthread_setspecific(Self.key, nil)
    registrar.access(Self.subject, keyPath: Self.keyPath)
    return pthread_getspecific(Self.key) != nil
  }
}
