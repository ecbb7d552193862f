package import RoostRecords

/// Writes the bytes of a collection or a struct.
public struct _ByteSink: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  package private(set) var count = 0
  /// The error of the first value that could not be written. The bytes must not be stored then.
  package private(set) var fault: RecordFault?

  package init() {
    capacity = 256
    memory = .allocate(byteCount: 256, alignment: 8)
  }

  deinit { memory.deallocate() }

  package mutating func clear() {
    count = 0
    if fault != nil { fault = nil }
  }

  /// Removes the bytes after a place, and the error that occurred in them.
  package mutating func cut(to start: Int) {
    count = min(count, start)
    fault = nil
  }

  package mutating func refuse(_ new: RecordFault?) {
    if fault == nil { fault = new }
  }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  private mutating func room(_ more: Int) -> UnsafeMutableRawPointer {
    if count + more > capacity {
      let larger = max(2 * capacity, count + more)
      let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
      new.copyMemory(from: memory, byteCount: count)
      memory.deallocate()
      memory = new
      capacity = larger
    }
    return memory + count
  }

  public mutating func _append<Value: BitwiseCopyable>(_ value: Value) {
    room(MemoryLayout<Value>.size).storeBytes(of: value, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  package mutating func appendZeros(_ more: Int) {
    room(more).initializeMemory(as: UInt8.self, repeating: 0, count: more)
    count += more
  }

  /// Replaces bytes that were written before.
  package mutating func put(_ word: UInt32, at place: Int) {
    assert(place >= 0 && place + 4 <= count)
    memory.storeBytes(of: word, toByteOffset: place, as: UInt32.self)
  }

  /// Appends bytes whose count the reader knows.
  public mutating func _append(plain bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    room(bytes.count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends the count of bytes, then the bytes.
  public mutating func _append(bytes: UnsafeRawBufferPointer) {
    number(UInt64(bytes.count))
    _append(plain: bytes)
  }

  /// Appends a number with 7 bits a byte, the lowest first; the highest bit means that more bytes
  /// follow.
  package mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 128 {
      _append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    _append(UInt8(rest))
  }

  package mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { _append(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Appends the bytes that a closure writes, after their count.
  package mutating func measured(_ body: (inout _ByteSink) -> Void) {
    var inner = _ByteSink()
    body(&inner)
    refuse(inner.fault)
    _append(bytes: inner.bytes)
  }

  /// Appends parts in the order of their bytes, so that equal sets have equal bytes.
  package mutating func sorted<Element>(
    _ elements: some Collection<Element>, _ body: (Element, inout _ByteSink) -> Void
  ) {
    var parts: [[UInt8]] = []
    parts.reserveCapacity(elements.count)
    var inner = _ByteSink()
    for element in elements {
      inner.clear()
      body(element, &inner)
      refuse(inner.fault)
      parts.append([UInt8](inner.bytes))
    }
    parts.sort { $0.lexicographicallyPrecedes($1) }
    for part in parts { part.withUnsafeBytes { _append(plain: $0) } }
  }
}

/// Reads the bytes of a collection or a struct. They may be damaged.
public struct _ByteSource {
  private var rest: UnsafeRawBufferPointer
  /// The remaining levels of nesting.
  private var depth = 64

  package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  package var isAtEnd: Bool { rest.isEmpty }
  package var allBytes: [UInt8] { [UInt8](rest) }

  public mutating func _take<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
    let size = MemoryLayout<Value>.size
    guard size <= rest.count else { return nil }
    if size == 0 { return nil }
    let value = rest.loadUnaligned(as: type)
    rest = UnsafeRawBufferPointer(rebasing: rest[size...])
    return value
  }

  /// Takes bytes that follow their count, without a copy.
  public mutating func _takeBytes() -> UnsafeRawBufferPointer? {
    guard let count = number(), count <= UInt64(rest.count) else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: rest[..<Int(count)])
    rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
    return bytes
  }

  package mutating func number() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = _take(UInt8.self) {
      let bits = UInt64(byte & 127)
      if shift == 63, bits > 1 { return nil }
      value |= bits << shift
      if byte < 128 { return value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }

  /// Takes the number of elements. Each needs at least one byte, so a short file cannot claim many.
  package mutating func count() -> Int? {
    guard let count = number(), count <= UInt64(rest.count) else { return nil }
    return Int(count)
  }

  package mutating func text() -> String? {
    guard let bytes = _takeBytes() else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Reads a nested value; nil if it is nested too deep.
  package mutating func nested<Result>(_ body: (inout _ByteSource) -> Result?) -> Result? {
    guard depth > 0 else { return nil }
    depth -= 1
    defer { depth += 1 }
    return body(&self)
  }

  /// Reads a nested value in bytes that follow their count. All of them must be read.
  package mutating func measured<Result>(_ body: (inout _ByteSource) -> Result?) -> Result? {
    guard depth > 0, let bytes = _takeBytes() else { return nil }
    var inner = _ByteSource(bytes)
    inner.depth = depth - 1
    guard let result = body(&inner), inner.isAtEnd else { return nil }
    return result
  }
}
