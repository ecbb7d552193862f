import CPQ
import Foundation

/// Does the same work with libpq only. Values are in the binary form. Several statements are
/// prepared, and sent in a pipeline.
final class Plain {
  struct Failure: Error { let text: String }

  private let handle: OpaquePointer

  init(_ address: String) throws {
    guard let handle = PQconnectdb(address), PQstatus(handle) == CONNECTION_OK else {
      throw Failure(text: "there is no server at that address")
    }
    self.handle = handle
  }

  deinit { PQfinish(handle) }

  private func failure() -> Failure { Failure(text: String(cString: PQerrorMessage(handle))) }

  // MARK: Values

  /// The bytes of parameters, and their offsets; nil is null.
  struct Values {
    private(set) var bytes: [UInt8] = []
    private(set) var places: [(start: Int, count: Int)?] = []

    mutating func clear() {
      bytes.removeAll(keepingCapacity: true)
      places.removeAll(keepingCapacity: true)
    }
    mutating func dropLast(_ count: Int) { places.removeLast(count) }
    mutating func add<Number: FixedWidthInteger>(_ number: Number) {
      places.append((bytes.count, MemoryLayout<Number>.size))
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    mutating func add(_ number: Double) { add(number.bitPattern) }
    mutating func add(_ flag: Bool) { add(UInt8(flag ? 1 : 0)) }
    mutating func add(_ key: UUID) {
      places.append((bytes.count, 16))
      withUnsafeBytes(of: key.uuid) { bytes.append(contentsOf: $0) }
    }
    mutating func add(_ text: String?) {
      guard let text else { return places.append(nil) }
      let start = bytes.count
      bytes.append(contentsOf: text.utf8)
      places.append((start, bytes.count - start))
    }
  }

  // MARK: Statements

  @discardableResult
  func run(_ text: String) throws -> Result { try checked(PQexecParams(handle, text, 0, nil, nil, nil, nil, 1)) }

  func run(_ text: String, keys: [UUID]) throws -> Result {
    // A binary array: dimensions, nulls, element type, length, lower bound, then the elements.
    var bytes: [UInt8] = []
    func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
    for number in [1, 0, 2950, Int32(keys.count), 1] { append(number) }
    for key in keys {
      append(16)
      withUnsafeBytes(of: key.uuid) { bytes.append(contentsOf: $0) }
    }
    return try bytes.withUnsafeBytes { bytes in
      let value = bytes.bindMemory(to: CChar.self).baseAddress
      return try checked(PQexecParams(handle, text, 1, [2951], [value], [Int32(bytes.count)], [1], 1))
    }
  }

  private func checked(_ result: OpaquePointer?) throws -> Result {
    guard let result else { throw failure() }
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_COPY_IN: return Result(result)
    default:
      PQclear(result)
      throw failure()
    }
  }

  /// Sends prepared statements in one pipeline, and waits for all of them.
  func pipeline(_ body: () throws -> Int) throws {
    guard PQenterPipelineMode(handle) == 1 else { throw failure() }
    let count = try body()
    guard PQpipelineSync(handle) == 1 else { throw failure() }
    for _ in 0..<count {
      while let result = PQgetResult(handle) { _ = try checked(result) }
    }
    PQclear(PQgetResult(handle))
    guard PQexitPipelineMode(handle) == 1 else { throw failure() }
  }

  func prepare(_ name: String, _ text: String) throws { _ = try checked(PQprepare(handle, name, text, 0, nil)) }

  func send(_ name: String, _ values: Values) throws {
    let isSent = values.bytes.withUnsafeBytes { bytes in
      let base = bytes.bindMemory(to: CChar.self).baseAddress
      let pointers = values.places.map { place in place.flatMap { base?.advanced(by: $0.start) } }
      let lengths = values.places.map { Int32($0?.count ?? 0) }
      let formats = values.places.map { _ in 1 as Int32 }
      return PQsendQueryPrepared(handle, name, Int32(values.places.count), pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw failure() }
  }

  // MARK: COPY

  func copy(into table: String, rows: Int, columns: Int, _ fill: (Int, inout Values) -> Void) throws {
    _ = try run("COPY \(table) FROM STDIN (FORMAT binary)")
    var buffer: [UInt8] =
      Array("PGCOPY\n\u{FF}\r\n\0".unicodeScalars.map { UInt8($0.value) }) + Array(repeating: 0, count: 8)
    var values = Values()
    for row in 0..<rows {
      values.clear()
      fill(row, &values)
      withUnsafeBytes(of: Int16(columns).bigEndian) { buffer.append(contentsOf: $0) }
      for place in values.places {
        withUnsafeBytes(of: Int32(place?.count ?? -1).bigEndian) { buffer.append(contentsOf: $0) }
        if let place { buffer.append(contentsOf: values.bytes[place.start..<place.start + place.count]) }
      }
      if buffer.count > 60_000 { try put(&buffer) }
    }
    buffer += [0xFF, 0xFF]
    try put(&buffer)
    guard PQputCopyEnd(handle, nil) == 1 else { throw failure() }
    while let result = PQgetResult(handle) { _ = try checked(result) }
  }

  private func put(_ buffer: inout [UInt8]) throws {
    let count = Int32(buffer.count)
    let isPut = buffer.withUnsafeBytes { PQputCopyData(handle, $0.bindMemory(to: CChar.self).baseAddress, count) }
    guard isPut == 1 else { throw failure() }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// An answer in the binary form.
final class Result {
  private let handle: OpaquePointer
  init(_ handle: OpaquePointer) { self.handle = handle }
  deinit { PQclear(handle) }

  var count: Int { Int(PQntuples(handle)) }

  private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    if PQgetisnull(handle, Int32(row), Int32(column)) == 1 { return nil }
    return UnsafeRawBufferPointer(
      start: PQgetvalue(handle, Int32(row), Int32(column)), count: Int(PQgetlength(handle, Int32(row), Int32(column))))
  }
  func number(_ row: Int, _ column: Int) -> Int64 {
    bytes(row, column).map { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) } ?? 0
  }
  func double(_ row: Int, _ column: Int) -> Double { Double(bitPattern: UInt64(bitPattern: number(row, column))) }
  func bool(_ row: Int, _ column: Int) -> Bool { bytes(row, column)?.first == 1 }
  func text(_ row: Int, _ column: Int) -> String? { bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }
  func key(_ row: Int, _ column: Int) -> UUID? {
    bytes(row, column).map { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
