#if Postgres
  internal import CPostgres
  internal import RoostRecords

  /// The rows that the server returned for one statement, in binary form.
  package final class Answer {
    private let result: OpaquePointer
    package let count: Int

    /// Takes over the result.
    init(_ result: OpaquePointer) {
      self.result = result
      count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    /// How many columns it has.
    package var columns: Int { Int(PQnfields(result)) }

    /// How many rows a statement changed.
    var changedRows: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The bytes of a field; nil for null. They are valid as long as the answer exists.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
      let (row, column) = (Int32(row), Int32(column))
      let length = Int(PQgetlength(result, row, column))
      if length == 0, PQgetisnull(result, row, column) != 0 { return nil }
      return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
    }

    /// Calls a body with the bytes of a field; with nil for null.
    func read<Result>(
      _ row: Int, _ column: Int, with body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
      try withExtendedLifetime(self) { try body(bytes(row, column)) }
    }

    package func text(_ row: Int, _ column: Int) -> String? {
      read(row, column) { $0.flatMap { String(validating: $0, as: UTF8.self) } }
    }

    func integer(_ row: Int, _ column: Int) -> Int64? {
      read(row, column) { bytes in
        bytes.flatMap { bytes in
          var reader = WireReader(bytes)
          switch bytes.count {
          case 2: return reader.take(Int16.self).map { Int64($0) }
          case 4: return reader.take(Int32.self).map { Int64($0) }
          default: return reader.take(Int64.self)
          }
        }
      }
    }

    func isTrue(_ row: Int, _ column: Int) -> Bool { read(row, column) { $0?.first == 1 } }

    func uuid(_ row: Int, _ column: Int) -> UUIDNumber? {
      read(row, column) { bytes in bytes.flatMap { UUIDNumber(wire: $0) } }
    }

    /// The elements of an array; empty if it is null.
    func uuids(_ row: Int, _ column: Int) -> [UUIDNumber]? {
      elements(row, column) { UUIDNumber(wire: $0) }
    }

    func texts(_ row: Int, _ column: Int) -> [String]? {
      elements(row, column) { String(validating: $0, as: UTF8.self) }
    }

    /// Integers; a null among them is `instead`.
    func integers(_ row: Int, _ column: Int, null instead: Int64) -> [Int64]? {
      elements(row, column, null: instead) { bytes in
        var reader = WireReader(bytes)
        return reader.take(Int64.self)
      }
    }

    private func elements<Element>(
      _ row: Int, _ column: Int, null instead: Element? = nil, make: (UnsafeRawBufferPointer) -> Element?
    ) -> [Element]? {
      read(row, column) { bytes in
        guard let bytes else { return [] }
        var reader = WireReader(bytes)
        var all: [Element] = []
        let isWhole = reader.eachElement { element in
          guard let made = element.map(make) ?? instead else { return false }
          all.append(made)
          return true
        }
        return isWhole ? all : nil
      }
    }
  }
#endif
