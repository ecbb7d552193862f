/// The public declarations of a Swift file, each with the position of its doc comment. They are
/// read from tokens, without a compiler.
///
/// Access follows the compiler's rules. A member of a protocol and a case of an enum have the
/// access of their type, and a public member of a type that is not public is not public. The caller
/// looks up the types of extensions: `hidden` names the types that are not public.
struct PublicDeclarations {
  struct Declaration: Equatable {
    /// The names of the enclosing types and its own, such as `["Outer", "Inner", "member"]`.
    var path: [String]
    var kind: String
    var line: Int
    var hasComment: Bool
    /// The first argument label of an initializer, to recognise `init(from:)`.
    var label = ""
    /// Whether a call or a read of it can throw.
    var canThrow = false
    /// Whether its comment says what it throws.
    var namesErrors = false
  }

  private(set) var found: [Declaration] = []
  /// The types of the file that are not public, with the names of the enclosing types:
  /// `Outer.Inner`.
  private(set) var hiddenTypes: Set<String> = []

  private static let types: Set<String> = ["class", "struct", "enum", "protocol", "actor", "extension"]
  private static let members: Set<String> = [
    "func", "var", "let", "init", "subscript", "case", "typealias", "associatedtype", "macro", "deinit",
  ]
  private static let modifiers: Set<String> = [
    "public", "open", "package", "internal", "fileprivate", "private", "static", "final", "mutating", "nonmutating",
    "nonisolated", "indirect", "lazy", "weak", "unowned", "override", "required", "convenience", "distributed", "async",
    "consuming", "borrowing", "dynamic", "prefix", "postfix", "infix", "optional", "isolated",
  ]

  private struct Scope {
    /// The kind of the type; nil for a body.
    var kind: String?
    var names: [String]
    var isPublic: Bool
    /// Whether members without an access modifier have the access of the type.
    var gives: Bool
  }

  private struct Token {
    var text: String
    var line: Int
    var isFirst: Bool
  }

  init(_ text: String, hidden: Set<String> = []) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let tokens = Self.tokens(SourceNames.code(of: Array(text.utf8)))
    var scopes = [Scope(kind: "file", names: [], isPublic: true, gives: false)]
    var pending: Scope?
    var words: [String] = []
    var start: Token?
    var at = 0
    func next(_ offset: Int = 1) -> String { at + offset < tokens.count ? tokens[at + offset].text : "" }

