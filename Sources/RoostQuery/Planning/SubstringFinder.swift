internal import RoostRecords

/// Finds the text that a field must contain for a part of a condition to be true.
struct SubstringFinder {
  /// Variables that `if let` binds to a field of the row.
  private var variables: [Int: FieldID] = [:]

  init() {}

  /// The field and the text. In every row for which the part is true, the field contains the text.
  mutating func find(_ term: Term) -> (field: FieldID, test: Expression.TextTest, text: String)? {
    let parts = term.operands
    switch term.expression {
    case .text(let test, _, _):
      guard let field = field(parts[0]), case .string(let text) = parts[1].constant else { return nil }
      return (field, test, text)
    case .ifLet(let variable, _, _, _) where Self.isFalseOrNull(parts[2]):
      guard let field = field(parts[0]) else { return nil }
      let before = variables.updateValue(field, forKey: variable)
      defer { variables[variable] = before }
      return find(parts[1])
    case .coalesce where Self.isFalseOrNull(parts[1]): return find(parts[0])
    case .compare(.equal, _, _) where parts[1].isConstant(true): return find(parts[0])
    case .compare(.equal, _, _) where parts[0].isConstant(true): return find(parts[1])
    default: return nil
    }
  }

  private static func isFalseOrNull(_ term: Term) -> Bool { term.constant == .bool(false) || term.constant == .null }

  private func field(_ term: Term) -> FieldID? {
    switch term.expression {
    case .variable(let number): variables[number]
    case .unwrap: field(term.operands[0])
    case .field(_, let id): term.operands[0].isRow ? id : nil
    default: nil
    }
  }

  // MARK: The question

  /// The part of a text that a trigram index can search for; nil if there is none.
  ///
  /// An index folds some characters differently than the comparisons do. So the question has only
  /// characters for which both agree: letters of most alphabets, Chinese and Japanese characters,
  /// and other ASCII characters. Korean syllables and the scripts of India are left out. A row that
  /// contains the text contains these characters side by side.
  static func question(_ text: String) -> String? {
    var (best, run) = ([Unicode.Scalar](), [Unicode.Scalar]())
    func end(isFollowed: Bool) {
      // The next character may be a mark on the last one.
      if isFollowed, !run.isEmpty { run.removeLast() }
      if run.count > best.count { best = run }
      run = []
    }
    for scalar in text.unicodeScalars {
      if isSafe(scalar) { run.append(scalar) } else { end(isFollowed: scalar.value >= 0x80) }
      if run.count == mostCharacters { break }
    }
    end(isFollowed: false)
    guard best.count >= 3 else { return nil }
    return "\"" + String(String.UnicodeScalarView(best)) + "\""
  }

  /// A longer question excludes hardly more rows and takes longer.
  private static let mostCharacters = 64

  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Without the quotation mark, which ends a phrase.
    case 0x20...0x21, 0x23...0x7E, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC, 0x3005, 0x4E00...0x9FFF: true
    // Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic letters.
    case 0xC0...0x24F, 0x370...0x3FF, 0x400...0x481, 0x48A...0x556, 0x561...0x587, 0x5D0...0x5EA, 0x620...0x64A: true
    default: false
    }
  }
}
