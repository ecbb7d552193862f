internal import RoostRecords

/// Reads and writes values of a type.
package class Coder<Value>: AnyCoder {
  init(_ form: _Form, parts: [Part] = []) { super.init(form, Value.self, parts: parts) }

  func put(_ value: Value, into sink: inout _RowSink, at node: Int) { preconditionFailure("a coder writes") }
  func take(from source: inout _RowSource, at node: Int) -> Value? { preconditionFailure("a coder reads") }
  func append(_ value: Value, to bytes: inout _ByteSink) { preconditionFailure("a coder writes elements") }
  func read(from bytes: inout _ByteSource) -> Value? { preconditionFailure("a coder reads elements") }
  /// Any value of the type, if the coder can make one.
  var any: Value? { nil }
  /// A value for the decoder of a struct that has this part. Each decoder gets the same value. So a
  /// decoder that accepted it when the parts were searched accepts it later.
  final var madeUpPart: Value? { Value.self == String.self ? "0" as? Value : any }

  final override func readAny(from bytes: inout _ByteSource) -> Any? { read(from: &bytes) }
  final override func takeAny(from source: inout _RowSource, at node: Int) -> Any? { take(from: &source, at: node) }
  final override func putAny(into sink: inout _RowSink, at node: Int) {
    if let any { put(any, into: &sink, at: node) }
  }

  final override var madeUp: Any? { any }

  override func transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool {
    guard let value = take(from: &source, at: node) else { return false }
    append(value, to: &bytes)
    return true
  }

  override func transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool {
    guard let value = read(from: &bytes) else { return false }
    put(value, into: &sink, at: node)
    return true
  }

  final override func put(any value: Any, into sink: inout _RowSink, at node: Int) -> Bool {
    guard let value = value as? Value else { return false }
    put(value, into: &sink, at: node)
    return true
  }

  final override func append(any value: Any, to bytes: inout _ByteSink) -> Bool {
    guard let value = value as? Value else { return false }
    append(value, to: &bytes)
    return true
  }

  package override func encode(
    _ bytes: inout _ByteSource, into values: inout KeyedEncodingContainer<ImageKey>, _ key: ImageKey
  ) throws {
    guard let value = read(from: &bytes) else { throw ImageKey.unreadable(key) }
    try values.encode(any: value, key)
  }

  package override func decode(
    _ values: KeyedDecodingContainer<ImageKey>, _ key: ImageKey, to bytes: inout _ByteSink
  ) throws {
    append(try values.decode(any: Value.self, key), to: &bytes)
  }
}

/// Stores a type that conforms to `_Storable`.
final class StorableCoder<Value: _Storable>: Coder<Value> {
  init() { super.init(Value._$form) }

  override var isPlain: Bool { true }
  override var isComparedAsStored: Bool { true }

  /// Not every text is a URL.
  override var isChoosy: Bool { form == ._url }
  override func refusal(of value: RoostRecords.Value) -> String? {
    self.value(from: value) == nil ? "a value of type \(Value.self) is expected" : nil
  }

  override func put(_ value: Value, into sink: inout _RowSink, at node: Int) { value._$put(into: &sink, at: node) }
  override func take(from source: inout _RowSource, at node: Int) -> Value? { Value._$take(from: &source, at: node) }
  override func append(_ value: Value, to bytes: inout _ByteSink) { value._$append(to: &bytes) }
  override func read(from bytes: inout _ByteSource) -> Value? { Value._$read(from: &bytes) }
  override func transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool {
    Value._$transfer(from: &source, at: node, to: &bytes)
  }
  override func transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool {
    Value._$transfer(from: &bytes, to: &sink, at: node)
  }
  override var any: Value? { Value._$any }
}

/// Stores a type by its raw value.
final class RawCoder<Value: RawRepresentable>: Coder<Value> where Value.RawValue: _Storable {
  init() { super.init(Value.RawValue._$form) }

  override var isPlain: Bool { true }
  override var isRaw: Bool { true }

