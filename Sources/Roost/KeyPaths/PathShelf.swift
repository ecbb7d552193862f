internal import RoostFile
internal import RoostGraph

/// What was found out about key paths, once for the program.
///
/// Unchecked because of what is found, which is read and written under the lock.
final class PathShelf: @unchecked Sendable {
  static let shared = PathShelf()

  /// Composed key paths are equal to none but themselves, so a program can make any number of them.
  private static let most = 4096

  private let lock = Lock()
  private var paths: [AnyKeyPath: PropertyPath?] = [:]
  private var components: [ObjectIdentifier: [[[KeyPathComponent]]]] = [:]

  /// Where a key path leads; nil where only the key path itself knows.
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
    if ComputedPath.find(in: keyPath) != nil { return }
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
