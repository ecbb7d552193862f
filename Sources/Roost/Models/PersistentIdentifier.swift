internal import Foundation

/// Which model of which store.
///
/// One that was not saved yet has no store; its number is its own, in this process.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// What makes one identifier another than the next.
  public struct ID: Hashable, Sendable {
    fileprivate let store: String?
    fileprivate let entity: String
    fileprivate let key: Key
  }

  package enum Key: Hashable, Sendable {
    /// A row's number.
    case row(UInt64)
    /// The number of an object that has no row.
    case temporary(UInt64)
    /// The key of a store that is not ours.
    case text(String)
  }

  public let entityName: String
  public let storeIdentifier: String?
  package let key: Key

  package init(store: String?, entity: String, _ key: Key) {
    storeIdentifier = store
    entityName = entity
    self.key = key
  }

  public var id: ID { ID(store: storeIdentifier, entity: entityName, key: key) }

  /// The identifier of a model in a store of the program's own.
  public static func identifier<T>(for storeIdentifier: String, entityName: String, primaryKey: T) throws
    -> PersistentIdentifier where T: Comparable & CustomStringConvertible & Decodable & Encodable & Hashable
  { PersistentIdentifier(store: storeIdentifier, entity: entityName, .text(primaryKey.description)) }

  public static func < (one: PersistentIdentifier, other: PersistentIdentifier) -> Bool {
    if one.entityName != other.entityName { return one.entityName < other.entityName }
    if one.storeIdentifier != other.storeIdentifier {
      return (one.storeIdentifier ?? "") < (other.storeIdentifier ?? "")
    }
    return switch (one.key, other.key) {
    case (.row(let one), .row(let other)), (.temporary(let one), .temporary(let other)): one < other
    case (.text(let one), .text(let other)): one < other
    default: one.rank < other.rank
    }
  }

  private var rank: Int {
    switch key {
    case .row: 0
    case .temporary: 1
    case .text: 2
    }
  }

  // MARK: Coding

  private enum CodingKeys: String, CodingKey { case store, entity, row, temporary, text }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    storeIdentifier = try values.decodeIfPresent(String.self, forKey: .store)
    entityName = try values.decode(String.self, forKey: .entity)
    if let row = try values.decodeIfPresent(UInt64.self, forKey: .row) {
      key = .row(row)
    } else if let number = try values.decodeIfPresent(UInt64.self, forKey: .temporary) {
      key = .temporary(number)
    } else {
      key = .text(try values.decode(String.self, forKey: .text))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(storeIdentifier, forKey: .store)
    try values.encode(entityName, forKey: .entity)
    switch key {
    case .row(let row): try values.encode(row, forKey: .row)
    case .temporary(let number): try values.encode(number, forKey: .temporary)
    case .text(let text): try values.encode(text, forKey: .text)
    }
  }
}
