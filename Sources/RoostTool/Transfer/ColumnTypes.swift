import RoostRecords
import RoostTransfer

/// Finds out the types of a text's columns from all of their values.
///
/// A column is optional if a value is missing. Numbers with leading zeros, such as postal codes, are texts.
struct ColumnTypes {
  struct Column {
    var name: String
    var values = 0
    fileprivate var possible: Set<Kind> = Set(Kind.allCases)

    /// The first type that all values have; a column without values is one of texts.
    var type: FieldType {
      if values == 0 { return .string }
      return Kind.allCases.first { possible.contains($0) }?.type ?? .string
    }
  }

  /// The types, those with the fewest values first.
  fileprivate enum Kind: CaseIterable {
    case bool, int, double, uuid, date

    var type: FieldType {
      switch self {
      case .bool: .bool
      case .int: .int64
      case .double: .double
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
      case .int: return !Self.hasLeadingZero(bytes) && (try? NumberText.integer(bytes, as: Int64.self)) != nil
      case .double: return !Self.hasLeadingZero(bytes) && Self.isNumber(bytes)
      case .uuid:
        return bytes.count == 36 && (try? PlainText.value(String(decoding: bytes, as: UTF8.self), .uuid)) != nil
      case .date: return bytes.count >= 10 && bytes[4] == UInt8(ascii: "-") && (try? DateText.date(bytes)) != nil
      }
    }

    private static func hasLeadingZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
      let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
      guard digits.count > 1, digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first else {
        return false
      }
      return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    /// Words such as `nan` are no numbers here.
    private static func isNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard let last = bytes.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) else { return false }
      return (try? NumberText.double(bytes)) != nil
    }
  }

  private(set) var columns: [Column] = []
  private(set) var records = 0
  private var places: [String: Int] = [:]
  /// Columns that are left out.
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
          "'\(name)' holds lists or objects, which '--create' makes no property of: leave it out with --rename '\(name)='",
          at: token.place, in: record, field: name)
      }
      switch token.kind {
      case .yes, .no: keep([.bool], at: place)
      // A number in quotes is a text in JSON.
      case .text: note(batch.bytes(token), at: place, among: [.uuid, .date])
      default: note(batch.bytes(token), at: place, among: [.int, .double])
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
