/// A reply to a browser.
struct WebReply {
  var status = 200
  var type = "text/plain; charset=utf-8"
  var body: [UInt8] = []
  var headers: [(name: String, value: String)] = []

  init(status: Int = 200, type: String = "text/plain; charset=utf-8", _ body: String) {
    (self.status, self.type) = (status, type)
    self.body = Array(body.utf8)
  }

  static func json(_ text: String, status: Int = 200) -> WebReply {
    WebReply(status: status, type: "application/json", text)
  }

  /// An error as the page reads it.
  static func failure(_ sentence: String, status: Int) -> WebReply {
    var text: [UInt8] = Array(#"{"error": "#.utf8)
    JSONText.quote(sentence, to: &text)
    return json(String(decoding: text + Array("}".utf8), as: UTF8.self), status: status)
  }

  private static let reasons = [
    200: "OK", 303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 410: "Gone", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 503: "Service Unavailable",
  ]

  /// Headers that keep a browser from doing more than showing the page.
  private static let guards = [
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: no-referrer",
    "Cross-Origin-Resource-Policy: same-origin", "Cross-Origin-Opener-Policy: same-origin", "Cache-Control: no-store",
    "Connection: close",
  ]

  var bytes: [UInt8] {
    var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "Error")", "Content-Type: \(type)"]
    lines += ["Content-Length: \(body.count)"] + Self.guards + headers.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}

/// Writes texts in JSON.
enum JSONText {
  static func quote(_ text: String?, to bytes: inout [UInt8]) {
    guard let text else {
      bytes += "null".utf8
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes += "\\\"".utf8
      case "\\": bytes += "\\\\".utf8
      case _ where scalar.value < 0x20 || SafeText.isUnsafe(scalar):
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        }
      default: bytes += String(scalar).utf8
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  static func quoted(_ text: String?) -> String {
    var bytes: [UInt8] = []
    quote(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func list(_ texts: [String?]) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }
}
