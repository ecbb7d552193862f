/// Finds the one bit that differs from the hashed bytes.
extension Checksum {
  /// The bits that, each flipped alone, give the bytes this checksum. The search stops at two,
  /// because then the result is ambiguous.
  ///
  /// A flipped bit changes one lane from its block on. The other lanes, and this lane before the
  /// block, stay the same. So on average 32 of a page's 256 steps are repeated.
  package static func singleBits(in bytes: UnsafeRawBufferPointer, matching wanted: UInt64) -> [Int] {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return [] }
    let blocks = (bytes.count + 15) / 16
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: blocks * 3) { words in
      let words = words.baseAddress!
      UnsafeMutableRawPointer(words).initializeMemory(as: UInt8.self, repeating: 0, count: blocks * 16)
      UnsafeMutableRawPointer(words).copyMemory(from: start, byteCount: bytes.count)
      for word in 0..<blocks * 2 { words[word] = UInt64(littleEndian: words[word]) }
      let search = Neighbours(words: words, before: words + blocks * 2, blocks: blocks, byteCount: bytes.count)
      return search.run(wanted)
    }
  }

  /// ## Layout
  /// `words` holds two words for each block, `before` the state of the block's lane before it.
  private struct Neighbours {
    let words: UnsafeMutablePointer<UInt64>
    let before: UnsafeMutablePointer<UInt64>
    let blocks: Int
    let byteCount: Int

    func run(_ wanted: UInt64) -> [Int] {
      var found: [Int] = []
      let ends = (begin(0), begin(1), begin(2), begin(3))
      for block in 0..<blocks {
        let (a, b) = (words[block * 2], words[block * 2 + 1])
        for half in 0..<2 {
          let first = block * 16 + half * 8
          let bits = min(64, (byteCount - first) * 8)
          for bit in 0..<max(0, bits) {
            let flip = UInt64(1) << UInt64(bit)
            let end = end(block, a ^ (half == 0 ? flip : 0), b: b ^ (half == 1 ? flip : 0))
            var lanes = ends
            switch block & 3 {
            case 0: lanes.0 = end
            case 1: lanes.1 = end
            case 2: lanes.2 = end
            default: lanes.3 = end
            }
            guard Checksum.finish(lanes.0, lanes.1, three: lanes.2, four: lanes.3, count: UInt64(byteCount)) == wanted
            else { continue }
            found.append(first * 8 + bit)
            if found.count > 1 { return found }
          }
        }
      }
      return found
    }

    /// Stores the states of a lane, and returns its last one.
    private func begin(_ lane: Int) -> UInt64 {
      var state = Checksum.start(lane, seed: 0)
      let (key, other) = Checksum.stepKeys(lane)
      for block in stride(from: lane, to: blocks, by: 4) {
        before[block] = state
        state = Checksum.step(state, words[block * 2], b: words[block * 2 + 1], key: key, other: other)
      }
      return state
    }

    /// The last state of a block's lane, if the block contained these words.
    @inline(__always)
    private func end(_ block: Int, _ a: UInt64, b: UInt64) -> UInt64 {
      let (key, other) = Checksum.stepKeys(block & 3)
      var state = Checksum.step(before[block], a, b: b, key: key, other: other)
      var next = block + 4
      while next < blocks {
        state = Checksum.step(state, words[next &* 2], b: words[next &* 2 &+ 1], key: key, other: other)
        next &+= 4
      }
      return state
    }
  }
}
