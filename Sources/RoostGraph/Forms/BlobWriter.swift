/// The encoder of a self-describing value.
///
/// The value has at most ``Blob/deepest`` levels. The writer also limits how deep types encode each
/// other, so that the stack does not overflow. A value that is nested deeper ends the encoding with
/// an error.
final class BlobWriter: Encoder {
  /// The state that all writers of one value share.
  private final class Nesting {
    /// The number of types that encode each other at the moment. A type between two levels may add
    /// no level.
    var calls = 0
    var isTooDeep = false
    static let most = 4 * Blob.deepest
  }

  struct TooDeep: Error {}

  /// The value so far.
  private enum State {
    case none
    case value(Blob)
    case list([BlobWriter])
    case map([(name: String, writer: BlobWriter)])
  }

  private var state = State.none
  private let nesting: Nesting
  private let depth: Int
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  convenience init() { self.init(Nesting(), depth: 0) }

  private init(_ nesting: Nesting, depth: Int) {
    self.nesting = nesting
    self.depth = depth
  }

  /// Whether a part was nested too deep and is missing in the result.
  var isTooDeep: Bool { nesting.isTooDeep }

  var result: Blob {
    switch state {
    case .none: .map([])
    case .value(let value): value
    case .list(let writers): .list(writers.map(\.result))
    case .map(let entries): .map(entries.map { ($0.name, $0.writer.result) })
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .map = state {} else { state = .map([]) }
    return KeyedEncodingContainer(Keyed<Key>(writer: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = state {} else { state = .list([]) }
    return Unkeyed(writer: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(writer: self) }

  private func set(_ value: Blob) { state = .value(value) }

  private func set<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let value as Bool: set(.bool(value))
    case let value as String: set(.text(value))
    case let value as Int: set(.int(Int64(value)))
    case let value as Double: set(.double(value))
    case let value as Float: set(.float(value))
    case let value as any FixedWidthInteger:
      if let signed = Int64(exactly: value) {
        set(.int(signed))
      } else if let unsigned = UInt64(exactly: value) {
        set(.uint(unsigned))
      } else {
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "the number is too large"))
      }
    default:
      if let known = Blob(known: value) { return set(known) }
      if nesting.calls >= Nesting.most { nesting.isTooDeep = true }
      if nesting.isTooDeep { throw TooDeep() }
      nesting.calls += 1
      defer { nesting.calls -= 1 }
      try value.encode(to: self)
    }
  }

  /// A writer one level below; nil if that is too deep.
  private func below() -> BlobWriter? {
    if depth < Blob.deepest { return BlobWriter(nesting, depth: depth + 1) }
    nesting.isTooDeep = true
    return nil
  }

  /// A writer for values that are dropped, so that nothing grows deeper.
  private var nowhere: BlobWriter { BlobWriter(nesting, depth: depth) }

  private func entry(_ name: String) -> BlobWriter {
    guard let writer = below() else { return nowhere }
    guard case .map(var entries) = state else { return writer }
    state = .none
    entries.append((name, writer))
    state = .map(entries)
    return writer
  }

  private func element() -> BlobWriter {
    guard let writer = below() else { return nowhere }
    guard case .list(var writers) = state else { return writer }
    state = .none
    writers.append(writer)
    state = .list(writers)
    return writer
  }

  private var count: Int { if case .list(let writers) = state { writers.count } else { 0 } }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: BlobWriter
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) throws { writer.entry(key.stringValue).set(.null) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try writer.entry(key.stringValue).set(value)
    }
    func nestedContainer<Other: CodingKey>(
      keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Other> { writer.entry(key.stringValue).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      writer.entry(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { writer.entry("super") }
    func superEncoder(forKey key: Key) -> any Encoder { writer.entry(key.stringValue) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let writer: BlobWriter
    let codingPath: [any CodingKey] = []
    var count: Int { writer.count }

    func encodeNil() throws { writer.element().set(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.element().set(value) }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      writer.element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { writer.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { writer.element() }
  }

  private struct Single: SingleValueEncodingContainer {
    let writer: BlobWriter
    let codingPath: [any CodingKey] = []

    func encodeNil() throws { writer.set(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.set(value) }
  }
}
