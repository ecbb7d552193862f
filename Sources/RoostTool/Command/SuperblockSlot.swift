import RoostBytes
import RoostFile
import RoostPages

/// One of the two superblocks in `info` and `verify`. It is read directly from the file, by the
/// table in Docs/FILE-FORMAT.md, so that it can be shown even if the store does not open.
struct SuperblockSlot: Encodable {
  enum Health: String, Encodable {
    case good, damaged, blank, foreign
  }

  var slot: Int
  var health: Health
  /// The following values are set only if the health is good.
  var version: UInt32?
  var pageSize: UInt32?
  var sequence: UInt64?
  var commit: UInt64?
  var pageCount: UInt32?
  var storeID: String?
  var namesLog: Bool?

  init(slot: Int, bytes: [UInt8]) {
    self.slot = slot
    health = .foreign
    guard bytes.count == Page.size else {
      health = bytes.isEmpty ? .blank : .foreign
      return
    }
    if bytes.allSatisfy({ $0 == 0 }) {
      health = .blank
      return
    }
    bytes.withUnsafeBytes { buffer in
      guard let memory = buffer.baseAddress, buffer.prefix(8).elementsEqual("ROOSTDB1".utf8) else { return }
      let checkOffset = 4088
      guard Checksum.of(UnsafeRawBufferPointer(rebasing: buffer[..<checkOffset])) == memory.u64(checkOffset) else {
        health = .damaged
        return
      }
      health = .good
      version = memory.u32(8)
      pageSize = memory.u32(12)
      storeID = Self.hexadecimal(memory.u64(16)) + Self.hexadecimal(memory.u64(24))
      sequence = memory.u64(32)
      commit = memory.u64(48)
      pageCount = memory.u32(84)
      namesLog = memory.u32(96) == 2
    }
  }

  private static func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Both slots of a file.
  static func both(of path: String) throws -> [SuperblockSlot] {
    let file = try DiskFileSystem.shared.open(DiskFileSystem.shared.canonicalPath(path), .read)
    defer { file.close() }
    return try (0..<2).map { slot in
      var bytes = [UInt8](repeating: 0, count: Page.size)
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: UInt64(slot * Page.size)) }
      return SuperblockSlot(slot: slot, bytes: Array(bytes[..<count]))
    }
  }

  /// The format version of a file; nil if no superblock is good.
  static func version(of path: String) -> UInt32? {
    let slots = try? both(of: path).filter { $0.health == .good }
    return slots?.max { ($0.sequence ?? 0) < ($1.sequence ?? 0) }?.version
  }

  var sentence: String {
    switch health {
    case .good: "good, number \(sequence ?? 0), \(namesLog == true ? "names a log" : "closed")"
    case .damaged: "damaged"
    case .blank: "blank"
    case .foreign: "not a superblock"
    }
  }
}

/// The format versions of a file before and after a command that writes superblocks. Each of them
/// gets the newest version.
struct FormatChange {
  let before: UInt32?
  let now: UInt32?

  func write(to console: Console, _ path: String) {
    guard let before, let now, before < now else { return }
    console.line(
      console.styled("format", .strong) + "  raised from version \(before) to \(now); older versions of Roost "
        + "cannot open \(path)")
  }
}
