internal import RoostFile

/// Bytes of a key, which compare like keys. Up to 24 bytes need no heap memory.
struct KeyBytes: Hashable, Comparable {
  private static let most = 24

  /// Zeros follow the bytes, so that whole words can be compared.
  private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
  private var length = 0
  /// All bytes, if there are more than 24.
  private var long: [UInt8] = []

  init() {}

  init(_ byte: UInt8) { append(byte) }

  init(_ bytes: UnsafeRawBufferPointer) {
    length = bytes.count
    if length > Self.most {
      long = Array(bytes)
      return
    }
    withUnsafeMutableBytes(of: &words) { words in
      if let start = bytes.baseAddress { words.baseAddress!.copyMemory(from: start, byteCount: bytes.count) }
    }
  }

  var count: Int { length }
  var isEmpty: Bool { length == 0 }

  subscript(place: Int) -> UInt8 {
    precondition(place >= 0 && place < length)
    return length > Self.most ? long[place] : withUnsafeBytes(of: words) { $0[place] }
  }

  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if length <= Self.most {
      return try withUnsafeBytes(of: words) { (words) throws(StoreError) in
        try body(UnsafeRawBufferPointer(start: words.baseAddress, count: length))
      }
    }
    let result = long.withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  // MARK: Changing

  mutating func append(_ byte: UInt8) {
    if length < Self.most {
      let place = length
      withUnsafeMutableBytes(of: &words) { $0[place] = byte }
    } else {
      lengthen(1)
      long.append(byte)
    }
    length += 1
  }

  static func + (one: KeyBytes, other: KeyBytes) -> KeyBytes {
    if one.isEmpty { return other }
    var joined = one
    if one.length + other.length > most {
      joined.lengthen(other.length)
      for place in 0..<other.length { joined.long.append(other[place]) }
      joined.length += other.length
    } else {
      for place in 0..<other.length { joined.append(other[place]) }
    }
    return joined
  }

  /// Moves the bytes into an array with room for `more` further ones.
  private mutating func lengthen(_ more: Int) {
    if length > Self.most { return }
    long.reserveCapacity(length + more)
    withUnsafeBytes(of: words) { long.append(contentsOf: $0.prefix(length)) }
    words = (0, 0, 0)
  }

  func prefix(_ count: Int) -> KeyBytes {
    if count >= length { return self }
    if length > Self.most {
      return long.withUnsafeBytes { KeyBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
    return withUnsafeBytes(of: words) { KeyBytes(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
  }

  /// The complement of all bytes, which is how a descending index part stores them.
  var complement: KeyBytes {
    var other = self
    if length > Self.most {
      for place in other.long.indices { other.long[place] = ~long[place] }
    } else {
      withUnsafeMutableBytes(of: &other.words) { words in for place in 0..<length { words[place] = ~words[place] } }
    }
    return other
  }

  /// The first key after all keys that begin with these bytes; nil if there is none.
  var behind: KeyBytes? {
    if length <= Self.most {
      var next = self
      next.length = withUnsafeMutableBytes(of: &next.words) { words in
        var last = length
        while last > 0, words[last - 1] == 255 {
          last -= 1
          words[last] = 0
        }
        if last > 0 { words[last - 1] += 1 }
        return last
      }
      return next.length == 0 ? nil : next
    }
    var last = length - 1
    while last >= 0, self[last] == 255 { last -= 1 }
    if last < 0 { return nil }
    var next = prefix(last)
    next.append(self[last] + 1)
    return next
  }

  // MARK: Comparing

  static func == (one: KeyBytes, other: KeyBytes) -> Bool {
    one.length == other.length && (one.length > most ? one.long == other.long : one.words == other.words)
  }

  static func < (one: KeyBytes, other: KeyBytes) -> Bool {
    if one.length <= most, other.length <= most {
      let (left, right) = (one.words, other.words)
      if left.0 != right.0 { return left.0.bigEndian < right.0.bigEndian }
      if left.1 != right.1 { return left.1.bigEndian < right.1.bigEndian }
      if left.2 != right.2 { return left.2.bigEndian < right.2.bigEndian }
      return one.length < other.length
    }
    return one.array.lexicographicallyPrecedes(other.array)
  }

  /// Whether it sorts after the key.
  @inline(__always)
  func isAbove(_ key: UnsafeRawBufferPointer) -> Bool {
    if length > Self.most { return long.withUnsafeBytes { TextBytes.bytesAreLess(key, $0) } }
    return withUnsafeBytes(of: words) {
      TextBytes.bytesAreLess(key, UnsafeRawBufferPointer(start: $0.baseAddress, count: length))
    }
  }

  /// Whether a key begins with these bytes; false if there are none.
  @inline(__always)
  func begins(_ key: UnsafeRawBufferPointer) -> Bool {
    guard length > 0, key.count >= length else { return false }
    let head = UnsafeRawBufferPointer(rebasing: key.prefix(length))
    if length > Self.most { return long.withUnsafeBytes { TextBytes.isSame($0, head) } }
    return withUnsafeBytes(of: words) {
      TextBytes.isSame(UnsafeRawBufferPointer(start: $0.baseAddress, count: length), head)
    }
  }

  private var array: [UInt8] { length > Self.most ? long : withUnsafeBytes(of: words) { Array($0.prefix(length)) } }

  func hash(into hasher: inout Hasher) { hasher.combine(array) }
}
