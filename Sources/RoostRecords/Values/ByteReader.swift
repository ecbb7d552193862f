internal import RoostBytes

/// Writes small structures: see the layout in `Catalog+Bytes.swift`.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { if capacity > 0 { bytes.reserveCapacity(capacity) } }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: some UnsignedInteger) {
    if value < 128 { return bytes.append(UInt8(truncatingIfNeeded: value)) }
    withUnsafeTemporaryAllocation(byteCount: Varint.most, alignment: 1) { memory in
      let count = Varint.encode(UInt64(value), to: memory.baseAddress!)
      bytes += memory[..<count]
    }
  }

  mutating func data(_ data: [UInt8]) {
    number(UInt64(data.count))
    bytes += data
  }

  /// Appends bytes whose number the reader knows from elsewhere.
  mutating func plain(_ data: UnsafeRawBufferPointer) { bytes.append(contentsOf: data) }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      number(UInt64(utf8.count))
      plain(UnsafeRawBufferPointer(utf8))
    }
  }

  mutating func list<Element>(_ elements: [Element], _ body: (inout ByteWriter, Element) -> Void) {
    number(UInt64(elements.count))
    for element in elements { body(&self, element) }
  }
}

/// Reads small structures. It checks every length, because the bytes may be damaged.
struct ByteReader {
  struct Unreadable: Error {}

  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var left: Int { bytes.count - position }

  mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Unreadable() }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number<Number: UnsignedInteger & FixedWidthInteger>() throws -> Number {
    guard let (value, count) = Varint.decode(UnsafeRawBufferPointer(rebasing: bytes[position...])),
      let exact = Number(exactly: value)
    else { throw Unreadable() }
    position += count
    return exact
  }

  mutating func data() throws -> [UInt8] {
    let count: UInt64 = try number()
    guard count <= UInt64(bytes.count - position) else { throw Unreadable() }
    defer { position += Int(count) }
    return [UInt8](bytes[position..<position + Int(count)])
  }

  /// Returns the next `count` bytes without copying them.
  mutating func take(_ count: UInt64) throws -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - position) else { throw Unreadable() }
    defer { position += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(count)])
  }

  /// Returns all remaining bytes.
  mutating func rest() -> UnsafeRawBufferPointer {
    defer { position = bytes.count }
    return UnsafeRawBufferPointer(rebasing: bytes[position...])
  }

  mutating func text() throws -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else { throw Unreadable() }
    return text
  }

  mutating func list<Element>(_ body: (inout ByteReader) throws -> Element) throws -> [Element] {
    let count: UInt64 = try number()
    // Every element has at least one byte, except for the members of an empty layout.
    guard count <= UInt64(bytes.count - position) else { throw Unreadable() }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try body(&self)) }
    return elements
  }
}
