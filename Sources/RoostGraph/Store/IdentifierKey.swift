package import RoostRecords

/// The name of a model within its store and entity.
package enum IdentifierKey: Hashable, Sendable, CustomStringConvertible {
  /// A row's number.
  case row(UInt64)
  /// The number of an object without a row, or one that its store does not know yet.
  case temporary(UInt64)
  /// A key of a program's own store. Make it by ``init(text:)``.
  case text(String)
  /// A key whose text is a UUID and, after an `@`, the name of a zone if that is not empty.
  /// Comparing and hashing it needs no text.
  case uuid(UUIDNumber, zone: ZoneName)

  /// A key of a program's own store. Equal texts make equal keys.
  package init(text: String) {
    self = .text(text)
    guard let (number, zone) = Self.parts(text) else { return }
    let short = Self.uuid(number, zone: zone)
    // Not if the UUID has capital letters or the zone's name is empty.
    if short.text == text { self = short }
  }

  /// A UUID and the name of the zone that follows it; nil for other texts.
  package static func parts(_ text: String) -> (UUIDNumber, zone: ZoneName)? {
    // A zone's name may begin with a mark that joins the character before it.
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let number = UUIDNumber(text: Substring(parts[0])) else { return nil }
    return (number, parts.count > 1 ? ZoneName(String(Substring(parts[1]))) : .none)
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .row(let number): hasher.combine(number)
    case .temporary(let number): hasher.combine(~number)
    case .text(let text): hasher.combine(text)
    case .uuid(let number, let zone):
      hasher.combine(number)
      hasher.combine(zone)
    }
  }

  /// Whether it is a key of a program's own store.
  package var isLasting: Bool {
    switch self {
    case .row, .temporary: false
    case .text, .uuid: true
    }
  }

  /// `#7` for a row, `(new 7)` for a temporary number, or the text.
  package var description: String {
    switch self {
    case .row(let number): "#\(number)"
    case .temporary(let number): "(new \(number))"
    case .text, .uuid: text ?? ""
    }
  }

  /// The text of a key of a program's own store; nil for a number.
  package var text: String? {
    switch self {
    case .row, .temporary: nil
    case .text(let text): text
    case .uuid(let number, let zone): zone.isEmpty ? number.text : number.text + "@" + zone.text
    }
  }
}
