/// A random number generator whose state is one number, so that a printed seed reproduces a run.
///
/// Its numbers are the same on every machine and in every version of Swift. So are the draws below,
/// unlike those of `Int.random(in:using:)`, which the standard library may change. Stored seeds
/// must stay valid.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A number from 0 up to, but without, `bound`, which must not be 0.
  package mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "a draw needs at least one outcome")
    // The high half of the product is uniform to within 2^-64 for each outcome, which no test can
    // detect.
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// True in `part` of `whole` cases.
  package mutating func chance(_ part: Int, in whole: Int) -> Bool { below(whole) < part }

  /// One of the elements of a collection that is not empty.
  package mutating func pick<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element {
    elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
  }

  package mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var index = 0
    while index < buffer.count {
      withUnsafeBytes(of: next().littleEndian) { word in
        let count = min(8, buffer.count - index)
        UnsafeMutableRawBufferPointer(rebasing: buffer[index..<index + count])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: word[..<count]))
      }
      index += 8
    }
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    result.withUnsafeMutableBytes { fill($0) }
    return result
  }

  /// A separate generator for a part of the work, so that the part does not shift later draws.
  package mutating func split() -> SplitMix64 { SplitMix64(seed: next()) }
}
