/// Finds bytes in bytes.
package enum ByteSearch {
  /// Whether `part` stands somewhere in `text`; nothing stands everywhere.
  @inline(__always)
  package static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    guard let first = part.first else { return true }
    guard let start = text.baseAddress, part.count <= text.count else { return false }
    let last = text.count &- part.count
    var offset = 0
    while offset <= last {
      if start.load(fromByteOffset: offset, as: UInt8.self) == first, isEqual(start + offset, part) { return true }
      offset &+= 1
    }
    return false
  }

  /// The same without the case of ASCII; `part` must be in lower case.
  @inline(__always)
  static func containsCaseless(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    guard let first = part.first else { return true }
    guard let start = text.baseAddress, part.count <= text.count else { return false }
    let last = text.count &- part.count
    var offset = 0
    while offset <= last {
      if Folding.lower(start.load(fromByteOffset: offset, as: UInt8.self)) == first {
        var index = 1
        while index < part.count,
          Folding.lower(start.load(fromByteOffset: offset &+ index, as: UInt8.self)) == part[index]
        {
          index &+= 1
        }
        if index == part.count { return true }
      }
      offset &+= 1
    }
    return false
  }

  @inline(__always)
  static func isEqual(_ start: UnsafeRawPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    var index = 1
    while index < part.count, start.load(fromByteOffset: index, as: UInt8.self) == part[index] { index &+= 1 }
    return index == part.count
  }
}
