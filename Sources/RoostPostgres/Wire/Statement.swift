#if Postgres
  internal import RoostRecords

  /// A statement with its values. Values are never a part of the text.
  struct Statement {
    var text: String
    private(set) var parameters: [Parameter] = []

    struct Parameter {
      var type: UInt32
      /// Nil is null.
      var bytes: [UInt8]?
    }

    init(_ text: String, _ parameters: [Parameter] = []) {
      self.text = text
      self.parameters = parameters
    }

    /// Adds a value. Returns its name in the text.
    mutating func add(_ parameter: Parameter) -> String {
      parameters.append(parameter)
      return "$\(parameters.count)"
    }
  }

  extension Statement.Parameter {
    static func text(_ text: String) -> Self { Self(type: ColumnType.text.oid, bytes: Array(text.utf8)) }

    static func integer(_ number: Int32) -> Self {
      var wire = WireBytes()
      wire.append(number)
      return Self(type: ColumnType.integer.oid, bytes: wire.bytes)
    }

    static func bigint(_ number: Int64) -> Self {
      var wire = WireBytes()
      wire.append(number)
      return Self(type: ColumnType.bigint.oid, bytes: wire.bytes)
    }

    static func uuid(_ number: UUIDNumber) -> Self {
      var wire = WireBytes()
      wire.append(number)
      return Self(type: ColumnType.uuid.oid, bytes: wire.bytes)
    }

    static func uuids(_ numbers: [UUIDNumber]) -> Self { array(numbers, of: .uuid) { $1.append($0) } }
    static func bigints(_ numbers: [Int64]) -> Self { array(numbers, of: .bigint) { $1.append($0) } }
    static func texts(_ texts: [String]) -> Self { array(texts, of: .text) { $1.append($0.utf8) } }

    static func array<Element>(
      _ elements: [Element], of type: ColumnType, _ write: (Element, inout WireBytes) -> Void
    ) -> Self {
      var column = ArrayColumn(type)
      for element in elements { column.append { write(element, &$0) } }
      return column.parameter
    }
  }

  /// One column of many rows, as an array.
  struct ArrayColumn {
    let type: ColumnType
    private var wire = WireBytes()
    private var count: Int32 = 0
    private var hasNull = false

    init(_ type: ColumnType) { self.type = type }

    mutating func append(_ write: (inout WireBytes) throws -> Void) rethrows {
      count += 1
      try wire.measured(write)
    }

    mutating func appendNull() {
      count += 1
      hasNull = true
      wire.appendNull()
    }

    /// Appends the bytes of a value; nil is null.
    mutating func append(_ bytes: [UInt8]?) {
      if let bytes { append { $0.append(bytes) } } else { appendNull() }
    }

    var parameter: Statement.Parameter {
      var all = WireBytes()
      all.append((count == 0 ? 0 : 1) as Int32)
      all.append((hasNull ? 1 : 0) as Int32)
      all.append(type.oid)
      if count > 0 {
        all.append(count)
        all.append(1 as Int32)
        all.append(wire.bytes)
      }
      return Statement.Parameter(type: type.arrayOID, bytes: all.bytes)
    }
  }
#endif
