import RoostRecords
import RoostTransfer

/// Determines the types of a text's columns from all of their values.
///
/// A column is optional if a value is missing. Numbers that would lose information are texts: those
/// with a leading zero, such as postal codes, with a plus, such as telephone numbers, and with more
/// digits than any number type holds.
struct ColumnTypes {
  struct Column {
    var name: String
    var values = 0
    fileprivate var possible: Set<Kind> = Set(Kind.allCases)
    /// What JSON holds in it.
    fileprivate var sort: Sort?

    /// The first type that all values have; String for a column without values.
    var type: FieldType {
      if values == 0 { return .string }
      return Kind.allCases.first { possible.contains($0) }?.type ?? .string
    }
  }

  /// The kinds of JSON's values.
  fileprivate enum Sort: String {
    case flag = "true or false"
    case number = "a number"
    case text = "a text"
  }

  /// The types, those with the fewest values first.
  fileprivate enum Kind: CaseIterable {
    case bool, int, double, decimal, uuid, date

    var type: FieldType {
      switch self {
      case .bool: .bool
      case .int: .int64
      case .double: .double
      case .decimal: .decimal
      case .uuid: .uuid
      case .date: .date
      }
    }

    /// Whether a text in a cell, or in quotes, is a value of the type.
    func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
      switch self {
      case .bool:
        let text = bytes.count <= 5 ? String(decoding: bytes, as: UTF8.self) : ""
        return text == "true" || text == "false"
      case .int: return Self.isPlain(bytes) && (try? NumberText.integer(bytes, as: Int64.self)) != nil
      case .double: return Self.isPlain(bytes) && Self.isExact(bytes)
      case .decimal: return Self.isPlain(bytes) && Self.digits(bytes).map { $0.count <= 38 } == true
      case .uuid:
        return bytes.count == 36 && (try? PlainText.value(String(decoding: bytes, as: UTF8.self), .uuid)) != nil
      case .date: return bytes.count >= 10 && bytes[4] == UInt8(ascii: "-") && (try? DateText.date(bytes)) != nil
      }
    }

    private static let zero = UInt8(ascii: "0")
    private static let figures = zero...UInt8(ascii: "9")

    /// Whether a number has no sign or zero at its beginning that would be lost. Words such as
    /// `nan` are not numbers here.
    private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard let first = bytes.first, let last = bytes.last, figures.contains(last) else { return false }
      let isNegative = first == UInt8(ascii: "-")
      let digits = isNegative ? bytes.dropFirst() : bytes[...]
      guard let leading = digits.first, figures.contains(leading) else { return false }
      guard leading == zero else { return true }
      guard let second = digits.dropFirst().first else { return !isNegative }
      return !figures.contains(second)
    }

    /// The digits of a number without an exponent, from the first to the last nonzero one; nil for
    /// other texts.
    private static func digits(_ bytes: some Collection<UInt8>) -> [UInt8]? {
      let unsigned = bytes.first == UInt8(ascii: "-") ? Array(bytes.dropFirst()) : Array(bytes)
      let point = UInt8(ascii: ".")
      guard unsigned.count(where: { $0 == point }) <= 1, unsigned.allSatisfy({ figures.contains($0) || $0 == point })
      else { return nil }
      let all = unsigned.filter { $0 != point }.drop { $0 == zero }
      return Array(all.reversed().drop { $0 == zero }.reversed())
    }

    /// Whether a `Double` is written with the same digits.
    private static func isExact(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard let number = try? NumberText.double(bytes), number.isFinite else { return false }
      func mantissa(_ text: some Collection<UInt8>) -> [UInt8]? {
        digits(Array(text.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }))
      }
      return mantissa(bytes) == mantissa("\(number)".utf8)
    }
  }

  private(set) var columns: [Column] = []
  private(set) var records = 0
  private var places: [String: Int] = [:]
  /// Ignored columns.
  private let ignored: Set<String>
  private let limits: TransferLimits

  init(ignoring ignored: Set<String>, limits: TransferLimits) { (self.ignored, self.limits) = (ignored, limits) }

  mutating func read(_ input: any ByteInput, _ format: TextFormat) throws {
    let reader = try TextReader(input, format, limits: limits)
    let batch = try RecordBatch()
    while try reader.next(batch) {
      if let names = reader.names, columns.isEmpty { for name in names { _ = try place(name) } }
      for record in batch.records {
        // The import decides about bad records.
        if record.fault != nil { continue }
        records += 1
        if let names = reader.names { try line(record, names, batch: batch) } else { try object(record, batch) }
      }
    }
    if let names = reader.names { for name in names { _ = try place(name) } }
  }

  private mutating func place(_ name: String) throws -> Int? {
    if ignored.contains(name) { return nil }
    if let known = places[name] { return known }
    guard columns.count < limits.columns else {
      throw TransferFault(.tooLarge, "the records have more than \(limits.columns) different names")
    }
    places[name] = columns.count
    columns.append(Column(name: name))
    return columns.count - 1
  }

  private mutating func line(_ record: RecordBatch.Record, _ names: [String], batch: RecordBatch) throws {
    for (name, token) in zip(names, batch.tokens[record.tokens]) {
      guard let place = try place(name) else { continue }
      if token.kind == .bare, token.count == 0 { continue }
      note(batch.bytes(token), at: place)
    }
  }

  private mutating func object(_ record: RecordBatch.Record, _ batch: RecordBatch) throws {
    var at = record.tokens.lowerBound + 1
    while at < record.tokens.upperBound - 1 {
      let name = batch.string(batch.tokens[at])
      let token = batch.tokens[at + 1]
      let isNested = token.kind == .object || token.kind == .list
      at += 2 + (isNested ? token.count : 0)
      guard let place = try place(name), token.kind != .null else { continue }
      if isNested {
        throw batch.fault(
          .wrongType,
          "'\(name)' has lists or objects, and '--create' makes no such property: leave it out with --rename '\(name)='",
          at: token.place, in: record, field: name)
      }
      let sort: Sort =
        switch token.kind {
        case .yes, .no: .flag
        case .text: .text
        default: .number
        }
      let former = columns[place].sort ?? sort
      if former != sort {
        throw batch.fault(
          .wrongType,
          "'\(name)' holds \(sort.rawValue) here and \(former.rawValue) in an earlier record, and a property has one type: leave it out with --rename '\(name)='",
          at: token.place, in: record, field: name)
      }
      columns[place].sort = sort
      switch token.kind {
      case .yes, .no: keep([.bool], at: place)
      // A number in quotes is a text in JSON.
      case .text: note(batch.bytes(token), at: place, among: [.uuid, .date])
      default: note(batch.bytes(token), at: place, among: [.int, .double, .decimal])
      }
    }
  }

  private mutating func keep(_ kinds: Set<Kind>, at place: Int) {
    columns[place].values += 1
    columns[place].possible.formIntersection(kinds)
  }

  private mutating func note(
    _ bytes: UnsafeRawBufferPointer, at place: Int, among kinds: Set<Kind> = Set(Kind.allCases)
  ) {
    let possible = columns[place].possible
    keep(possible.isEmpty ? [] : possible.filter { kinds.contains($0) && $0.holds(bytes) }, at: place)
  }
}
