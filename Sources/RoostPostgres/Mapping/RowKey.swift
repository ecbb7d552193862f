#if Postgres
  internal import Foundation
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The primary key of a row.
  struct RowKey: Hashable, Sendable {
    let zoneName: ZoneName
    let key: UUIDNumber

    var zone: String { zoneName.text }

    /// The text in identifiers: the UUID, then the zone if there is one.
    var text: String { name.text ?? "" }
    /// The key in identifiers.
    var name: IdentifierKey { .uuid(key, zone: zoneName) }

    /// Called by dictionaries. It leaves out the zone, because two zones rarely have the same UUID.
    func _rawHashValue(seed: Int) -> Int { key.hash(seed: seed) }

    init(_ zone: ZoneName, _ key: UUIDNumber) { (zoneName, self.key) = (zone, key) }
    init(_ zone: String, _ key: UUIDNumber) { self.init(ZoneName(zone), key) }

    /// Nil if the text is not such a key. The UUID may have capital letters.
    init?(_ text: String) {
      guard let (key, zone) = IdentifierKey.parts(text) else { return nil }
      self.init(zone, key)
    }

    init?(_ identifier: PersistentIdentifier) {
      switch identifier.key {
      case .row, .temporary: return nil
      case .text(let text): self.init(text)
      case .uuid(let key, let zone): self.init(zone, key)
      }
    }
  }

  /// Makes keys that no other client makes, and that sort by the time when they were made (UUID
  /// version 7).
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
