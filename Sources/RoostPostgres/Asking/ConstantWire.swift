#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// The engine's constants as parameters.
  extension Statement.Parameter {
    /// Nil if SQL has no such value.
    init?(_ value: Value, as type: FieldType) {
      guard let column = ColumnType(type) else { return nil }
      var wire = WireBytes()
      guard wire.append(value, as: type) else { return nil }
      self.init(type: column.oid, bytes: wire.bytes)
    }

    /// All values in one array; nil if SQL does not have one of them.
    init?(_ values: [Value], as type: FieldType) {
      guard let column = ColumnType(type) else { return nil }
      var array = ArrayColumn(column)
      for value in values {
        var wire = WireBytes()
        guard wire.append(value, as: type) else { return nil }
        array.append(wire.bytes)
      }
      self = array.parameter
    }
  }

  extension WireBytes {
    /// Appends a value in the form of a column's type. Texts are put into normal form C. Returns
    /// false if SQL has no such value.
    fileprivate mutating func append(_ value: Value, as type: FieldType) -> Bool {
      func put<Number: FixedWidthInteger>(_ number: Number?) -> Bool {
        if let number { append(number) }
        return number != nil
      }
      switch (type, value) {
      case (.bool, .bool(let flag)): append((flag ? 1 : 0) as UInt8)
      case (.int8, .int(let number)), (.int16, .int(let number)): return put(Int16(exactly: number))
      case (.uint8, .uint(let number)): return put(Int16(exactly: number))
      case (.uint16, .uint(let number)): return put(Int32(exactly: number))
      case (.int32, .int(let number)): return put(Int32(exactly: number))
      case (.uint32, .uint(let number)): return put(Int64(exactly: number))
      case (.int64, .int(let number)): append(number)
      case (.uint64, .uint(let number)): append(DecimalNumber(mantissa: UInt128(number), exponent: 0))
      case (.decimal, .decimal(let number)): append(number)
      case (.float, .float(let number)): append(number.bitPattern)
      case (.double, .double(let number)), (.date, .date(let number)): append(number.bitPattern)
      case (.uuid, .uuid(let number)): append(number)
      case (.data, .data(let bytes)): append(bytes)
      case (.string, .string(let text)), (.url, .url(let text)):
        guard text.isKnownToServers else { return false }
        append(text.composedBytes)
      default: return false
      }
      return true
    }
  }

  extension String {
    /// Whether every supported server normalizes the text as Swift does.
    ///
    /// PostgreSQL 13 knows Unicode 13, so the text must not have a later character. A server
    /// accepts no NUL.
    var isKnownToServers: Bool {
      unicodeScalars.allSatisfy { scalar in
        if scalar.value < 0x300 { return scalar.value != 0 }
        return scalar.properties.age.map { $0.major <= 13 } ?? false
      }
    }

    /// The text in normal form C.
    var composedBytes: [UInt8] {
      var text = self
      return text.withUTF8 { NormalForm.composed(UnsafeRawBufferPointer($0)) }
    }
  }
#endif
