/// The values of one model, as a store and a context exchange them.
///
/// A context reads a snapshot through its coding. The key `persistentIdentifier` has the
/// identifier. The name of each property has its value, or the identifiers of the models that a
/// relationship references. See ``DataStoreSnapshotCodingKey``.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identifier of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Makes a snapshot of a model that is saved. `backingData` has its values by key path, and its
  /// `persistentModelID` is not nil.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns this snapshot with another identifier. `remappedIdentifiers` replaces identifiers in
  /// relationships.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// Returns this snapshot with another identifier.
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

  /// Makes the key of a name. Each name except `persistentIdentifier` is a property's.
  public init?(stringValue: String) {
    self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Returns nil, because properties have no numbers.
  public init?(intValue: Int) { nil }

  /// The name of the key.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// Nil, because properties have no numbers.
  public var intValue: Int? { nil }
  public var debugDescription: String { stringValue }
}
