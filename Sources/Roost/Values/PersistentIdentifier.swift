internal import Foundation
package import RoostGraph

/// Identifies a model of a store.
///
/// A model gets its row's number, and so its identifier, when it is inserted, and keeps it. Before
/// its save the identifier names no store, but is equal to the later one. A model without a context
/// has a temporary number, which is valid in this process only.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable, CustomDebugStringConvertible
{
  /// The parts that distinguish identifiers.
  public struct ID: Hashable, Sendable {
    fileprivate let store: String?
    fileprivate let entity: String
    fileprivate let key: Key
  }

  package typealias Key = IdentifierKey

  /// The name of the model's class in the store.
  public let entityName: String
  package let key: Key
  /// The store of the model, or the one that it will be saved in.
  package let store: String?
  private let isSaved: Bool

  package init(store: String?, entity: String, _ key: Key, isSaved: Bool = true) {
    self.store = store
    entityName = entity
    self.key = key
    self.isSaved = isSaved
  }

  /// The store of the model; nil before it is saved.
  public var storeIdentifier: String? { isSaved ? store : nil }

  /// The store, the entity and the number of the model, as one value.
  public var id: ID { ID(store: store, entity: entityName, key: key) }

  public static func == (one: PersistentIdentifier, other: PersistentIdentifier) -> Bool {
    one.key == other.key && one.entityName == other.entityName && one.store == other.store
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    // A UUID is unique without the entity.
    if case .uuid = key { return }
    hasher.combine(entityName)
  }

  /// Makes the identifier of a model in a store of your program's own.
  ///
  /// - Throws: nothing. SwiftData declares it as throwing.
  public static func identifier<T>(for storeIdentifier: String, entityName: String, primaryKey: T) throws
    -> PersistentIdentifier where T: Comparable & CustomStringConvertible & Decodable & Encodable & Hashable
  { PersistentIdentifier(store: storeIdentifier, entity: entityName, Key(text: primaryKey.description)) }

  public static func < (one: PersistentIdentifier, other: PersistentIdentifier) -> Bool {
    if one.entityName != other.entityName { return one.entityName < other.entityName }
    if one.store != other.store { return (one.store ?? "") < (other.store ?? "") }
    return switch (one.key, other.key) {
    case (.row(let one), .row(let other)), (.temporary(let one), .temporary(let other)): one < other
    default:
      if let one = one.key.text, let other = other.key.text { one < other } else { one.rank < other.rank }
    }
  }

  private var rank: Int {
    switch key {
    case .row: 0
    case .temporary: 1
    case .text, .uuid: 2
    }
  }

  /// `Person #7`: the class and the number of the row, or the key in a store of your program's own.
  public var debugDescription: String { "\(entityName) \(key)" }

  // MARK: Coding

  /// The names of an older coded form, which is still read.
  private enum CodingKeys: String, CodingKey { case store, saved, entity, row, temporary, text }

  /// The kind of an identifier's key, in the coded form.
  private enum KeyKind: String, Codable { case row, temporary, text }

  public init(from decoder: any Decoder) throws {
    if let values = try? decoder.unkeyedContainer() {
      try self.init(list: values)
    } else {
      try self.init(named: decoder)
    }
  }

  private init(list: any UnkeyedDecodingContainer) throws {
    var values = list
    entityName = try values.decode(String.self)
    key =
      switch try values.decode(KeyKind.self) {
      case .row: .row(try values.decode(UInt64.self))
      case .temporary: .temporary(try values.decode(UInt64.self))
      case .text: Key(text: try values.decode(String.self))
      }
    store = values.isAtEnd ? nil : try values.decodeIfPresent(String.self)
    isSaved = values.isAtEnd ? true : try values.decode(Bool.self)
  }

  private init(named decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    store = try values.decodeIfPresent(String.self, forKey: .store)
    isSaved = try values.decodeIfPresent(Bool.self, forKey: .saved) ?? true
    entityName = try values.decode(String.self, forKey: .entity)
    if let row = try values.decodeIfPresent(UInt64.self, forKey: .row) {
      key = .row(row)
    } else if let number = try values.decodeIfPresent(UInt64.self, forKey: .temporary) {
      key = .temporary(number)
    } else {
      key = Key(text: try values.decode(String.self, forKey: .text))
    }
  }

  /// Writes an array, such as `["Person", "row", 7, "A1B2…"]`: encoders write the members of an
  /// object in any order, and equal identifiers must have equal bytes.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(entityName)
    switch key {
    case .row(let row):
      try values.encode(KeyKind.row)
      try values.encode(row)
    case .temporary(let number):
      try values.encode(KeyKind.temporary)
      try values.encode(number)
    case .text, .uuid:
      try values.encode(KeyKind.text)
      try values.encode(key.text)
    }
    if store == nil, isSaved { return }
    if let store { try values.encode(store) } else { try values.encodeNil() }
    if !isSaved { try values.encode(false) }
  }
}
