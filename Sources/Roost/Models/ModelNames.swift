internal import RoostFile
internal import RoostGraph

/// The classes of the program's models by name. A type lives as long as the program.
///
/// Unchecked because the lock guards `types`.
final class ModelNames: @unchecked Sendable {
  static let shared = ModelNames()
  private let lock = Lock()
  private var types: [String: [_ModelType]] = [:]

  func add(_ type: _ModelType) { lock.withLock { types[type.name, default: []].append(type) } }

  /// The classes of identifiers during a call to a store of the program's own: those of its
  /// container.
  @TaskLocal static var current: [String: _ModelType] = [:]

  /// Returns the class of an identifier's entity.
  func type(of identifier: PersistentIdentifier) throws -> _ModelType {
    let name = identifier.entityName
    if let type = Self.current[name] ?? lock.withLock({ types[name]?.last }) { return type }
    throw RoostError(.unknownModel, "\(name) is the name of no model: make a container for it first")
  }

  /// Returns the class of this name that is `base` or a subclass of it.
  func type(_ name: String, _ base: _ModelType) -> _ModelType? {
    if base.name == name { return base }
    return lock.withLock { types[name] }?.first { $0.isKind(of: base) }
  }
}
