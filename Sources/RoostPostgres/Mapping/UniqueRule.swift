#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Columns whose values together must be unique in a zone, among the rows that fulfil a condition.
  struct UniqueRule: Equatable {
    let parts: [UniquePart]
    /// All tests must be true. Each is true if one of its alternatives is.
    var tests: [[ColumnTest]] = []
    /// The condition in the words of the model; nil if the rule is for all rows.
    var condition: String?
  }

  /// A column, or a part of its JSON, in a uniqueness rule.
  struct UniquePart: Equatable {
    var column: Int
    var path: [String]
  }

  /// A test of a rule's condition: a column is compared with a constant.
  struct ColumnTest: Hashable {
    enum Rule: Hashable {
      case isNull
      case isNotNull
      case equals(Value)
      case compares(Index.Comparison, Value)
    }

    let column: Int
    let rule: Rule

    /// Nil if the server cannot test it in an index.
    init?(_ test: IndexPlan.Test, column: Int, type: FieldType?) {
      self.column = column
      switch test {
      case .isNull: rule = .isNull
      case .isNotNull: rule = .isNotNull
      case .equals(_, .null): rule = .isNull
      case .equals(_, let value): rule = .equals(value)
      case .compares(_, let comparison, let value): rule = .compares(comparison, value)
      case .any: return nil
      }
      if let value = constant, type.flatMap({ value.literal(as: $0) }) == nil { return nil }
    }

    private var constant: Value? {
      switch rule {
      case .isNull, .isNotNull: nil
      case .equals(let value), .compares(_, let value): value
      }
    }

    /// Whether a value passes, as in Swift.
    func admits(_ value: Value) -> Bool {
      switch rule {
      case .isNull: value.isNull
      case .isNotNull: !value.isNull
      case .equals(let other): value == other
      case .compares(let comparison, let other): comparison.holds(value, other)
      }
    }

    /// The test of a row. It is NULL instead of false for some rows.
    func sql(of table: Table, alias: String) -> String {
      let column = table.columns[self.column]
      let name = alias + "\(column.name)"
      guard let constant, case .value(let form) = column.kind, let type = form.plainType,
        let literal = constant.literal(as: type)
      else { return rule == .isNull ? "\(name) IS NULL" : "\(name) IS NOT NULL" }
      let value = type == .string || type == .url ? "normalize(\(name), NFC) COLLATE \"C\"" : name
      switch rule {
      case .isNull, .isNotNull: return ""
      case .equals: return "\(value) = \(literal)"
      case .compares(.notEqual, _): return "(\(value) IS NULL OR \(value) <> \(literal))"
      case .compares(let comparison, _):
        let test = "\(value) \(comparison.sign) \(literal)"
        // The server's NaN is greater than all numbers.
        return [.float, .double, .date].contains(type) ? "(\(test) AND \(value) <> 'NaN')" : test
      }
    }
  }

  extension UniqueRule {
    /// The condition in SQL: empty if the rule is for all rows, else `prefix` and tests.
    func condition(_ prefix: String, of table: Table, alias: String = "") -> String {
      if tests.isEmpty { return "" }
      return prefix + SQLText.all(tests.map { SQLText.any($0.map { $0.sql(of: table, alias: alias) }) })
    }

    /// Whether the values of a row fulfil the condition.
    func admits(_ value: (Int) throws -> Value) rethrows -> Bool {
      try tests.allSatisfy { try $0.contains { $0.admits(try value($0.column)) } }
    }
  }

  extension Value {
    /// The constant in the text of a statement that takes no parameters. Nil for a type that no
    /// condition of an index can compare, and for NaN.
    fileprivate func literal(as type: FieldType) -> String? {
      guard !isNotANumber else { return nil }
      switch self {
      case .bool(let flag) where type == .bool: return "\(flag)"
      case .int(let number) where type.isWhole: return "(\(number))"
      case .uint(let number) where type.isWhole: return "(\(number))"
      case .float(let number) where type == .float: return "'\(number)'::real"
      case .double(let number) where type == .double: return "'\(number)'::float8"
      case .date(let number) where type == .date: return "'\(number)'::float8"
      case .uuid(let number) where type == .uuid: return "'\(number.text)'::uuid"
      case .string(let text) where type == .string, .url(let text) where type == .url:
        let normal = String(decoding: text.composedBytes, as: UTF8.self)
        // The server stores no text with this character.
        if normal.unicodeScalars.contains("\0") { return nil }
        return "E'\(normal.replacing("\\", with: "\\\\").replacing("'", with: "''"))' COLLATE \"C\""
      default: return nil
      }
    }
  }

  extension FieldType {
    fileprivate var isWhole: Bool {
      switch self {
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
      default: false
      }
    }
  }
#endif
