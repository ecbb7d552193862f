/// A property's name as a coding key, for images that other encoders and decoders code.
package struct ImageKey: CodingKey, Hashable {
  package let stringValue: String

  package init(_ name: String) { stringValue = name }
  package init(stringValue: String) { self.stringValue = stringValue }

  package var intValue: Int? { nil }
  package init?(intValue: Int) { nil }

  static func unreadable(_ key: ImageKey) -> any Error {
    EncodingError.invalidValue(
      key.stringValue,
      .init(
        codingPath: [key],
        debugDescription: "\(key.stringValue) cannot be coded: its type is not Codable here, or it has no valid value"))
  }
}

extension KeyedEncodingContainer<ImageKey> {
  /// Encodes a value whose conformance the compiler does not know.
  mutating func encode<Value>(any value: Value, _ key: ImageKey) throws {
    guard let type = Value.self as? any Encodable.Type else { throw ImageKey.unreadable(key) }
    try encode(value, as: type, key)
  }

  private mutating func encode<Known: Encodable>(_ value: Any, as type: Known.Type, _ key: ImageKey) throws {
    guard let value = value as? Known else { throw ImageKey.unreadable(key) }
    try encode(value, forKey: key)
  }
}

extension KeyedDecodingContainer<ImageKey> {
  func decode<Value>(any type: Value.Type, _ key: ImageKey) throws -> Value {
    guard let known = type as? any Decodable.Type, let value = try decode(known: known, key) as? Value else {
      throw ImageKey.unreadable(key)
    }
    return value
  }

  private func decode<Known: Decodable>(known type: Known.Type, _ key: ImageKey) throws -> Any {
    try decode(type, forKey: key)
  }
}
