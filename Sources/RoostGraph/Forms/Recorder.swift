/// A decoder that finds the parts of a struct by the values that the struct asks for.
///
/// The struct's `init(from:)` runs once for each type, when the program makes the first container
/// with models that have such a property. It gets made-up values: false, 0, "0", nil, and empty
/// collections. If it throws an error, its type is stored as one self-describing value. If it
/// traps, the program ends. So the text is not empty: `Character(text)` and `Int(text)!` trap at an
/// empty one.
///
/// This cannot wait for a value of the program. The parts are fields of the catalog, where indexes
/// and predicates find them, and the catalog is made before the first value. The encoder of a
/// declared default would show only the parts of that value: a type that writes other parts for
/// other values is stored as one value, and a default would hide that.
final class Recorder: Decoder {
  /// Stops the search: the struct is stored as one value.
  struct Stop: Error {}

  enum Shape { case none, keyed, single }

  let search: CoderSearch
  private(set) var shape = Shape.none
  private(set) var parts: [AnyCoder.Part] = []
  private(set) var isOdd = false
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ search: CoderSearch) { self.search = search }

  /// The parts of a struct.
  struct Parts<Value> {
    var shape: Shape
    var parts: [AnyCoder.Part]
    /// A value made of made-up parts, for comparison.
    var sample: Value
  }

  static func parts<Value: Codable>(of type: Value.Type, _ search: CoderSearch) -> Parts<Value>? {
    let recorder = Recorder(search)
    guard let sample = try? Value(from: recorder), !recorder.isOdd, !recorder.parts.isEmpty else { return nil }
    return Parts(shape: recorder.shape, parts: recorder.parts, sample: sample)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    take(.keyed)
    return KeyedDecodingContainer(Keyed<Key>(recorder: self))
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    take(.single)
    return Single(recorder: self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw odd() }

  private func take(_ new: Shape) {
    if shape != .none, shape != new || new == .single { isOdd = true }
    shape = new
  }

  func odd() -> Stop {
    isOdd = true
    return Stop()
  }

  /// Records a part and returns its coder.
  func note<Value>(_ name: String, _ type: Value.Type) throws -> Coder<Value> {
    guard let coder = search.coder(of: type), coder.field != nil || !coder.parts.isEmpty else { throw odd() }
    if let known = parts.first(where: { $0.name == name }) {
      guard known.coder === coder else { throw odd() }
    } else {
      parts.append(AnyCoder.Part(name: name, coder: coder))
    }
    return coder
  }

  func any<Value>(_ name: String, _ type: Value.Type) throws -> Value {
    guard let value = try note(name, type).madeUpPart else { throw odd() }
    return value
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: Recorder
    let codingPath: [any CodingKey] = []

    /// A type that reads the keys chooses its parts by them, so it is stored as one value.
    var allKeys: [Key] {
      _ = recorder.odd()
      return []
    }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try recorder.any(key.stringValue, type)
    }

    func absent<Value>(_ type: Value.Type, _ key: Key) throws -> Value? {
      _ = try recorder.note(key.stringValue, Value?.self)
      return nil
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      try absent(type, key)
    }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try absent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try absent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try absent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try absent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try absent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try absent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try absent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try absent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try absent(type, key) }

    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { throw recorder.odd() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw recorder.odd() }
    func superDecoder() throws -> any Decoder { throw recorder.odd() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw recorder.odd() }
  }

  private struct Single: SingleValueDecodingContainer {
    let recorder: Recorder
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool {
      _ = recorder.odd()
      return true
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try recorder.any("", type) }
  }
}
