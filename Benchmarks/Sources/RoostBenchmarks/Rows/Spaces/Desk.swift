import Foundation

/// The memory in which a session assembles keys and records.
///
/// ## Layout
/// ```
/// 0    u64 number of a row
/// 16   key of an entry, then the number of a row
/// 256  record
/// ```
struct Desk {
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)

  private var key: UnsafeMutableRawPointer { memory + 16 }
  var record: UnsafeMutableRawPointer { memory + 256 }

  /// The session calls this once, at its end.
  func clear() { memory.deallocate() }

  /// The eight bytes of a word, until the next call.
  @inline(__always)
  func word(_ word: UInt64) -> UnsafeRawBufferPointer {
    memory.storeBytes(of: word, as: UInt64.self)
    return UnsafeRawBufferPointer(start: memory, count: 8)
  }

  // MARK: Records

  /// The first bytes of the record.
  @inline(__always)
  func record(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: record, count: count) }

  @inline(__always)
  func packed(_ track: TrackRow) -> UnsafeRawBufferPointer {
    PackedTrack.write(track, to: record)
    return record(PackedTrack.byteCount(track))
  }

  @inline(__always)
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    record.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    return record(bytes.count)
  }

  // MARK: Keys, each until the next one

  @inline(__always)
  func key(number: UInt64) -> EntryKey {
    key.storeBytes(of: number, as: UInt64.self)
    return EntryKey(start: key, count: 8)
  }

  @inline(__always)
  func key(genre: UnsafeRawBufferPointer?) -> EntryKey {
    key.storeBytes(of: genre == nil ? 0 : 1, as: UInt8.self)
    let count = genre?.count ?? 0
    if let genre { (key + 1).copyMemory(from: genre.baseAddress!, byteCount: count) }
    key.storeBytes(of: 0, toByteOffset: 1 + count, as: UInt8.self)
    return EntryKey(start: key, count: 2 + count)
  }

  @inline(__always)
  func key(date: Double) -> EntryKey {
    let bits = date.bitPattern
    return key(number: (bits >> 63 == 0 ? bits | 1 << 63 : ~bits).bigEndian)
  }

  func key(parent: UInt64, position: Int64) -> EntryKey {
    key.storeBytes(of: parent.bigEndian, as: UInt64.self)
    key.storeBytes(of: position.bigEndian, toByteOffset: 8, as: Int64.self)
    return EntryKey(start: key, count: 16)
  }
}

/// The key of an entry, with room after it.
struct EntryKey {
  fileprivate let start: UnsafeMutableRawPointer
  let count: Int

  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// The key followed by the number of a row, for engines that store a key once.
  @inline(__always)
  func joined(_ row: UInt64) -> UnsafeRawBufferPointer {
    start.storeBytes(of: row.bigEndian, toByteOffset: count, as: UInt64.self)
    return UnsafeRawBufferPointer(start: start, count: count + 8)
  }

  /// Whether `joined` is this key followed by the number of a row.
  @inline(__always)
  func begins(_ joined: UnsafeRawBufferPointer) -> Bool {
    joined.count == count + 8 && memcmp(joined.baseAddress!, start, count) == 0
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
  }

  /// The first eight bytes as a big-endian number.
  @inline(__always)
  var bigEndianWord: UInt64 { UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }

  /// The last eight bytes as a big-endian number.
  @inline(__always)
  var lastBigEndianWord: UInt64 { UInt64(bigEndian: loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)) }
}