  override var isChoosy: Bool { true }
  override func refusal(of value: RoostRecords.Value) -> String? {
    if self.value(from: value) != nil { return nil }
    return "a case of \(Value.self) is expected (\(caseWords ?? "cases unknown"))"
  }

  /// The raw values of the first twenty cases; nil where the type does not list all of them.
  private var caseWords: String? {
    guard let cases else { return nil }
    let words = cases.prefix(20).map(\.brief).joined(separator: ", ")
    return words + (cases.count > 20 ? ", and \(cases.count - 20) more" : "")
  }

  /// A struct may define its own `==`, and enum values with associated values may share a raw
  /// value.
  override var isComparedAsStored: Bool {
    EnumCases(Value.self) != nil && (MemoryLayout<Value>.size <= 1 || Value.self is any CaseIterable.Type)
  }

  override var cases: [RoostRecords.Value]? {
    guard let known = EnumCases(Value.self), known.isPlain, let type = Value.self as? any CaseIterable.Type else {
      return nil
    }
    let all = type.every.compactMap { ($0 as? Value).flatMap { value($0) } }
    // A user's `allCases` may leave cases out.
    return all.count == known.count && all.count <= Field.mostCases ? all : nil
  }

  override func put(_ value: Value, into sink: inout _RowSink, at node: Int) {
    value.rawValue._$put(into: &sink, at: node)
  }

  override func take(from source: inout _RowSource, at node: Int) -> Value? {
    guard let raw = Value.RawValue._$take(from: &source, at: node) else { return nil }
    if let value = Value(rawValue: raw) { return value }
    source.fail(node, "\(Value.self) has no case for the stored value")
    return nil
  }

  override func append(_ value: Value, to bytes: inout _ByteSink) { value.rawValue._$append(to: &bytes) }
  override func read(from bytes: inout _ByteSource) -> Value? {
    Value.RawValue._$read(from: &bytes).flatMap { Value(rawValue: $0) }
  }

  // Uses the raw value: the type need not be Codable, and if it is, the result is mostly the same.
  override func encode(
    _ bytes: inout _ByteSource, into values: inout KeyedEncodingContainer<ImageKey>, _ key: ImageKey
  ) throws {
    guard let value = read(from: &bytes) else { throw ImageKey.unreadable(key) }
    try values.encode(value.rawValue, forKey: key)
  }

  override func decode(_ values: KeyedDecodingContainer<ImageKey>, _ key: ImageKey, to bytes: inout _ByteSink) throws {
    let raw = try values.decode(Value.RawValue.self, forKey: key)
    guard let value = Value(rawValue: raw) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: values, debugDescription: "\(Value.self) has no case for \(raw)")
    }
    append(value, to: &bytes)
  }

  override var any: Value? {
    if let value = Value(rawValue: Value.RawValue._$any) { return value }
    if let cases = Value.self as? any CaseIterable.Type { return cases.anyCase as? Value }
    // The first case of an enum is all zeros. So is some value of any other type without
    // references.
    guard _isPOD(Value.self) else { return nil }
    return withUnsafeTemporaryAllocation(
      byteCount: max(MemoryLayout<Value>.size, 1), alignment: MemoryLayout<Value>.alignment
    ) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      return memory.baseAddress.map { $0.load(as: Value.self) }
    }
  }
}

extension CaseIterable {
  fileprivate static var anyCase: Any? { allCases.first }
  fileprivate static var every: [Any] { Array(allCases) }
}

/// The compiler's metadata about an enum's cases.
private struct EnumCases {
  /// The number of cases.
  let count: Int
  /// Whether no case has an associated value.
  let isPlain: Bool

  /// Nil if the type is not an enum.
  ///
  /// ## Layout
  /// Metadata: word 0 the kind, word 1 the descriptor. The descriptor of an enum, in 32-bit words:
  /// 5 the number of cases with a value (24 bits), 6 the number of those without.
  init?(_ type: Any.Type) {
    let enumKind: UInt = 0x201
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    guard metadata[0] == enumKind, let descriptor = UnsafePointer<UInt32>(bitPattern: metadata[1]) else { return nil }
    isPlain = descriptor[5] & 0xFF_FFFF == 0
    count = Int(descriptor[6])
  }
}

