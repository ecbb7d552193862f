internal import RoostRecords

/// A self-describing value: the encoding of a type whose parts are unknown.
///
/// ## Layout
/// The first byte is the kind.
/// ```
/// 0 nil   1 false   2 true
/// 3 signed number: varint, its sign turned into the lowest bit   4 unsigned number: varint
/// 5 Float: 4 bytes   6 Double: 8 bytes
/// 7 text: varint length, UTF-8
/// 8 list: varint count, values
/// 9 names and values: varint count, then text and value in turn, in the order of the names' bytes
/// 10 u8 type (1 Decimal, 2 Data, 3 Date, 4 UUID, 5 URL), varint length, bytes as an element of a collection
/// ```
indirect enum Blob {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case float(Float)
  case double(Double)
  case text(String)
  case list([Blob])
  case map([(name: String, value: Blob)])
  case known(UInt8, [UInt8])

  static let deepest = 60

  static let knownTypes: [FieldType: UInt8] = [.decimal: 1, .data: 2, .date: 3, .uuid: 4, .url: 5]

  /// A value of a type that has its own kind here.
  init?(known value: some Any) {
    guard let storable = value as? any _Storable else { return nil }
    guard case .plain(let type) = Swift.type(of: storable)._$form.element, let code = Self.knownTypes[type] else {
      return nil
    }
    var bytes = _ByteSink()
    storable._$append(to: &bytes)
    self = .known(code, [UInt8](bytes.bytes))
  }

  /// Returns false if it is nested too deep.
  func write(to bytes: inout _ByteSink, depth: Int = 0) -> Bool {
    if depth > Self.deepest { return false }
    switch self {
    case .null: bytes._append(0 as UInt8)
    case .bool(let flag): bytes._append((flag ? 2 : 1) as UInt8)
    case .int(let number):
      bytes._append(3 as UInt8)
      bytes.number(UInt64(bitPattern: number << 1 ^ number >> 63))
    case .uint(let number):
      bytes._append(4 as UInt8)
      bytes.number(number)
    case .float(let number):
      bytes._append(5 as UInt8)
      bytes._append(number)
    case .double(let number):
      bytes._append(6 as UInt8)
      bytes._append(number)
    case .text(let text):
      bytes._append(7 as UInt8)
      bytes.text(text)
    case .list(let values):
      bytes._append(8 as UInt8)
      bytes.number(UInt64(values.count))
      for value in values where !value.write(to: &bytes, depth: depth + 1) { return false }
    case .map(let entries):
      bytes._append(9 as UInt8)
      bytes.number(UInt64(entries.count))
      for entry in entries.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        bytes.text(entry.name)
        if !entry.value.write(to: &bytes, depth: depth + 1) { return false }
      }
    case .known(let code, let value):
      bytes._append(10 as UInt8)
      bytes._append(code)
      value.withUnsafeBytes { bytes._append(bytes: $0) }
    }
    return true
  }

  /// Nil if the bytes are invalid.
  init?(from bytes: inout _ByteSource) {
    guard let kind = bytes._take(UInt8.self) else { return nil }
    switch kind {
    case 0: self = .null
    case 1: self = .bool(false)
    case 2: self = .bool(true)
    case 3:
      guard let number = bytes.number() else { return nil }
      self = .int(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
    case 4:
      guard let number = bytes.number() else { return nil }
      self = .uint(number)
    case 5:
      guard let number = bytes._take(Float.self) else { return nil }
      self = .float(number)
    case 6:
      guard let number = bytes._take(Double.self) else { return nil }
      self = .double(number)
    case 7:
      guard let text = bytes.text() else { return nil }
      self = .text(text)
    case 8:
      guard let count = bytes.count() else { return nil }
      var values: [Blob] = []
      for _ in 0..<count {
        guard let value = bytes.nested({ Blob(from: &$0) }) else { return nil }
        values.append(value)
      }
      self = .list(values)
    case 9:
      guard let count = bytes.count() else { return nil }
      var entries: [(name: String, value: Blob)] = []
      for _ in 0..<count {
        guard let name = bytes.text(), let value = bytes.nested({ Blob(from: &$0) }) else { return nil }
        entries.append((name, value))
      }
      self = .map(entries)
    case 10:
      guard let code = bytes._take(UInt8.self), let value = bytes._takeBytes() else { return nil }
      self = .known(code, [UInt8](value))
    default: return nil
    }
  }
}

/// Stores a type with unknown parts: an enum with associated values, or a struct that contains
/// itself.
final class BlobCoder<Value: Codable>: Coder<Value> {
  private let isChosen: Bool

  /// - Parameter isChosen: whether the property requested this encoding.
  init(isChosen: Bool = false) {
    self.isChosen = isChosen
    super.init(_Form(.data))
  }

  override var isOfOneProperty: Bool { isChosen }

  override var isChoosy: Bool { true }
  override func refusal(of value: RoostRecords.Value) -> String? {
    self.value(from: value) == nil ? "the bytes of a value of type \(Value.self) are expected" : nil
  }

  private func bytes(_ value: Value) -> Result<[UInt8], RecordFault> {
    let tooDeep = RecordFault(.tooLarge, "the value is nested deeper than \(Blob.deepest) levels")
    let writer = BlobWriter()
    do { try value.encode(to: writer) } catch {
      return .failure(writer.isTooDeep ? tooDeep : RecordFault(.wrongType, "\(error)"))
    }
    var bytes = _ByteSink()
    guard !writer.isTooDeep, writer.result.write(to: &bytes) else { return .failure(tooDeep) }
    return .success([UInt8](bytes.bytes))
  }

  private func value(_ memory: UnsafeRawBufferPointer) throws -> Value {
    var bytes = _ByteSource(memory)
    guard let blob = Blob(from: &bytes), bytes.isAtEnd else { throw BlobReader.wrong("a value that describes itself") }
    return try Value(from: BlobReader(blob))
  }

  override func put(_ value: Value, into sink: inout _RowSink, at node: Int) {
    switch bytes(value) {
    case .success(let bytes): bytes.withUnsafeBytes { sink._store(bytes: $0, at: node) }
    case .failure(let fault): sink.refuse(node, fault)
    }
  }

  override func take(from source: inout _RowSource, at node: Int) -> Value? {
    let found = source._withBytes(node) { memory in Result { try value(memory) } }
    switch found {
    case .success(let value): return value
    case .failure(let error):
      source.fail(node, "\(Value.self) rejects the stored value: \(error)")
      return nil
    }
  }

  override func append(_ value: Value, to bytes: inout _ByteSink) {
    switch self.bytes(value) {
    case .success(let encoded): encoded.withUnsafeBytes { bytes._append(bytes: $0) }
    case .failure(let fault):
      bytes.refuse(fault)
      bytes.number(0)
    }
  }

  override func read(from bytes: inout _ByteSource) -> Value? { bytes._takeBytes().flatMap { try? value($0) } }
}
