import RoostBytes
package import RoostFile

/// The bytes of an analyzer.
///
/// ## Layout
/// Version (1), mode, flags (1 folds case, 2 folds marks), stemming, stop words (0 none, 1 english, 2 list), then for
/// a list: its count and for each word its byte count and its bytes. Counts are variable-length numbers.
extension TextAnalyzer {
  package static let version: UInt8 = 1
  static let mostStopWords = 10_000

  package func encode() -> [UInt8] {
    var bytes: [UInt8] = [
      Self.version, mode.rawValue, (foldsCase ? 1 : 0) | (foldsMarks ? 2 : 0), stemming.rawValue,
    ]
    switch stopWords {
    case .none: bytes.append(0)
    case .english: bytes.append(1)
    case .list(let words):
      bytes.append(2)
      bytes.appendVarint(UInt64(words.count))
      for word in words {
        bytes.appendVarint(UInt64(word.utf8.count))
        bytes += word.utf8
      }
    }
    return bytes
  }

  /// Reads what ``encode()`` wrote. Throws `futureVersion` for a newer version and `damaged` for other bytes.
  package init(decoding bytes: [UInt8]) throws(StoreError) {
    guard let version = bytes.first else { throw Self.unreadable }
    guard version == Self.version else {
      throw StoreError(.futureVersion, "the text index has settings of version \(version)")
    }
    guard bytes.count >= 5, let mode = Mode(rawValue: bytes[1]), bytes[2] < 4,
      let stemming = Stemming(rawValue: bytes[3])
    else { throw Self.unreadable }
    self.init(
      mode: mode, foldsCase: bytes[2] & 1 != 0, foldsMarks: bytes[2] & 2 != 0, stemming: stemming)
    var rest = bytes[5...]
    switch bytes[4] {
    case 0: stopWords = .none
    case 1: stopWords = .english
    case 2:
      guard let count = rest.takeVarint(), count <= Self.mostStopWords else { throw Self.unreadable }
      var words: [String] = []
      for _ in 0..<Int(count) {
        guard let length = rest.takeVarint(), length <= rest.count,
          let word = String(validating: rest.prefix(Int(length)), as: UTF8.self)
        else { throw Self.unreadable }
        words.append(word)
        rest = rest.dropFirst(Int(length))
      }
      stopWords = .list(words)
    default: throw Self.unreadable
    }
    guard rest.isEmpty else { throw Self.unreadable }
  }

  private static var unreadable: StoreError {
    StoreError(.damaged, "the settings of the text index are unreadable")
  }
}

extension [UInt8] {
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 128 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension ArraySlice<UInt8> {
  /// Removes a variable-length number from the front; nil if the bytes are no number.
  mutating func takeVarint() -> UInt64? {
    let found = withUnsafeBytes { Varint.decode($0) }
    guard let found else { return nil }
    removeFirst(found.byteCount)
    return found.value
  }
}
