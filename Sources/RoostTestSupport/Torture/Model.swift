internal import RoostBytes

/// The expected content of a store: named trees of sorted entries, in plain arrays.
///
/// Number keys are stored as eight bytes, the highest first, so that both kinds are sorted by their
/// bytes.
package struct Model: Equatable, Sendable {
  package struct Tree: Equatable, Sendable {
    package var isTable: Bool
    package private(set) var keys: [[UInt8]] = []
    package private(set) var values: [[UInt8]] = []

    package init(isTable: Bool) { self.isTable = isTable }

    package var count: Int { keys.count }

    /// The index of the first key that is not below `key`.
    package func index(of key: [UInt8]) -> Int {
      var low = 0
      var high = keys.count
      while low < high {
        let middle = (low + high) / 2
        if Model.isBelow(keys[middle], key) { low = middle + 1 } else { high = middle }
      }
      return low
    }

    package func value(_ key: [UInt8]) -> [UInt8]? {
      let index = index(of: key)
      return index < keys.count && keys[index] == key ? values[index] : nil
    }

    /// Returns true if the key was not there.
    package mutating func put(_ key: [UInt8], _ value: [UInt8]) -> Bool {
      let index = index(of: key)
      if index < keys.count && keys[index] == key {
        values[index] = value
        return false
      }
      keys.insert(key, at: index)
      values.insert(value, at: index)
      return true
    }

    package mutating func remove(_ key: [UInt8]) -> Bool {
      let index = index(of: key)
      guard index < keys.count && keys[index] == key else { return false }
      keys.remove(at: index)
      values.remove(at: index)
      return true
    }

    package mutating func removeAll(from low: [UInt8], to high: [UInt8]?) -> Int {
      let first = index(of: low)
      let end = max(first, high.map { index(of: $0) } ?? keys.count)
      keys.removeSubrange(first..<end)
      values.removeSubrange(first..<end)
      return end - first
    }
  }

  package var trees: [String: Tree] = [:]

  package init() {}

  package var names: [String] { trees.keys.sorted { Model.isBelow(Array($0.utf8), Array($1.utf8)) } }

  /// A number that is equal for equal models, and practically unique.
  package var digest: UInt64 {
    var digest = Digest()
    for name in names {
      guard let tree = trees[name] else { continue }
      digest.begin(Array(name.utf8), isTable: tree.isTable, count: tree.count)
      for index in tree.keys.indices {
        tree.keys[index].withUnsafeBytes { key in tree.values[index].withUnsafeBytes { digest.add(key, $0) } }
      }
    }
    return digest.state
  }

  package static func isBelow(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let shared = min(left.count, right.count)
    for index in 0..<shared where left[index] != right[index] { return left[index] < right[index] }
    return left.count < right.count
  }

  package static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }

  package static func number(of bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// Adds up read values in order.
package struct Digest {
  package private(set) var state: UInt64 = 0x5265_6164_696E_6721

  package init() {}

  package mutating func begin(_ name: [UInt8], isTable: Bool, count: Int) {
    state = (state &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(count) << 1 ^ (isTable ? 1 : 0)
    name.withUnsafeBytes { mix($0) }
  }

  package mutating func add(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    mix(key)
    mix(value)
  }

  private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    state = (state << 7 | state >> 57) &* 0xBF58_476D_1CE4_E5B9 ^ UInt64(bytes.count)
    state = Checksum.of(bytes, seed: state)
  }
}
