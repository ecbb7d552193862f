#if Postgres
  internal import RoostRecords

  /// The bytes of a value for the server. Numbers are big-endian.
  struct WireBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends the bytes that a body writes, after their count.
    mutating func measured(_ body: (inout WireBytes) throws -> Void) rethrows {
      _ = try measuredUnlessNull {
        try body(&$0)
        return true
      }
    }

    /// Appends the bytes that a body writes, after their count. If the body returns false, appends
    /// the length for null. Returns whether the value is null.
    mutating func measuredUnlessNull(_ body: (inout WireBytes) throws -> Bool) rethrows -> Bool {
      let start = bytes.count
      append(0 as Int32)
      let isNull = try !body(&self)
      let length = isNull ? -1 : Int32(clamping: bytes.count - start - 4)
      bytes.withUnsafeMutableBytes {
        $0.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
      }
      return isNull
    }

    /// Appends the length for null.
    mutating func appendNull() { append(-1 as Int32) }
  }

  /// Bytes of a value from the server.
  struct WireReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }
    var remaining: Int { rest.count }

    mutating func take<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
      let size = MemoryLayout<Number>.size
      guard rest.count >= size else { return nil }
      let number = rest.loadUnaligned(as: Number.self)
      rest = UnsafeRawBufferPointer(rebasing: rest[size...])
      return Number(bigEndian: number)
    }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
      guard count >= 0, rest.count >= count else { return nil }
      let taken = UnsafeRawBufferPointer(rebasing: rest[..<count])
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      return taken
    }

    /// Reads an element of an array; `.some(nil)` is a null.
    mutating func takeElement() -> UnsafeRawBufferPointer?? {
      guard let length = take(Int32.self) else { return nil }
      if length == -1 { return .some(nil) }
      guard let bytes = take(Int(length)) else { return nil }
      return .some(bytes)
    }

    /// Calls a body with each element of a one-dimensional array. Returns false if the bytes are
    /// not such an array.
    mutating func eachElement(_ body: (UnsafeRawBufferPointer?) -> Bool) -> Bool {
      guard let dimensions = take(Int32.self), take(Int32.self) != nil, take(UInt32.self) != nil else { return false }
      if dimensions == 0 { return true }
      guard dimensions == 1, let count = take(Int32.self), take(Int32.self) != nil else { return false }
      for _ in 0..<max(0, count) {
        guard let element = takeElement(), body(element) else { return false }
      }
      return isAtEnd
    }
  }

  extension UUIDNumber {
    init?(_ reader: inout WireReader) {
      guard let high = reader.take(UInt64.self), let low = reader.take(UInt64.self) else { return nil }
      self.init(high: high, low: low)
    }

    init?(wire bytes: UnsafeRawBufferPointer) {
      var reader = WireReader(bytes)
      self.init(&reader)
      if !reader.isAtEnd { return nil }
    }
  }

  extension WireBytes {
    mutating func append(_ uuid: UUIDNumber) {
      append(uuid.high)
      append(uuid.low)
    }
  }
#endif
