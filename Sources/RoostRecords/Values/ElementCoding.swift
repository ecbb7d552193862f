internal import RoostBytes

/// The bytes of collections: their elements in sequence, each encoded by its type.
///
/// ## Layout
/// A collection is a varint count and its elements. A dictionary alternates keys and values. Sets
/// and dictionaries are sorted by their elements' bytes, so equal ones have equal bytes. An element
/// is
/// ```
/// plain, of fixed width   its bytes, as in a row
/// plain, variable         varint length, bytes
/// optional                u8 0, or 1 and the element
/// struct                  its parts
/// ```
enum ElementCoding {
  /// The deepest nesting that is decoded, whatever a file says.
  static let deepest = 64
  /// The most elements that have no bytes. Without this bound a short file could claim any number
  /// of them.
  static let mostEmpty = 1 << 16

  // MARK: Writing

  static func encode(_ value: Value, as type: FieldType, into bytes: inout [UInt8]) throws(RecordFault) {
    switch (type, value) {
    case (.array(let element), .array(let values)):
      append(UInt64(values.count), to: &bytes)
      for value in values { try encode(value, as: element, into: &bytes) }
    case (.set(let element), .set(let values)):
      append(UInt64(values.count), to: &bytes)
      var parts: [[UInt8]] = []
      for value in values { parts.append(try encoded(value, element)) }
      for part in parts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes += part }
    case (.dictionary(let key, let element), .dictionary(let values)):
      append(UInt64(values.count), to: &bytes)
      var parts: [[UInt8]] = []
      for (name, value) in values { parts.append(try encoded(name, key) + encoded(value, element)) }
      for part in parts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes += part }
    case (.string, .string(let text)), (.url, .url(let text)): bytes += text.utf8
    case (.data, .data(let data)): bytes += data
    default: try encodeFixed(value, as: type, into: &bytes)
    }
  }

  private static func encodeFixed(_ value: Value, as type: FieldType, into bytes: inout [UInt8]) throws(RecordFault) {
    guard let width = type.width else { throw RecordFault(.wrongType, "\(value.kind) is not of the field's type") }
    var fault: RecordFault?
    withUnsafeTemporaryAllocation(byteCount: max(width, 1), alignment: 8) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      do throws(RecordFault) { try FixedCoding.write(value, as: type, to: memory.baseAddress!) } catch { fault = error }
      bytes += memory[..<width]
    }
    if let fault { throw fault }
  }

  private static func encoded(_ value: Value, _ type: ElementType) throws(RecordFault) -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(value, as: type, into: &bytes)
    return bytes
  }

  private static func encode(_ value: Value, as type: ElementType, into bytes: inout [UInt8]) throws(RecordFault) {
    switch type {
    case .optional(let inner):
      bytes.append(value.isNull ? 0 : 1)
      if !value.isNull { try encode(value, as: inner, into: &bytes) }
    case .structure(let parts):
      guard case .structure(let values) = value, values.count == parts.count else {
        throw RecordFault(.wrongType, "\(value.kind) is not a struct of \(parts.count) parts")
      }
      for (part, value) in zip(parts, values) { try encode(value, as: part.type, into: &bytes) }
    case .plain(let field):
      if field.width != nil { return try encodeFixed(value, as: field, into: &bytes) }
      var inner: [UInt8] = []
      try encode(value, as: field, into: &inner)
      append(UInt64(inner.count), to: &bytes)
      bytes += inner
    }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: Varint.most, alignment: 1) { memory in
      let count = Varint.encode(number, to: memory.baseAddress!)
      bytes += memory[..<count]
    }
  }

  // MARK: Reading

  /// The value of a variable field; nil if the bytes are not valid for its type.
  static func decode(_ bytes: UnsafeRawBufferPointer, as type: FieldType, depth: Int = 0) -> Value? {
    switch type {
    case .string: return String(validating: bytes, as: UTF8.self).map { .string($0) }
    case .url: return String(validating: bytes, as: UTF8.self).map { .url($0) }
    case .data: return .data([UInt8](bytes))
    case .array, .set, .dictionary:
      // A field that was never set has no bytes, not even a count.
      if bytes.isEmpty, depth == 0 { return type.empty }
      var rest = bytes
      guard depth < deepest, let count = count(&rest) else { return nil }
      return collection(type, count, rest: &rest, depth: depth).flatMap { rest.isEmpty ? $0 : nil }
    default: return nil
    }
  }

  private static func collection(
    _ type: FieldType, _ count: Int, rest: inout UnsafeRawBufferPointer, depth: Int
  ) -> Value? {
    // Every element except an empty one has at least one byte, so a count is never larger than the
    // rest.
    guard count <= max(rest.count, mostEmpty) else { return nil }
    switch type {
    case .array(let element):
      var values: [Value] = []
      for _ in 0..<count {
        guard let value = decode(&rest, as: element, depth + 1) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .set(let element):
      var values = Set<Value>()
      for _ in 0..<count {
        guard let value = decode(&rest, as: element, depth + 1) else { return nil }
        values.insert(value)
      }
      return .set(values)
    case .dictionary(let key, let element):
      var values: [Value: Value] = [:]
      for _ in 0..<count {
        guard let name = decode(&rest, as: key, depth + 1), let value = decode(&rest, as: element, depth + 1) else {
          return nil
        }
        values[name] = value
      }
      return .dictionary(values)
    default: return nil
    }
  }

  private static func decode(_ rest: inout UnsafeRawBufferPointer, as type: ElementType, _ depth: Int) -> Value? {
    guard depth < deepest else { return nil }
    switch type {
    case .optional(let inner):
      guard let flag = take(1, &rest)?[0], flag < 2 else { return nil }
      return flag == 0 ? .null : decode(&rest, as: inner, depth + 1)
    case .structure(let parts):
      var values: [Value] = []
      for part in parts {
        guard let value = decode(&rest, as: part.type, depth + 1) else { return nil }
        values.append(value)
      }
      return .structure(values)
    case .plain(let field):
      if let width = field.width {
        guard let bytes = take(width, &rest) else { return nil }
        return FixedCoding.read(bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!, as: field)
      }
      guard let length = count(&rest), let bytes = take(length, &rest) else { return nil }
      return decode(bytes, as: field, depth: depth + 1)
    }
  }

  private static func count(_ rest: inout UnsafeRawBufferPointer) -> Int? {
    guard let (number, length) = Varint.decode(rest), let count = Int(exactly: number) else { return nil }
    rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    return count
  }

  private static func take(_ count: Int, _ rest: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard count <= rest.count else { return nil }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }
}
