internal import RoostRecords

/// Memory for bytes that a program makes: constants as long as the program lives, values of a row
/// until the next row.
final class Arena {
  @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
  @exclusivity(unchecked) private(set) var isEmpty = true

  deinit { clear() }

  func clear() {
    for block in blocks { block.deallocate() }
    blocks.removeAll(keepingCapacity: true)
    isEmpty = true
  }

  /// A mark for ``release(to:)``, which frees all that is kept after it.
  var mark: Int { blocks.count }

  func release(to mark: Int) {
    while blocks.count > mark { blocks.removeLast().deallocate() }
    isEmpty = blocks.isEmpty
  }

  func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let block = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
    blocks.append(block)
    isEmpty = false
    if let start = bytes.baseAddress { block.copyMemory(from: start, byteCount: bytes.count) }
    return UnsafeRawBufferPointer(start: block, count: bytes.count)
  }

  func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer { bytes.withUnsafeBytes { keep($0) } }

  /// The value as a cell; nil if no cell can hold it.
  func cell(_ value: Value) -> Cell? {
    switch value {
    case .null: return .null
    case .bool(let flag): return Cell(bits: flag ? 1 : 0)
    case .int(let number): return Cell(number)
    case .uint(let number): return Cell(bits: number)
    case .float(let number): return Cell(Double(number))
    case .double(let number), .date(let number): return Cell(number)
    case .reference(let row): return Cell(bits: row.number)
    case .string(let text), .url(let text):
      var text = text
      return text.withUTF8 { Cell(keep(UnsafeRawBufferPointer($0))) }
    case .data(let bytes): return Cell(keep(bytes))
    case .uuid(let number):
      var words = (number.high.bigEndian, number.low.bigEndian)
      return withUnsafeBytes(of: &words) { Cell(keep($0)) }
    case .decimal, .array, .set, .dictionary, .structure: return nil
    }
  }
}

extension Cell {
  /// The cell as a value of a kind.
  func value(_ kind: Kind) -> Value {
    guard !isNull, case .plain(let type) = kind.whole else { return .null }
    switch type {
    case .bool, .presence: return .bool(bits != 0)
    case .int8, .int16, .int32, .int64: return .int(signed)
    case .uint8, .uint16, .uint32, .uint64: return .uint(bits)
    case .float: return .float(Float(double))
    case .double: return .double(double)
    case .date: return .date(double)
    case .string: return .string(String(decoding: bytes, as: UTF8.self))
    case .url: return .url(String(decoding: bytes, as: UTF8.self))
    case .data: return .data([UInt8](bytes))
    case .reference: return .reference(RowID(bits))
    case .uuid:
      return .uuid(
        UUIDNumber(
          high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
          low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
    case .decimal, .array, .set, .dictionary: return .null
    }
  }
}
