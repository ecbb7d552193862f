/// A change that a crash keeps or loses as a whole, as long as it is not synced.
///
/// A write falls into one unit a sector of 512 bytes and, where the file grows, one for the size. Names are units
/// of their own and know nothing of the data behind them.
package struct PendingUnit: Sendable, CustomStringConvertible {
  static let sectorBytes = 512

  struct NameChange: Sendable {
    var path: String
    /// The file the name stands for afterwards; nil where the name is gone.
    var file: UInt64?
  }

  enum Change: Sendable {
    /// `count` bytes of `source` from `start`, all in one sector of the file.
    case bytes(file: UInt64, offset: Int, source: Block, start: Int, count: Int)
    case grow(file: UInt64, to: Int)
    case cut(file: UInt64, to: Int)
    /// Changes of names that happen together: a rename is one unit, as journaling file systems make it.
    case names(folder: String, [NameChange])
  }

  /// The place in the order of all changes of the file system.
  var sequence: UInt64
  var change: Change

  package var description: String {
    switch change {
    case .bytes(let file, let offset, _, _, let count): "file \(file) bytes \(offset)+\(count)"
    case .grow(let file, let size): "file \(file) grows to \(size)"
    case .cut(let file, let size): "file \(file) cut to \(size)"
    case .names(_, let changes):
      changes.map { "\($0.path) = " + ($0.file.map { "file \($0)" } ?? "none") }.joined(separator: ", ")
    }
  }

  var isBytes: Bool { if case .bytes = change { true } else { false } }

  /// The units of a write of `bytes`, split where a sector of the file ends.
  static func sectors(
    of bytes: UnsafeRawBufferPointer, file: UInt64, at offset: Int, from sequence: inout UInt64
  ) -> [PendingUnit] {
    let source = Block(copying: bytes)
    var units: [PendingUnit] = []
    units.reserveCapacity(bytes.count / sectorBytes + 2)
    var done = 0
    while done < bytes.count {
      let count = min(bytes.count - done, sectorBytes - (offset + done) % sectorBytes)
      sequence += 1
      let change = Change.bytes(file: file, offset: offset + done, source: source, start: done, count: count)
      units.append(PendingUnit(sequence: sequence, change: change))
      done += count
    }
    return units
  }
}

extension Content {
  /// Makes those of `units` that belong to `file` and that `keeps` names by their index.
  ///
  /// Sectors that follow each other in one write are copied together: most images keep most of them.
  mutating func apply(_ units: [PendingUnit], file: UInt64, keeps: (Int) -> Bool) {
    var index = 0
    while index < units.count {
      let first = index
      index += 1
      guard keeps(first) else { continue }
      switch units[first].change {
      case .bytes(let owner, let offset, let source, let start, var count) where owner == file:
        while index < units.count, keeps(index),
          case .bytes(file, offset + count, let next, start + count, let more) = units[index].change, next === source
        {
          count += more
          index += 1
        }
        write(source.bytes(start, count), at: offset)
      case .grow(let owner, let size) where owner == file: grow(to: size)
      case .cut(let owner, let size) where owner == file: cut(to: size)
      default: break
      }
    }
    cut(to: size)
  }
}
