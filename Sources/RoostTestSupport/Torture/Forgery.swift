internal import RoostBytes
internal import RoostPages
internal import RoostTrees

/// Forges a store's file: changed pages with matching checksums.
///
/// Checksums find accidental errors. A person who knows the format can make a file with right
/// checksums and wrong numbers. Then only the validation of each number protects memory. So this
/// changes pages, and computes every checksum above them again.
package struct Forgery {
  package private(set) var file: [UInt8]
  /// The position of a checksum in the file, and the bytes that it covers.
  private struct Link {
    var at: Int
    var place: UInt32
    var count: Int
  }
  /// The links inside a page come before the link to it.
  private var links: [Link] = []
  /// The pages of trees and of the free map, by their places.
  package private(set) var pages: [UInt32] = []
  private var seen = Set<UInt32>()

  /// Decodes a healthy file; nil if it is not one.
  package init?(_ file: [UInt8]) {
    self.file = file
    guard let head = Reach.newest(file) else { return nil }
    slots = [0, 4096].filter { Reach.Head(file[$0..<$0 + 4096])?.sequence == head.sequence }
    guard let slot = slots.first else { return nil }
    follow(slot + 64, word(slot + 56))
    follow(slot + 88, word(slot + 80))
    links.removeAll { slots.contains($0.at / 4096 * 4096) }
  }

  /// The valid superblocks: one, or in a closed file both, which name the same state.
  private let slots: [Int]

  private func word(_ at: Int) -> UInt32 { file.withUnsafeBytes { $0.baseAddress!.u32(at) } }

  private mutating func follow(_ at: Int, _ place: UInt32) {
    guard place >= 2, (Int(place) + 1) * 4096 <= file.count else { return }
    // A page with two references is sealed before both.
    if seen.insert(place).inserted {
      pages.append(place)
      for (at, place, count) in below(place) {
        if count == 4096 { follow(at, place) } else { links.append(Link(at: at, place: place, count: count)) }
      }
    }
    links.append(Link(at: at, place: place, count: 4096))
  }

  /// The positions of the checksums in a page, and the bytes that they cover.
  private func below(_ place: UInt32) -> [(at: Int, place: UInt32, count: Int)] {
    let base = Int(place) * 4096
    return file.withUnsafeBytes { buffer in
      let page = buffer.baseAddress! + base
      let count = Int(page.u16(2))
      switch page.u8(0) {
      case 5: return []
      case 6: return (0..<min(count, (4096 - 48) / 16)).map { (base + 48 + $0 * 16, page.u32(40 + $0 * 16), 4096) }
      default: break
      }
      guard Complaint.about(PageID(place), page) == nil else { return [] }
      if page.u8(1) > 0 {
        return (0..<count).map { index in
          let cell = Branch.cell(page, index)
          return (base + (cell - page) + 4, cell.u32(0), 4096)
        }
      }
      var found: [(at: Int, place: UInt32, count: Int)] = []
      for index in 0..<count {
        let value = page.u8(0) == 2 ? IntegerLeaf.value(page, index) : ByteNode.value(page, index)
        let start = base + (value.start - page)
        if page.u32(4) == 0, value.count == TreeDescriptor.byteCount {
          found.append((start + 12, value.start.u32(8), 4096))
        } else if value.isExtents, let list = ExtentList(decoding: value.bytes) {
          for (number, extent) in list.extents.enumerated() {
            found.append((start + 18 + 20 * number + 12, extent.place, Int(extent.storedBytes)))
          }
        }
      }
      return found
    }
  }

  // MARK: Changing

  /// Changes a page of the file, of any kind.
  package mutating func edit<Result>(_ place: UInt32, _ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    file.withUnsafeMutableBytes { body($0.baseAddress! + Int(place) * 4096) }
  }

  /// Changes all valid superblocks.
  package mutating func editSuperblocks(_ body: (UnsafeMutableRawPointer) -> Void) {
    for slot in slots { edit(UInt32(slot / 4096), body) }
  }

  /// Adds a page and returns its place. The superblocks' page count then includes it.
  package mutating func append(_ body: (UnsafeMutableRawPointer) -> Void) -> UInt32 {
    let place = UInt32(file.count / 4096)
    file.append(contentsOf: [UInt8](repeating: 0, count: Int(place + 1) * 4096 - file.count))
    edit(place, body)
    editSuperblocks { $0.set32(84, place + 1) }
    return place
  }

  /// The pages of a kind and level, in the order of the walk.
  package func pages(kind: UInt8, level: UInt8? = nil, tree: UInt32? = nil) -> [UInt32] {
    pages.filter { place in
      let base = Int(place) * 4096
      return file[base] == kind && (level == nil || file[base + 1] == level) && (tree == nil || word(base + 4) == tree)
    }
  }

  /// Redirects the link with its checksum at `at` to other bytes.
  package mutating func point(_ at: Int, to place: UInt32, count: Int = 4096) {
    links.removeAll { $0.at == at }
    links.append(Link(at: at, place: place, count: count))
  }

  /// The positions of the checksums of a page's own references.
  package func checks(in place: UInt32) -> [Int] { links.map(\.at).filter { $0 / 4096 == Int(place) } }

  /// Computes all checksums again, from below up to the superblocks, and returns the file.
  package mutating func sealed() -> [UInt8] {
    // Redirected links may violate the order of the walk, so it repeats until nothing changes.
    for _ in 0..<40 {
      var isSettled = true
      for link in links {
        let start = Int(link.place) * 4096
        guard start + link.count <= file.count, link.at + 8 <= file.count else { continue }
        let check = file[start..<start + link.count].withUnsafeBytes { Checksum.of($0) }
        isSettled = put(check, at: link.at) && isSettled
      }
      if isSettled { break }
    }
    for slot in slots {
      for (reference, check) in [(56, 64), (80, 88)] {
        let start = Int(word(slot + reference)) * 4096
        guard start > 4096, start + 4096 <= file.count else { continue }
        _ = put(file[start..<start + 4096].withUnsafeBytes { Checksum.of($0) }, at: slot + check)
      }
      _ = put(file[slot..<slot + 4088].withUnsafeBytes { Checksum.of($0) }, at: slot + 4088)
    }
    return file
  }

  /// Returns false if the checksum was already there.
  private mutating func put(_ check: UInt64, at: Int) -> Bool {
    file.withUnsafeMutableBytes { buffer in
      let memory = buffer.baseAddress!
      if memory.u64(at) == check { return true }
      memory.set64(at, check)
      return false
    }
  }

  // MARK: The log

  /// Computes the checksums of a log again: those of its header, its segments and the frames, with
  /// their chain.
  package static func sealLog(_ log: inout [UInt8], segmentBytes: Int, header: Bool = true) {
    guard log.count > 4096 else { return }
    log.withUnsafeMutableBytes { buffer in
      let memory = buffer.baseAddress!
      func check(_ start: Int, _ count: Int, seed: UInt64 = 0) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(start: memory + start, count: count), seed: seed)
      }
      if header { memory.set64(40, check(0, 40)) }
      for start in stride(from: 4096, through: max(4096, buffer.count - segmentBytes), by: segmentBytes) {
        guard start + segmentBytes <= buffer.count else { return }
        let salt = memory.u64(start + 32)
        memory.set64(start + 64, check(start, 64))
        var at = start + 96
        while at + 40 <= start + segmentBytes {
          let payload = Int(memory.u32(at))
          let padded = (payload + 7) & ~7
          guard payload > 0, at + 40 + padded <= start + segmentBytes else { break }
          let seal = check(at + 40, padded, seed: check(at, 32, seed: salt))
          memory.set64(at + 32, seal)
          let next = at + 40 + padded
          if next + 40 <= start + segmentBytes, memory.u32(next) > 0 { memory.set64(next + 24, seal) }
          at = next
        }
      }
    }
  }
}
