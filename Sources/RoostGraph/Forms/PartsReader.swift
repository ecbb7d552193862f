/// The decoder that gives a struct its parts.
final class PartsReader: Decoder {
  enum Origin {
    /// Made-up values: see ``Recorder``.
    case nothing
    case row(UnsafeMutablePointer<_RowSource>, Int)
    case values([Any])
  }

  struct Missing: Error, CustomStringConvertible {
    var name: String
    var description: String { "the part \(name) is missing, or of another type" }
  }

  private let parts: [AnyCoder.Part]
  private let isSingle: Bool
  private let origin: Origin
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ parts: [AnyCoder.Part], _ isSingle: Bool, origin: Origin) {
    self.parts = parts
    self.isSingle = isSingle
    self.origin = origin
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if isSingle { throw Missing(name: "with keys") }
    return KeyedDecodingContainer(Keyed<Key>(reader: self))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    if !isSingle { throw Missing(name: "that is one value") }
    return Single(reader: self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Missing(name: "that is a list") }

  private func number(_ name: String) -> Int? { parts.firstIndex { $0.name == name } }

  func isThere(_ name: String) -> Bool { number(name) != nil }

  func isNil(_ name: String) -> Bool {
    guard let number = number(name) else { return true }
    switch origin {
    case .nothing: return parts[number].coder.form.isOptional
    case .row(let source, let first):
      return parts[number].coder.form.isOptional && source.pointee._isNull(first + number)
    case .values(let values): return (values[number] as? any Nillable)?.isNone ?? false
    }
  }

  /// A part of the type with which it was found.
  func value<Value>(_ name: String, _ type: Value.Type) throws -> Value {
    guard let number = number(name) else { throw Missing(name: name) }
    let coder = parts[number].coder
    if coder.valueType == Value.self {
      if let value = take(unsafeDowncast(coder, to: Coder<Value>.self), number) { return value }
    } else if coder.takes(Value.self) {
      if let value = take(unsafeDowncast(coder, to: Coder<Value?>.self), number) ?? nil { return value }
    }
    throw Missing(name: name)
  }

  /// A part that may be nil.
  func optional<Value>(_ name: String, _ type: Value.Type) throws -> Value? {
    guard let number = number(name) else { return nil }
    let coder = parts[number].coder
    if coder.valueType == Value.self {
      guard let value = take(unsafeDowncast(coder, to: Coder<Value>.self), number) else { throw Missing(name: name) }
      return value
    }
    guard coder.takes(Value.self), let value = take(unsafeDowncast(coder, to: Coder<Value?>.self), number) else {
      throw Missing(name: name)
    }
    return value
  }

  private func take<Value>(_ coder: Coder<Value>, _ number: Int) -> Value? {
    switch origin {
    case .nothing: coder.madeUpPart
    case .row(let source, let first): coder.take(from: &source.pointee, at: first + number)
    case .values(let values): values[number] as? Value
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: PartsReader
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] { reader.parts.compactMap { Key(stringValue: $0.name) } }
    func contains(_ key: Key) -> Bool { reader.isThere(key.stringValue) && !reader.isNil(key.stringValue) }
    func decodeNil(forKey key: Key) throws -> Bool { reader.isNil(key.stringValue) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try reader.value(key.stringValue, type)
    }

    func present<Value>(_ type: Value.Type, _ key: Key) throws -> Value? { try reader.optional(key.stringValue, type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      try present(type, key)
    }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(type, key) }

    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { throw Missing(name: key.stringValue) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw Missing(name: key.stringValue)
    }
    func superDecoder() throws -> any Decoder { throw Missing(name: "super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Missing(name: key.stringValue) }
  }

  private struct Single: SingleValueDecodingContainer {
    let reader: PartsReader
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { reader.isNil("") }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try reader.value("", type) }
  }
}

private protocol Nillable {
  var isNone: Bool { get }
}

extension Optional: Nillable {
  fileprivate var isNone: Bool { self == nil }
}
