/// A request of a browser, read from the bytes of its head.
///
/// It accepts only requests as the page of `roost serve` makes them, and rejects all others: other
/// methods than GET, bodies, folded headers, and requests that are longer than ``mostBytes``.
struct WebRequest: Equatable {
  /// A rejected request, with the status of the reply.
  struct Refusal: Error, Equatable {
    var status: Int
    var sentence: String
  }

  /// The most bytes of the head of a request.
  static let mostBytes = 16 << 10
  private static let mostHeaders = 64

  var path: String
  var query: [String: String] = [:]
  /// By their names in lower case. A name that occurs twice is not kept, and is in ``repeated``.
  var headers: [String: String] = [:]
  var repeated: Set<String> = []

  /// - Parameter bytes: All bytes up to the empty line.
  init(_ bytes: some Sequence<UInt8>) throws(Refusal) {
    let bytes = Array(bytes)
    guard bytes.count <= Self.mostBytes else { throw Refusal(status: 431, sentence: "The request is too long") }
    guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 13 || $0 == 10 || $0 == 9 }) else {
      throw Refusal(status: 400, sentence: "The request contains invalid bytes")
    }
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard let first = lines.first else { throw Refusal(status: 400, sentence: "The request is empty") }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      throw Refusal(status: 400, sentence: "This is no request of HTTP/1.1")
    }
    guard words[0] == "GET" else {
      throw Refusal(status: 405, sentence: "Only GET is answered: the page changes nothing")
    }
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].hasPrefix("/"), let path = Self.decoded(parts[0], plusIsSpace: false) else {
      throw Refusal(status: 400, sentence: "The path is not valid")
    }
    self.path = path
    if parts.count == 2 { query = try Self.query(parts[1]) }
    guard lines.count - 1 <= Self.mostHeaders else {
      throw Refusal(status: 431, sentence: "There are too many headers")
    }
    for line in lines.dropFirst() { try addHeader(line) }
    if headers["content-length"].map({ $0 != "0" }) == true || headers["transfer-encoding"] != nil
      || !repeated.isDisjoint(with: ["content-length", "transfer-encoding", "host"])
    {
      throw Refusal(status: 400, sentence: "A request has one host and no body")
    }
  }

  private mutating func addHeader(_ line: Substring) throws(Refusal) {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
      throw Refusal(status: 400, sentence: "A header has no colon")
    }
    let name = line[..<colon]
    guard
      name.utf8.allSatisfy({
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
          || $0 == 0x5F
      })
    else { throw Refusal(status: 400, sentence: "The name of a header is not valid") }
    let key = name.lowercased()
    var value = line[line.index(after: colon)...]
    while value.first == " " || value.first == "\t" { value.removeFirst() }
    while value.last == " " || value.last == "\t" { value.removeLast() }
    if headers[key] != nil { repeated.insert(key) }
    headers[key] = String(value)
  }

  private static func query(_ text: Substring) throws(Refusal) -> [String: String] {
    var found: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(parts[0], plusIsSpace: true),
        let value = parts.count == 2 ? decoded(parts[1], plusIsSpace: true) : "", found[name] == nil
      else { throw Refusal(status: 400, sentence: "The parameters are not valid") }
      found[name] = value
    }
    return found
  }

  /// Decodes the escapes of a URL; nil if they are invalid or not UTF-8.
  static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(byte == UInt8(ascii: "+") && plusIsSpace ? 0x20 : byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// A cookie of this name.
  func cookie(_ name: String) -> String? {
    for part in headers["cookie", default: ""].split(separator: ";") {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0] == name { return String(pair[1]) }
    }
    return nil
  }
}

/// The secret in the link to the page.
struct WebToken {
  let text: String

  /// Makes a new token of 32 random bytes of the system.
  init() {
    var random = SystemRandomNumberGenerator()
    text = (0..<32).map { _ in
      let byte = UInt8.random(in: 0...255, using: &random)
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Compares in a time that does not depend on the position of the first difference.
  func matches(_ other: String?) -> Bool {
    guard let other else { return false }
    let (own, given) = (Array(text.utf8), Array(other.utf8))
    var difference = own.count ^ given.count
    for place in own.indices {
      difference |= Int(own[place] ^ (place < given.count ? given[place] : 0))
    }
    return difference == 0
  }
}
