#if Postgres
  internal import Foundation
  internal import RoostGraph
  internal import RoostRecords

  /// The form of a property's values in a column: an SQL type, or JSON.
  final class ValueForm {
    private enum Kind {
      case plain(FieldType)
      /// The bytes that a transformer makes.
      case bytes
      case json
    }

    private let coder: AnyCoder
    private let kind: Kind
    private let isChoosy: Bool
    let isOptional: Bool
    let column: ColumnType

    init(_ coder: AnyCoder) {
      self.coder = coder
      isChoosy = coder.isChoosy
      var element = coder.form.element
      isOptional = coder.form.isOptional
      if case .optional(let inner) = element { element = inner }
      if case .plain(let type) = element, let column = ColumnType(type), coder.isPlain {
        (kind, self.column) = (.plain(type), column)
      } else if coder.isTransformed {
        (kind, column) = (.bytes, .bytea)
      } else {
        (kind, column) = (.json, .jsonb)
      }
    }

    /// The type of a field whose values are stored unchanged; nil for JSON, and for the bytes of a
    /// transformer.
    var plainType: FieldType? { if case .plain(let type) = kind { type } else { nil } }

    // MARK: Writing

    /// The bytes for the server of a value in an image; nil for null.
    func bytes(_ source: inout _ByteSource) throws(ValueFault) -> [UInt8]? {
      var wire = WireBytes()
      return try write(&source, to: &wire) ? wire.bytes : nil
    }

    /// Appends the bytes for the server of a value in an image. Returns false for null.
    func write(_ source: inout _ByteSource, to wire: inout WireBytes) throws(ValueFault) -> Bool {
      if case .json = kind {
        guard let bytes = try json(&source) else { return false }
        wire.append(bytes)
        return true
      }
      if isOptional {
        switch source._take(UInt8.self) {
        case 0: return false
        case 1: break
        default: throw ValueFault("its value cannot be read")
        }
      }
      guard case .plain(let type) = kind else {
        guard let bytes = source._takeBytes() else { throw ValueFault("its value cannot be read") }
        wire.append(bytes)
        return true
      }
      guard try write(type, &source, to: &wire) else { throw ValueFault("its value cannot be read") }
      return true
    }

    private func write(_ type: FieldType, _ source: inout _ByteSource, to wire: inout WireBytes) throws(ValueFault)
      -> Bool
    {
      func put<Number: FixedWidthInteger>(_ number: Number?) -> Bool {
        if let number { wire.append(number) }
        return number != nil
      }
      switch type {
      case .bool: return put(source._take(UInt8.self))
      case .int8: return put(source._take(Int8.self).map { Int16($0) })
      case .uint8: return put(source._take(UInt8.self).map { Int16($0) })
      case .int16: return put(source._take(Int16.self))
      case .uint16: return put(source._take(UInt16.self).map { Int32($0) })
      case .int32: return put(source._take(Int32.self))
      case .uint32: return put(source._take(UInt32.self).map { Int64($0) })
      case .int64: return put(source._take(Int64.self))
      case .float: return put(source._take(UInt32.self))
      case .double, .date: return put(source._take(UInt64.self))
      case .uint64:
        guard let number = source._take(UInt64.self) else { return false }
        wire.append(DecimalNumber(mantissa: UInt128(number), exponent: 0))
      case .decimal:
        guard let exponent = source._take(Int8.self), let flags = source._take(UInt8.self),
          let low = source._take(UInt64.self), let high = source._take(UInt64.self)
        else { return false }
        let mantissa = UInt128(low) | UInt128(high) << 64
        wire.append(
          flags & 2 != 0 ? .nan : DecimalNumber(mantissa: mantissa, exponent: exponent, isNegative: flags & 1 != 0))
      case .uuid:
        guard let high = source._take(UInt64.self), let low = source._take(UInt64.self) else { return false }
        // The sixteen bytes in an image are in their order already.
        wire.append(UUIDNumber(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)))
      case .string, .url:
        guard let bytes = source._takeBytes() else { return false }
        if bytes.contains(0) { throw ValueFault("its text has a NUL character, which PostgreSQL cannot store") }
        wire.append(bytes)
      case .data:
        guard let bytes = source._takeBytes() else { return false }
        wire.append(bytes)
      case .reference, .presence, .array, .set, .dictionary: return false
      }
      return true
    }

    private struct Encoded: Encodable {
      static let key = ImageKey("v")
      let write: (inout KeyedEncodingContainer<ImageKey>) throws -> Void

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: ImageKey.self)
        try write(&values)
      }
    }

    private struct Decoded: Decodable {
      let values: KeyedDecodingContainer<ImageKey>

      init(from decoder: any Decoder) throws { values = try decoder.container(keyedBy: ImageKey.self) }
    }

    /// The text around a value, because a coder writes a property with its name.
    private static let (before, after) = (Array(#"{"v":"#.utf8), Array("}".utf8))

    private func json(_ source: inout _ByteSource) throws(ValueFault) -> [UInt8]? {
      var copy = source
      if isOptional, copy._take(UInt8.self) == 0 { return nil }
      copy = source
      let text: [UInt8]
      do {
        text = Array(
          try JSONForm.encoder.encode(Encoded { values in try self.coder.encode(&copy, into: &values, Encoded.key) }))
      } catch { throw ValueFault("its value cannot be written as JSON: \(error)") }
      let value = text.dropFirst(Self.before.count).dropLast(Self.after.count)
      if value.isEmpty { return nil }
      if value.isNULEscaped { throw ValueFault("a text in it has a NUL character, which PostgreSQL cannot store") }
      // The first byte is the version of the binary form of jsonb.
      return [1] + value
    }

    // MARK: Reading

    /// Reads a value of the server into an image.
    func read(_ bytes: UnsafeRawBufferPointer?, into sink: inout _ByteSink) throws(ValueFault) {
      guard let bytes else {
        guard isOptional else { throw ValueFault("it is null in the database, and \(coder.valueType) is not optional") }
        return sink._append(0 as UInt8)
      }
      let start = sink.count
      switch kind {
      case .json: return try readJSON(bytes, into: &sink)
      case .bytes:
        if isOptional { sink._append(1 as UInt8) }
        sink._append(bytes: bytes)
      case .plain(let type):
        if isOptional { sink._append(1 as UInt8) }
        guard try read(type, bytes, into: &sink) else {
          throw ValueFault("the database has a value that is not a valid \(coder.valueType)")
        }
      }
      guard isChoosy else { return }
      let written = UnsafeRawBufferPointer(rebasing: sink.bytes[start...])
      let value = RoostRecords.Value(element: written, as: coder.form.element)
      if let reason = value.map({ coder.refusal(of: $0) }) ?? "it cannot be read" { throw ValueFault(reason) }
    }

    private func read(
      _ type: FieldType, _ bytes: UnsafeRawBufferPointer, into sink: inout _ByteSink
    ) throws(ValueFault) -> Bool {
      var reader = WireReader(bytes)
      func put<Wide: FixedWidthInteger, Number: FixedWidthInteger & BitwiseCopyable>(
        _ wide: Wide?, as type: Number.Type
      ) -> Bool {
        guard let wide, let number = Number(exactly: wide) else { return false }
        sink._append(number)
        return true
      }
      let isRead =
        switch type {
        case .bool: put(reader.take(UInt8.self), as: UInt8.self)
        case .int8: put(reader.take(Int16.self), as: Int8.self)
        case .uint8: put(reader.take(Int16.self), as: UInt8.self)
        case .int16: put(reader.take(Int16.self), as: Int16.self)
        case .uint16: put(reader.take(Int32.self), as: UInt16.self)
        case .int32: put(reader.take(Int32.self), as: Int32.self)
        case .uint32: put(reader.take(Int64.self), as: UInt32.self)
        case .int64: put(reader.take(Int64.self), as: Int64.self)
        case .float: put(reader.take(UInt32.self), as: UInt32.self)
        case .double, .date: put(reader.take(UInt64.self), as: UInt64.self)
        case .uint64, .decimal: try readDecimal(type, &reader, into: &sink)
        case .uuid: readUUID(&reader, into: &sink)
        case .string, .url, .data:
          {
            sink._append(bytes: reader.takeAll())
            return true
          }()
        case .reference, .presence, .array, .set, .dictionary: false
        }
      return isRead && reader.isAtEnd
    }

    private func readUUID(_ reader: inout WireReader, into sink: inout _ByteSink) -> Bool {
      guard let number = UUIDNumber(&reader) else { return false }
      sink._append(number.high.bigEndian)
      sink._append(number.low.bigEndian)
      return true
    }

    private func readDecimal(
      _ type: FieldType, _ reader: inout WireReader, into sink: inout _ByteSink
    ) throws(ValueFault) -> Bool {
      guard let number = DecimalNumber(&reader) else {
        throw ValueFault("the database has a number with more digits than \(coder.valueType) can store")
      }
      if type == .uint64 {
        guard let whole = number.whole else { return false }
        sink._append(whole)
        return true
      }
      sink._append(number.exponent)
      sink._append((number.isNegative ? 1 : 0) | (number.isNaN ? 2 : 0) as UInt8)
      sink._append(UInt64(truncatingIfNeeded: number.mantissa))
      sink._append(UInt64(truncatingIfNeeded: number.mantissa >> 64))
      return true
    }

    private func readJSON(_ bytes: UnsafeRawBufferPointer, into sink: inout _ByteSink) throws(ValueFault) {
      guard bytes.first == 1 else { throw ValueFault("the server sends an unknown form of jsonb") }
      do {
        let text = Data(Self.before + bytes.dropFirst() + Self.after)
        let values = try JSONForm.decoder.decode(Decoded.self, from: text).values
        try coder.decode(values, Encoded.key, to: &sink)
      } catch { throw ValueFault("the JSON in the database is not a valid \(coder.valueType): \(error)") }
    }
  }

  /// The reason why a value cannot be stored in a column or read from it: a clause about the
  /// property.
  struct ValueFault: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  extension WireReader {
    mutating func takeAll() -> UnsafeRawBufferPointer {
      take(remaining) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  extension ColumnType {
    /// The column for a field of a type; nil if the column is JSON.
    init?(_ type: FieldType) {
      switch type {
      case .bool: self = .boolean
      case .int8, .uint8, .int16: self = .smallint
      case .uint16, .int32: self = .integer
      case .uint32, .int64: self = .bigint
      case .uint64, .decimal: self = .numeric
      case .float: self = .real
      case .double, .date: self = .double
      case .string, .url: self = .text
      case .data: self = .bytea
      case .uuid: self = .uuid
      case .reference, .presence, .array, .set, .dictionary: return nil
      }
    }
  }

  extension Collection where Element == UInt8 {
    /// Whether JSON text contains an escaped NUL character. A backslash that is itself escaped
    /// begins no escape.
    var isNULEscaped: Bool {
      var isAfterBackslash = false
      var digits = -1
      for byte in self {
        if digits >= 0 {
          digits = byte == UInt8(ascii: "0") ? digits + 1 : -1
          if digits == 4 { return true }
          if digits > 0 { continue }
        }
        if isAfterBackslash {
          isAfterBackslash = false
          if byte == UInt8(ascii: "u") { digits = 0 }
        } else {
          isAfterBackslash = byte == UInt8(ascii: "\\")
        }
      }
      return false
    }
  }
#endif
