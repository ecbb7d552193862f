internal import RoostRecords

/// The encoder that takes the parts of a struct.
final class PartsWriter: Encoder {
  enum Target {
    /// Only checks whether the struct writes the parts that it reads.
    case nowhere
    case row(UnsafeMutablePointer<_RowSink>, Int)
    case lists
  }

  private let parts: [AnyCoder.Part]
  private let isSingle: Bool
  private let target: Target
  /// The bytes of each part, for the target `lists`.
  private(set) var written: [[UInt8]?]
  private var seen: [Bool]
  private(set) var fault: String?
  /// A part that cannot be written, for the target `lists`.
  private(set) var refused: RecordFault?
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init<Value>(_ coder: PartsCoder<Value>, _ target: Target) {
    parts = coder.members
    isSingle = coder.isOneValue
    self.target = target
    seen = Array(repeating: false, count: parts.count)
    if case .lists = target { written = Array(repeating: nil, count: parts.count) } else { written = [] }
  }

  /// Whether every part was written that may not be nil.
  var isWhole: Bool {
    for (number, part) in parts.enumerated() where !seen[number] && !part.coder.form.isOptional { return false }
    return true
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if isSingle { refuse("keys") }
    return KeyedEncodingContainer(Keyed<Key>(writer: self))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    if !isSingle { refuse("one value") }
    return Single(writer: self)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refuse("a list")
    return BlobWriter().unkeyedContainer()
  }

  private func refuse(_ what: String) {
    if fault == nil { fault = "it writes other parts than it reads: \(what)" }
  }

  private func part(_ name: String, _ type: Any.Type) -> Int? {
    guard let number = parts.firstIndex(where: { $0.name == name }), parts[number].coder.takes(type) else {
      refuse("\(name) as \(type)")
      return nil
    }
    seen[number] = true
    return number
  }

  func put<Value>(_ value: Value, _ name: String) {
    guard let number = part(name, Value.self) else { return }
    let coder = parts[number].coder
    if coder.valueType == Value.self {
      write(value, unsafeDowncast(coder, to: Coder<Value>.self), number: number)
    } else {
      write(value, unsafeDowncast(coder, to: Coder<Value?>.self), number: number)
    }
  }

  private func write<Value>(_ value: Value, _ coder: Coder<Value>, number: Int) {
    switch target {
    case .nowhere: return
    case .row(let sink, let first): coder.put(value, into: &sink.pointee, at: first + number)
    case .lists:
      var bytes = _ByteSink()
      coder.append(value, to: &bytes)
      if refused == nil { refused = bytes.fault }
      written[number] = [UInt8](bytes.bytes)
    }
  }

  func putNil(_ name: String) {
    guard let number = parts.firstIndex(where: { $0.name == name }), parts[number].coder.form.isOptional else {
      return refuse("\(name) as nil")
    }
    seen[number] = true
    switch target {
    case .nowhere: return
    case .row(let sink, let first): parts[number].coder.putNil(into: &sink.pointee, at: first + number)
    case .lists: written[number] = nil
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: PartsWriter
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) throws { writer.putNil(key.stringValue) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { writer.put(value, key.stringValue) }

    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Other> {
      writer.refuse("nested keys")
      return BlobWriter().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      writer.refuse("a nested list")
      return BlobWriter().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
      writer.refuse("a superclass")
      return BlobWriter()
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
  }

  private struct Single: SingleValueEncodingContainer {
    let writer: PartsWriter
    let codingPath: [any CodingKey] = []

    func encodeNil() throws { writer.putNil("") }
    func encode<Value: Encodable>(_ value: Value) throws { writer.put(value, "") }
  }
}
