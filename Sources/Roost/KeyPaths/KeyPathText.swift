/// Reads Swift's description of a key path. Only the description has the names of a struct's stored
/// properties.
enum KeyPathText {
  /// The description without its first type; nil if it does not look as expected.
  static func tail(_ keyPath: AnyKeyPath) -> Substring? {
    let text = String(describing: keyPath)
    let start = "\\" + String(describing: type(of: keyPath).rootType) + "."
    if text.hasPrefix(start) { return text.dropFirst(start.count) }
    // Another type's name may be longer and have the same end.
    guard text.hasPrefix("\\"), let angle = text.range(of: ".<computed ") else { return nil }
    return text[text.index(after: angle.lowerBound)...]
  }

  /// The names of the stored properties, in order; nil if the description does not look as
  /// expected.
  static func names(_ keyPath: AnyKeyPath) -> [Substring]? {
    guard var text = tail(keyPath) else { return nil }
    var names: [Substring] = []
    while let first = text.first {
      if isMark(first) {
        text.removeFirst()
      } else if first == "<" {
        // `<computed 0x1234 (Type)>`. The type may contain parentheses.
        guard let rest = afterParentheses(text), rest.first == ">" else { return nil }
        text = rest.dropFirst()
      } else {
        let name = text.prefix { !isMark($0) }
        names.append(name)
        text = text.dropFirst(name.count)
      }
    }
    return names
  }

  private static func isMark(_ character: Character) -> Bool { ".?!".contains(character) }

  private static func afterParentheses(_ text: Substring) -> Substring? {
    var depth = 0
    for place in text.indices {
      switch text[place] {
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0 { return text[text.index(after: place)...] }
      default: continue
      }
    }
    return nil
  }
}
