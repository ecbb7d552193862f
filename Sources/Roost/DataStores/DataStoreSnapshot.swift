/// The values of one model, as a store and a context exchange them.
///
/// A context reads a snapshot through its coding: under `persistentIdentifier` the identifier, and under the name of each property its value,
/// or the identifiers of the models that a relationship references. See ``DataStoreSnapshotCodingKey``.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The model whose values these are.
  var persistentIdentifier: PersistentIdentifier { get }

  /// The values of a model that is saved. `backingData` has them by key path, and its `persistentModelID` is not nil.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// This snapshot under another identifier. Identifiers in relationships are replaced as `remappedIdentifiers` says.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// This snapshot under another identifier.
  public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}

/// A value that a snapshot can hold.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys by which a snapshot is coded.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, CustomDebugStringConvertible {
  /// The identifier of the model.
  case persistentIdentifier
  /// A property of the model, by its name.
  case modeledProperty(String)

  /// The key of a name; each name except `persistentIdentifier` is a property's.
  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Nil: properties have no numbers.
  public init?(intValue: Int) { nil }

  /// The name under which the value is coded.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// Nil: properties have no numbers.
  public var intValue: Int? { nil }
  public var debugDescription: String { stringValue }
}
