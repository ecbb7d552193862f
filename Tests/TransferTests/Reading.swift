import RoostRecords
import RoostTransfer

/// A record as plain values, for comparisons.
indirect enum Plain: Hashable, Sendable {
  case null, yes, no
  case text(String)
  case number(String)
  case list([Plain])
  case object([[String]: Plain])
  case bare(String)
}

/// The results of a reader: records, and errors with their places.
enum Found: Hashable, Sendable {
  case record([Plain])
  case fault(TransferFault.Code, Int?, Int?)
}

enum Reading {
  static func all(
    _ bytes: [UInt8], _ format: TextFormat, limits: TransferLimits = TransferLimits(), piece: Int = 1 << 18,
    inputPiece: Int = .max
  ) throws -> [Found] {
    try all(MemoryInput(bytes, piece: inputPiece), format, limits: limits, piece: piece).found
  }

  static func all(
    _ input: any ByteInput, _ format: TextFormat, limits: TransferLimits = TransferLimits(), piece: Int = 1 << 18
  ) throws -> (found: [Found], names: [String]?) {
    let reader = try TextReader(input, format, limits: limits, piece: piece)
    let batch = try RecordBatch()
    var found: [Found] = []
    while try reader.next(batch) {
      for record in batch.records {
        if let fault = record.fault {
          found.append(.fault(fault.code, fault.line, fault.column))
        } else {
          found.append(.record(plain(batch, record.tokens)))
        }
      }
    }
    return (found, reader.names)
  }

  private static func plain(_ batch: RecordBatch, _ tokens: Range<Int>) -> [Plain] {
    var (at, all): (Int, [Plain]) = (tokens.lowerBound, [])
    while at < tokens.upperBound { all.append(value(batch, &at)) }
    return all
  }

  private static func value(_ batch: RecordBatch, _ at: inout Int) -> Plain {
    let token = batch.tokens[at]
    at += 1
    switch token.kind {
    case .bare: return .bare(batch.string(token))
    case .text, .name: return .text(batch.string(token))
    case .number: return .number(batch.string(token))
    case .yes: return .yes
    case .no: return .no
    case .null: return .null
    case .end: return .null
    case .list:
      let end = at + token.count
      var all: [Plain] = []
      while at < end - 1 { all.append(value(batch, &at)) }
      at = end
      return .list(all)
    case .object:
      let end = at + token.count
      var all: [[String]: Plain] = [:]
      while at < end - 1 {
        let name = batch.string(batch.tokens[at])
        at += 1
        // A name that occurs twice gets the number of its occurrence.
        var key = [name]
        while all[key] != nil { key.append("") }
        all[key] = value(batch, &at)
      }
      at = end
      return .object(all)
    }
  }
}
