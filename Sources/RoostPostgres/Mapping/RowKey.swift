#if Postgres
  internal import Foundation
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The primary key of a row.
  struct RowKey: Hashable, Sendable {
    var zone: String
    var key: UUIDNumber

    /// As identifiers have it: the UUID, then the zone, where there is one.
    var text: String {
      let uuid = key.text
      return zone.isEmpty ? uuid : uuid + "@" + zone
    }

    init(_ zone: String, _ key: UUIDNumber) { (self.zone, self.key) = (zone, key) }

    /// Nil where the text is no such key.
    init?(_ text: String) {
      let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = UUIDNumber(text: parts[0]) else { return nil }
      self.init(parts.count > 1 ? String(parts[1]) : "", key)
    }

    init?(_ identifier: PersistentIdentifier) {
      guard case .text(let text) = identifier.key else { return nil }
      self.init(text)
    }
  }

  extension UUIDNumber {
    var text: String {
      func hex(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
      }
      return [
        hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
        hex(low & 0xFFFF_FFFF_FFFF, 12),
      ].joined(separator: "-")
    }

    init?(text: Substring) {
      var halves: [UInt64] = [0, 0]
      var digits = 0
      for byte in text.utf8 where byte != UInt8(ascii: "-") {
        guard digits < 32, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
        halves[digits / 16] = halves[digits / 16] << 4 | UInt64(digit)
        digits += 1
      }
      if digits != 32 { return nil }
      self.init(high: halves[0], low: halves[1])
    }
  }

  /// Makes keys that no other client makes, and that sort by when they were made (UUID version 7).
  struct KeyMaker {
    private var last: UInt64 = 0

    mutating func next() -> UUIDNumber {
      // Milliseconds, then twelve bits that count within one.
      let now = UInt64(Date().timeIntervalSince1970 * 1000) << 12
      last = max(now, last + 1)
      let high = (last >> 12) << 16 | 0x7000 | last & 0xFFF
      return UUIDNumber(high: high, low: UInt64.random(in: 0..<1 << 62) | 1 << 63)
    }
  }
#endif
