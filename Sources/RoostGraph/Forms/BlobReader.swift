/// The decoder of a self-describing value.
struct BlobReader: Decoder {
  let blob: Blob
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ blob: Blob) { self.blob = blob }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let entries) = blob else { throw Self.wrong("names and values") }
    return KeyedDecodingContainer(Keyed<Key>(entries: entries))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let values) = blob else { throw Self.wrong("a list") }
    return Unkeyed(values: values)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(blob: blob) }

  static func wrong(_ wanted: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "\(wanted) expected, but the value is of another type"))
  }

  static func value<Value: Decodable>(_ blob: Blob, _ type: Value.Type) throws -> Value {
    // An optional decodes its wrapped type. The casts below would take a value of another type for
    // nil.
    if _isOptional(type) { return try Value(from: BlobReader(blob)) }
    let found: Any?
    switch blob {
    case .bool(let flag): found = flag as? Value
    case .text(let text): found = text as? Value
    case .float(let number): found = number as? Value
    case .double(let number): found = number as? Value
    case .int(let number): found = integer(number, type)
    case .uint(let number): found = integer(number, type)
    case .known(let code, let bytes): found = known(code, bytes, type: type)
    case .null, .list, .map: found = nil
    }
    if let value = found as? Value { return value }
    return try Value(from: BlobReader(blob))
  }

  private static func integer<Value>(_ number: some FixedWidthInteger, _ type: Value.Type) -> Any? {
    func exact<Wanted: FixedWidthInteger>(_ wanted: Wanted.Type) -> Any? { Wanted(exactly: number) }
    return (type as? any FixedWidthInteger.Type).flatMap { exact($0) }
  }

  private static func known<Value>(_ code: UInt8, _ bytes: [UInt8], type: Value.Type) -> Any? {
    guard let storable = type as? any _Storable.Type, let field = storable._$form.field?.type,
      Blob.knownTypes[field] == code
    else { return nil }
    return bytes.withUnsafeBytes { memory in
      var source = _ByteSource(memory)
      return read(storable, &source)
    }
  }

  private static func read<Value: _Storable>(_ type: Value.Type, _ source: inout _ByteSource) -> Any? {
    Value._$read(from: &source)
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let entries: [(name: String, value: Blob)]
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] { entries.compactMap { Key(stringValue: $0.name) } }
    func find(_ key: Key) -> Blob? { entries.first { $0.name == key.stringValue }?.value }
    func contains(_ key: Key) -> Bool { find(key) != nil }

    func require(_ key: Key) throws -> Blob {
      guard let found = find(key) else { throw BlobReader.wrong(key.stringValue) }
      return found
    }

    func decodeNil(forKey key: Key) throws -> Bool {
      let found = try require(key)
      if case .null = found { return true }
      return false
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try BlobReader.value(require(key), type)
    }
    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { try BlobReader(require(key)).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try BlobReader(require(key)).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder {
      guard let found = entries.first(where: { $0.name == "super" }) else { throw BlobReader.wrong("super") }
      return BlobReader(found.value)
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { BlobReader(try require(key)) }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    let values: [Blob]
    let codingPath: [any CodingKey] = []
    var currentIndex = 0

    init(values: [Blob]) { self.values = values }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    private mutating func next() throws -> Blob {
      guard !isAtEnd else { throw BlobReader.wrong("another element") }
      defer { currentIndex += 1 }
      return values[currentIndex]
    }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd, case .null = values[currentIndex] else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try BlobReader.value(next(), type) }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      try BlobReader(next()).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try BlobReader(next()).unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { BlobReader(try next()) }
  }

  private struct Single: SingleValueDecodingContainer {
    let blob: Blob
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool {
      if case .null = blob { true } else { false }
    }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try BlobReader.value(blob, type) }
  }
}