    while at < tokens.count {
      let token = tokens[at]
      switch token.text {
      case "{":
        scopes.append(pending ?? Scope(kind: nil, names: [], isPublic: false, gives: false))
        (pending, words, start) = (nil, [], nil)
      case "}":
        if scopes.count > 1 { scopes.removeLast() }
        (pending, words, start) = (nil, [], nil)
      case "(", "[": at = Self.end(of: at, in: tokens)
      case _ where scopes[scopes.count - 1].kind == nil: break
      case "@":
        start = start ?? token
        at += 1
        while next() == "." { at += 2 }
        // `@A (B) -> C` does not occur here, so a parenthesis belongs to the attribute.
        if next() == "(" { at = Self.end(of: at + 1, in: tokens) }
      case let word where word == "class" && (Self.members.contains(next()) || Self.modifiers.contains(next())):
        start = start ?? token
      case let word where Self.types.contains(word) || Self.members.contains(word):
        guard at == 0 || tokens[at - 1].text != ".", word != "macro" || words.contains("public") else { break }
        let scope = scopes[scopes.count - 1]
        let isOpen = Self.isOpen(word, words: words, in: scope)
        var names = ["init", "subscript", "deinit"].contains(word) ? [word] : [next()]
        if word == "func", !Self.isLetter(names[0]) {
          names = [Self.operatorName(tokens, after: at)]
        } else if word != "init", word != "subscript", word != "deinit" {
          at += 1
          while word == "extension", next() == "." {
            names.append(next(2))
            at += 2
          }
        }
        if Self.types.contains(word) {
          let isHidden =
            word == "extension"
            ? names.indices.contains { hidden.contains(names[...$0].joined(separator: ".")) } : !isOpen
          if word != "extension", isHidden { hiddenTypes.insert((scope.names + names).joined(separator: ".")) }
          pending = Scope(
            kind: word, names: scope.names + names, isPublic: scope.isPublic && !isHidden,
            gives: word == "protocol" || (word == "extension" && words.contains("public")))
        } else {
          pending = nil
        }
        if isOpen, scope.isPublic, word != "extension", word != "deinit" {
          let label = word == "init" && next() == "(" ? next(2) : ""
          found.append(
            Declaration(
              path: scope.names + names, kind: word, line: (start ?? token).line,
              hasComment: Self.hasComment(start ?? token, in: lines), label: label,
              canThrow: Self.canThrow(word, after: at, in: tokens),
              namesErrors: Self.namesErrors(start ?? token, in: lines)))
          while word == "case", let name = Self.caseName(after: &at, in: tokens) {
            found.append(Declaration(path: scope.names + [name], kind: word, line: tokens[at].line, hasComment: false))
          }
        }
        (words, start) = ([], nil)
      case "import":
        while at + 1 < tokens.count, tokens[at + 1].line == token.line { at += 1 }
        (words, start) = ([], nil)
      case let word where Self.modifiers.contains(word):
        start = start ?? token
        // `private(set)` is the access of the setter only.
        if next() == "(" { at = Self.end(of: at + 1, in: tokens) } else { words.append(word) }
      default: (words, start) = ([], nil)
      }
      at += 1
    }
  }

  private static func isOpen(_ kind: String, words: [String], in scope: Scope) -> Bool {
    if words.contains("public") || words.contains("open") { return true }
    if words.contains(where: ["private", "fileprivate", "internal", "package"].contains) { return false }
    return scope.gives || (kind == "case" && scope.kind == "enum")
  }

  /// Whether the declaration that begins with a token has a comment. A declaration that follows
  /// another one on its line has none.
  private static func hasComment(_ first: Token, in lines: [Substring]) -> Bool {
    guard first.line > 1, first.isFirst else { return false }
    let above = lines[first.line - 2].drop { $0 == " " }
    return above.hasPrefix("///") || above.hasSuffix("*/")
  }

  /// Whether the comment of the declaration that begins with a token has a `- Throws:`.
  private static func namesErrors(_ first: Token, in lines: [Substring]) -> Bool {
    lines[..<(first.line - 1)].reversed().lazy.map { $0.drop { $0 == " " } }.prefix { $0.hasPrefix("///") }
      .contains { $0.contains("- Throws:") }
  }

  /// Whether `throws` belongs to a declaration: to its signature, or to the getter of a property.
  private static func canThrow(_ kind: String, after place: Int, in tokens: [Token]) -> Bool {
    guard ["func", "init", "var", "subscript"].contains(kind) else { return false }
    var at = place + 1
    while at < tokens.count, tokens[at].text != "{", tokens[at].text != "}" {
      let token = tokens[at]
      // A requirement of a protocol has no body: the next declaration ends it.
      if token.isFirst, token.text == "@" || members.contains(token.text) || modifiers.contains(token.text) { break }
      if kind == "func" || kind == "init", token.text == "throws" { return true }
      at = token.text == "(" || token.text == "[" ? end(of: at, in: tokens) + 1 : at + 1
    }
    let getter = tokens[min(at, tokens.count)...].prefix(4).map(\.text)
    return getter.starts(with: ["{", "get", "throws"]) || getter.starts(with: ["{", "get", "async", "throws"])
  }

  /// Returns the next name in a list such as `case a(Int), b = 2`. The comment of such a list
  /// belongs to its first name only.
  private static func caseName(after place: inout Int, in tokens: [Token]) -> String? {
    var at = place + 1
    if at < tokens.count, tokens[at].text == "(" { at = end(of: at, in: tokens) + 1 }
    if at < tokens.count, tokens[at].text == "=" {
      while at < tokens.count, tokens[at].line == tokens[place].line, tokens[at].text != "," { at += 1 }
    }
    guard at + 1 < tokens.count, tokens[at].text == "," else { return nil }
    place = at + 1
    return tokens[place].text
  }

  /// Returns the position of the bracket that closes the one at a position.
  private static func end(of start: Int, in tokens: [Token]) -> Int {
    var (depth, at) = (0, start)
    while at < tokens.count {
      if ["(", "[", "{"].contains(tokens[at].text) { depth += 1 }
      if [")", "]", "}"].contains(tokens[at].text) { depth -= 1 }
      if depth == 0 { return at }
      at += 1
    }
    return tokens.count - 1
  }

  private static func operatorName(_ tokens: [Token], after at: Int) -> String {
    tokens[(at + 1)...].prefix { $0.text != "(" && !isLetter($0.text) }.map(\.text).joined()
  }

  private static func isLetter(_ text: String) -> Bool {
    text.utf8.first.map { isLetter($0) } ?? false
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
      || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || byte >= 0x80
  }

  private static func tokens(_ code: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    var (line, at) = (1, 0)
    func add(_ text: String) {
      tokens.append(Token(text: text, line: line, isFirst: tokens.last?.line != line))
    }
    while at < code.count {
      let start = at
      while at < code.count, isLetter(code[at]) { at += 1 }
      if start < at {
        add(String(decoding: code[start..<at], as: UTF8.self))
        continue
      }
      if code[at] == UInt8(ascii: "\n") {
        line += 1
      } else if code[at] != UInt8(ascii: " ") {
        add(String(UnicodeScalar(code[at])))
      }
      at += 1
    }
    return tokens
  }
}
