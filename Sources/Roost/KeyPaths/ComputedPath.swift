internal import RoostFile
internal import RoostGraph

/// A value that a program computes from a model, without its types: see `Computed`.
protocol AnyComputed: AnyObject {
  /// The name of the value in error messages.
  var text: String { get }
  /// Returns the engine's form of the value; nil if only the program can compute it.
  func measured(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath?
}

/// Finds the computed value in a key path such as `\Bill.[year]`.
///
/// Swift keeps the argument of a subscript in the key path, as a reference in the component. This
/// list says which words in key paths are references to living objects of Roost. The key path owns
/// its argument, so an object that is found in one is alive.
///
/// Unchecked because the lock guards the list.
final class ComputedPath: @unchecked Sendable {
  static let shared = ComputedPath()

  private let lock = Lock()
  private var known: Set<UInt> = []

  func add(_ object: any AnyComputed) { lock.withLock { _ = known.insert(Self.word(object)) } }
  func remove(_ object: any AnyComputed) { lock.withLock { _ = known.remove(Self.word(object)) } }

  private static func word(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// The computed value at which a key path ends; nil for other key paths.
  static func find(in keyPath: AnyKeyPath) -> (any AnyComputed)? { shared.find(keyPath) }

  /// Whether a key path contains a computed value, also after other properties.
  static func isInside(_ keyPath: AnyKeyPath) -> Bool {
    // A program without computed values makes no set.
    if shared.lock.withLock({ shared.known.isEmpty }) { return false }
    let known = shared.lock.withLock { shared.known }
    return KeyPathComponent.words(of: keyPath).contains { known.contains($0) }
  }

  private func find(_ keyPath: AnyKeyPath) -> (any AnyComputed)? {
    if lock.withLock({ known.isEmpty }) { return nil }
    return withExtendedLifetime(keyPath) {
      for word in KeyPathComponent.arguments(of: keyPath) where lock.withLock({ known.contains(word) }) {
        guard let place = UnsafeRawPointer(bitPattern: word) else { continue }
        return Unmanaged<AnyObject>.fromOpaque(place).takeUnretainedValue() as? any AnyComputed
      }
      return nil
    }
  }
}
