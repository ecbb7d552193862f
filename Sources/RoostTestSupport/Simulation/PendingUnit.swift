/// An unsynced change that a crash keeps or loses as a whole.
///
/// A write is split into a unit for each sector of 512 bytes and, if the file grows, one for the
/// size. Changes of names are separate units, independent of the data.
package struct PendingUnit: Sendable, CustomStringConvertible {
  static let sectorBytes = 512

  struct NameChange: Sendable {
    var path: String
    /// The file with the name afterwards; nil if the name is removed.
    var file: UInt64?
  }

  enum Change: Sendable {
    /// `count` bytes of `source` from `start`, all in one sector of the file.
    case bytes(file: UInt64, offset: Int, source: Block, start: Int, count: Int)
    case grow(file: UInt64, to: Int)
    case cut(file: UInt64, to: Int)
    /// Changes of names that happen together: a rename is one unit, as in journaling file systems.
    case names(folder: String, [NameChange])
  }

  /// The position in the order of all changes of the file system.
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

  /// The units of a write of `bytes`, split at the ends of sectors.
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
  /// Applies those of `units` that belong to `file` and whose index `keeps` accepts.
  ///
  /// Consecutive sectors of one write are copied together: most images keep most of them.
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
