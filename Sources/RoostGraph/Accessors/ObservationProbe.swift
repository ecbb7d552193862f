#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif
internal import Observation

/// Finds out whether the caller runs inside of `withObservationTracking`.
///
/// Observation has no question for that. But outside of a tracking `access` does nothing, and inside it puts the key path into a set.
/// So the probe asks for access to a key path whose hash is computed here, and sees whether the set asked for it. Where a later
/// Observation does otherwise, models outside of the main context are observed only where a program asks for it.
///
/// A tracking that is found holds the probe's registrar until it ends.
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

  /// What each thread has there is not nil where the set asked for the hash.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private static let subject = Subject()
  // Unsafe, because a key path is never changed, and this one holds nothing.
  private nonisolated(unsafe) static let keyPath: KeyPath<Subject, Int> = \Subject.[Mark()]

  private let registrar = ObservationRegistrar()

  var isTracking: Bool {
    pthread_setspecific(Self.key, nil)
    registrar.access(Self.subject, keyPath: Self.keyPath)
    return pthread_getspecific(Self.key) != nil
  }
}
