internal import RoostFile
internal import RoostGraph
internal import RoostRecords
internal import RoostText

/// The full text index that a class declares or inherits, for searches without a store.
final class FullTextRules: Sendable {
  let definition: TextIndex
  private let names: [String]
  /// The key paths of the properties. Unchecked because a key path never changes.
  nonisolated(unsafe) private let keyPaths: [AnyKeyPath]

  private init(_ property: any FullTextProperty, _ type: _ModelType) {
    let fullText = property.fullText
    names = fullText.names
    definition = TextIndex(
      analyzer: fullText.analyzer, fields: names.map { FullTextIndex.spoken(type.fieldName(ofPath: $0)) })
    keyPaths = property.keyPaths
  }

  /// Returns the texts of a model, in the order of the index.
  func texts(_ model: some PersistentModel) -> [String?] {
    keyPaths.map { keyPath in
      let value = (model as Any)[keyPath: keyPath]
      return value as? String
    }
  }

  /// Returns the index of a property in the full text index; nil if it is not in it.
  func place<Model: PersistentModel>(of keyPath: PartialKeyPath<Model>) -> Int? {
    // The key path of a subclass is a different one.
    names.firstIndex(of: Schema.names([keyPath])[0])
  }

  // MARK: Classes

  /// Returns the rules of a class; nil if neither it nor a superclass declares a full text index.
  static func of(_ type: _ModelType) -> FullTextRules? {
    let key = ObjectIdentifier(type)
    if let known = shelf.lock.withLock({ shelf.rules[key] }) { return known }
    let found = make(type)
    shelf.lock.withLock { shelf.rules[key] = .some(found) }
    return found
  }

  private static func make(_ type: _ModelType) -> FullTextRules? {
    guard let model = type.model as? any PersistentModel.Type else { return nil }
    for property in model.schemaMetadata {
      guard let text = property.metadata?.asFullText, text.faults.isEmpty, text.fullText.analyzer.mode == .words else {
        continue
      }
      return FullTextRules(text, type)
    }
    return type.superType.flatMap { of($0) }
  }

  /// Unchecked because the lock guards `rules`.
  private final class Shelf: @unchecked Sendable {
    let lock = Lock()
    var rules: [ObjectIdentifier: FullTextRules?] = [:]
  }

  private static let shelf = Shelf()
}
