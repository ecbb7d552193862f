internal import RoostFile
internal import RoostGraph

/// Caches the properties of key paths for the whole program.
///
/// Unchecked because the lock guards the cache.
final class PathShelf: @unchecked Sendable {
  static let shared = PathShelf()

  /// Composed key paths equal none but themselves, so a program can make any number of them.
  private static let most = 4096

  private let lock = Lock()
  private var paths: [AnyKeyPath: PropertyPath?] = [:]
  private var components: [ObjectIdentifier: [[[KeyPathComponent]]]] = [:]

  /// The property of a key path; nil if only the key path itself can read its value.
  func path(_ keyPath: AnyKeyPath) -> PropertyPath? {
    if let known = lock.withLock({ paths[keyPath] }) { return known }
    let found = PathFinder.path(keyPath)
    lock.withLock {
      if paths.count >= Self.most { paths = [:] }
      paths[keyPath] = .some(found)
    }
    return found
  }

  /// Throws if reading a key path would end the program at nil.
  func checkUse(_ keyPath: AnyKeyPath) throws {
    if ComputedPath.isInside(keyPath) {
      if ComputedPath.find(in: keyPath) != nil { return }
      throw SwiftDataError.unsupportedKeyPath.about(
        "a computed value follows a property: make the computed value of the whole path, such as Computed(\\.place?.city) { … }"
      )
    }
    let path = path(keyPath)
    guard path?.isForced ?? (KeyPathComponent.all(of: keyPath)?.contains(.force) == true) else { return }
    let text = path.map { "\($0.root.name).\($0.names.joined(separator: "!."))" } ?? "\(keyPath)"
    throw SwiftDataError.unsupportedKeyPath.about("\(text) would end the program at nil: write ?. instead of !.")
  }

  func properties(_ type: _ModelType) -> [[[KeyPathComponent]]] {
    if let known = lock.withLock({ components[ObjectIdentifier(type)] }) { return known }
    let found = KeyPathEnds.properties(type)
    lock.withLock { components[ObjectIdentifier(type)] = found }
    return found
  }
}