/// Stores an optional.
final class OptionalCoder<Wrapped>: Coder<Wrapped?> {
  let wrapped: Coder<Wrapped>

  init(_ wrapped: Coder<Wrapped>) {
    self.wrapped = wrapped
    super.init(_Form(.optional(wrapped.form.element)), parts: wrapped.parts)
  }

  override var isComparedAsStored: Bool { wrapped.isComparedAsStored }
  override var isOfOneProperty: Bool { wrapped.isOfOneProperty }
  override var isPlain: Bool { wrapped.isPlain }
  override var isTransformed: Bool { wrapped.isTransformed }
  override var isRaw: Bool { wrapped.isRaw }
  override var isChoosy: Bool { wrapped.isChoosy }
  override func refusal(of value: RoostRecords.Value) -> String? { value.isNull ? nil : wrapped.refusal(of: value) }
  override var cases: [RoostRecords.Value]? { wrapped.cases }

  override func put(_ value: Wrapped?, into sink: inout _RowSink, at node: Int) {
    guard let value else { return putNil(into: &sink, at: node) }
    if !parts.isEmpty { sink.setPresent(at: node) }
    wrapped.put(value, into: &sink, at: node)
  }

  override func putNil(into sink: inout _RowSink, at node: Int) {
    sink._setNull(at: node)
    if !parts.isEmpty { sink.clearParts(of: node, parts) }
  }

  override func take(from source: inout _RowSource, at node: Int) -> Wrapped?? {
    if source._isNull(node) { return .some(nil) }
    guard let value = wrapped.take(from: &source, at: node) else { return nil }
    return .some(value)
  }

  override func append(_ value: Wrapped?, to bytes: inout _ByteSink) {
    guard let value else { return appendNil(to: &bytes) }
    bytes._append(1 as UInt8)
    wrapped.append(value, to: &bytes)
  }

  override func read(from bytes: inout _ByteSource) -> Wrapped?? {
    switch bytes._take(UInt8.self) {
    case 0: return .some(nil)
    case 1: return bytes.nested { bytes in wrapped.read(from: &bytes) }.map { .some($0) }
    default: return nil
    }
  }

  override func transfer(from source: inout _RowSource, at node: Int, to bytes: inout _ByteSink) -> Bool {
    if source._isNull(node) {
      appendNil(to: &bytes)
      return true
    }
    bytes._append(1 as UInt8)
    return wrapped.transfer(from: &source, at: node, to: &bytes)
  }

  override func transfer(from bytes: inout _ByteSource, to sink: inout _RowSink, at node: Int) -> Bool {
    switch bytes._take(UInt8.self) {
    case 0:
      putNil(into: &sink, at: node)
      return true
    case 1:
      if !parts.isEmpty { sink.setPresent(at: node) }
      return bytes.nested { bytes in wrapped.transfer(from: &bytes, to: &sink, at: node) } ?? false
    default: return false
    }
  }

  override func encode(
    _ bytes: inout _ByteSource, into values: inout KeyedEncodingContainer<ImageKey>, _ key: ImageKey
  ) throws {
    switch bytes._take(UInt8.self) {
    case 0: try values.encodeNil(forKey: key)
    case 1: try wrapped.encode(&bytes, into: &values, key)
    default: throw ImageKey.unreadable(key)
    }
  }

  override func decode(_ values: KeyedDecodingContainer<ImageKey>, _ key: ImageKey, to bytes: inout _ByteSink) throws {
    if try values.decodeNil(forKey: key) { return appendNil(to: &bytes) }
    bytes._append(1 as UInt8)
    try wrapped.decode(values, key, to: &bytes)
  }

  override var any: Wrapped?? { .some(nil) }
  override func takes(_ type: Any.Type) -> Bool { type == valueType || type == Wrapped.self }
}
