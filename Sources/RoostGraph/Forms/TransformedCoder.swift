internal import RoostRecords

/// Stores a type with a transformer of the program, which makes bytes of a value.
package final class TransformedCoder<Value>: Coder<Value> {
  private let name: String
  private let isOptional: Bool
  private let bytes: (Value) -> [UInt8]?
  private let value: ([UInt8]?) -> Value?

  /// - Parameters:
  ///   - name: the name of the transformer.
  ///   - isOptional: whether a value may be nil, which is stored as nil.
  ///   - bytes: makes bytes of a value; nil for nil or if the value cannot be transformed.
  ///   - value: makes a value of bytes; nil if that is impossible.
  package init(
    _ name: String, isOptional: Bool, bytes: @escaping (Value) -> [UInt8]?, value: @escaping ([UInt8]?) -> Value?
  ) {
    self.name = name
    self.isOptional = isOptional
    self.bytes = bytes
    self.value = value
    super.init(isOptional ? _Form(.optional(.plain(.data))) : _Form(.data))
  }

  override func put(_ value: Value, into sink: inout _RowSink, at node: Int) {
    if let bytes = bytes(value) { return bytes.withUnsafeBytes { sink._store(bytes: $0, at: node) } }
    if isOptional, Self.isNil(value) { return sink._setNull(at: node) }
    let detail = "the transformer \(name) makes no Data of it, as its transformedValue(_:) must"
    sink.refuse(node, RecordFault(.wrongType, detail))
  }

  package override var isTransformed: Bool { true }

  private static func isNil(_ value: Value) -> Bool { (value as? any NilTeller)?.isNil ?? false }

  override func take(from source: inout _RowSource, at node: Int) -> Value? {
    if isOptional, source._isNull(node) { return value(nil) }
    let found = source._withBytes(node) { value([UInt8]($0)) }
    if found == nil { source.fail(node, "the transformer \(name) returns no \(Value.self) for the stored value") }
    return found
  }

  override func append(_ value: Value, to sink: inout _ByteSink) {
    let bytes = bytes(value)
    if isOptional { sink._append((bytes == nil ? 0 : 1) as UInt8) }
    if let bytes { bytes.withUnsafeBytes { sink._append(bytes: $0) } }
  }

  override func read(from source: inout _ByteSource) -> Value? {
    if isOptional {
      switch source._take(UInt8.self) {
      case 0: return value(nil)
      case 1: break
      default: return nil
      }
    }
    return source._takeBytes().flatMap { value([UInt8]($0)) }
  }

  package override func encode(
    _ bytes: inout _ByteSource, into values: inout KeyedEncodingContainer<ImageKey>, _ key: ImageKey
  ) throws {
    if isOptional, bytes._take(UInt8.self) == 0 { return try values.encodeNil(forKey: key) }
    guard let found = bytes._takeBytes() else { throw ImageKey.unreadable(key) }
    try values.encode([UInt8](found), forKey: key)
  }

  package override func decode(
    _ values: KeyedDecodingContainer<ImageKey>, _ key: ImageKey, to sink: inout _ByteSink
  ) throws {
    if isOptional {
      if try values.decodeNil(forKey: key) { return sink._append(0 as UInt8) }
      sink._append(1 as UInt8)
    }
    let found = try values.decode([UInt8].self, forKey: key)
    found.withUnsafeBytes { sink._append(bytes: $0) }
  }

  override var any: Value? { value(nil) }
}

private protocol NilTeller { var isNil: Bool { get } }

extension Optional: NilTeller {
  fileprivate var isNil: Bool { if case .none = self { true } else { false } }
}
