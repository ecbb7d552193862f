internal import RoostFile
internal import RoostGraph

/// The classes of the program's models by name. A type lives as long as the program.
///
/// Unchecked because of `types`, which is read and written under the lock.
final class ModelNames: @unchecked Sendable {
  static let shared = ModelNames()
  private let lock = Lock()
  private var types: [String: [_ModelType]] = [:]

  func add(_ type: _ModelType) { lock.withLock { types[type.name, default: []].append(type) } }

  /// The class of this name that is another one, or inherits from it.
  func type(_ name: String, _ base: _ModelType) -> _ModelType? {
    if base.name == name { return base }
    return lock.withLock { types[name] }?.first { $0.isKind(of: base) }
  }
}
