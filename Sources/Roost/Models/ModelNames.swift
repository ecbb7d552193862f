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

  /// The classes that identifiers name while a store of a program's own is called: those of its container.
  @TaskLocal static var current: [String: _ModelType] = [:]

  /// The class that an identifier names.
  func type(of identifier: PersistentIdentifier) throws -> _ModelType {
    let name = identifier.entityName
    if let type = Self.current[name] ?? lock.withLock({ types[name]?.last }) { return type }
    throw RoostError(.unknownModel, "\(name) is the name of no model: make a container for it first")
  }

  /// The class of this name that is another one, or inherits from it.
  func type(_ name: String, _ base: _ModelType) -> _ModelType? {
    if base.name == name { return base }
    return lock.withLock { types[name] }?.first { $0.isKind(of: base) }
  }
}
