/// One component of a key path.
///
/// Swift compares whole key paths only, and a key path with a `?` equals none but itself. Swift's
/// description of a computed component has the address of a getter, which differs between the files
/// of an optimised build. So this code reads the components where the Swift runtime keeps them;
/// Foundation reads the same memory to check predicates. If the memory does not look as expected,
/// the key path has no components here and is not recognised.
///
/// ## Layout
/// After the object's header (two words) and a word for Objective-C there is a word whose lowest 24
/// bits are the length of the rest. The rest contains the components. After each component except
/// the last there is its type, at the next whole word.
///
///     4 bytes   bits 24...30: the kind (1 part of a struct, 2 computed, 3 part of a class, 4 optional); below: about the kind
///     part      its offset is in the lowest 23 bits, or in 4 bytes more where these are all set
///     computed  up to the next word nothing; then a word each for what tells it from others, the getter, and the setter if there
///               is one; if there are arguments, a word for their length, one for the functions that copy them, and the arguments
///     optional  0 is `?`, 1 the end of what a `?` began, 2 `!`
enum KeyPathComponent: Hashable {
  case part(offset: UInt32)
  /// The identity that `==` compares: an address or an index in a table, and which of them it is.
  case computed(identity: UInt, kind: UInt32)
  case chain
  case chainEnd
  case force

  static func all(of keyPath: AnyKeyPath) -> [KeyPathComponent]? {
    withExtendedLifetime(keyPath) {
      let word = MemoryLayout<UInt>.size
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let length = Int(object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0x00FF_FFFF)
      var reader = KeyPathReader(bytes: UnsafeRawBufferPointer(start: object + 4 * word, count: length))
      return reader.components()
    }
  }

  /// The words of the arguments that a key path of one subscript has; empty for other key paths.
  static func arguments(of keyPath: AnyKeyPath) -> [UInt] {
    withExtendedLifetime(keyPath) {
      let word = MemoryLayout<UInt>.size
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let length = Int(object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0x00FF_FFFF)
      var reader = KeyPathReader(bytes: UnsafeRawBufferPointer(start: object + 4 * word, count: length))
      return reader.arguments()
    }
  }

  /// All words of the components of a key path.
  static func words(of keyPath: AnyKeyPath) -> [UInt] {
    withExtendedLifetime(keyPath) {
      let word = MemoryLayout<UInt>.size
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let length = Int(object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0x00FF_FFFF)
      return (0..<length / word).map { object.loadUnaligned(fromByteOffset: (4 + $0) * word, as: UInt.self) }
    }
  }

  /// Whether it belongs to a `?` or a `!`.
  var isMark: Bool {
    switch self {
    case .chain, .chainEnd, .force: true
    case .part, .computed: false
    }
  }
}

/// Reads the components of a key path. It never reads beyond the length that the key path states.
private struct KeyPathReader {
  let bytes: UnsafeRawBufferPointer
  private var place = 0
  private let word = MemoryLayout<UInt>.size

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func components() -> [KeyPathComponent]? {
    var all: [KeyPathComponent] = []
    while place < bytes.count {
      guard let next = component() else { return nil }
      all.append(next)
      if place == bytes.count { return all }
      // The type of its value.
      place = (place + word - 1) / word * word
      guard skip(word) else { return nil }
    }
    return nil
  }

  private mutating func component() -> KeyPathComponent? {
    guard let header = take(UInt32.self) else { return nil }
    switch (header >> 24 & 0x7F, header & 0x00FF_FFFF) {
    case (1, let payload), (3, let payload):
      let offset = payload & 0x007F_FFFF
      return offset == 0x007F_FFFF ? take(UInt32.self).map(KeyPathComponent.part(offset:)) : .part(offset: offset)
    case (2, let payload): return computed(payload)
    case (4, 0): return .chain
    case (4, 1): return .chainEnd
    case (4, 2): return .force
    default: return nil
    }
  }

  private mutating func computed(_ payload: UInt32) -> KeyPathComponent? {
    guard skip(word - 4), let identity = take(UInt.self), skip(word) else { return nil }
    if payload & 0x0040_0000 != 0 { guard skip(word) else { return nil } }
    if payload & 0x0008_0000 != 0 {
      guard let size = take(Int.self), skip(word) else { return nil }
      if payload & 0x10 != 0 { guard skip(word) else { return nil } }
      guard skip(size) else { return nil }
    }
    return .computed(identity: identity, kind: payload & 0x0030_0000)
  }

  /// The words of the arguments of the first component.
  mutating func arguments() -> [UInt] {
    guard let header = take(UInt32.self), header >> 24 & 0x7F == 2, header & 0x0008_0000 != 0, skip(word - 4),
      skip(2 * word), header & 0x0040_0000 == 0 || skip(word), let size = take(Int.self), skip(word),
      header & 0x10 == 0 || skip(word)
    else { return [] }
    var words: [UInt] = []
    while words.count < min(size, 256) / word, let next = take(UInt.self) { words.append(next) }
    return words
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= bytes.count - place else { return false }
    place += count
    return true
  }

  private mutating func take<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
    let start = place
    guard skip(MemoryLayout<Number>.size) else { return nil }
    return bytes.loadUnaligned(fromByteOffset: start, as: type)
  }
}
