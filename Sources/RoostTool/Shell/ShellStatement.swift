import RoostTransfer

/// A parsed statement of the shell: `Track where year > 1970 sort -plays limit 20`.
struct ShellStatement: Equatable {
  /// The action of a statement.
  enum Verb: String, CaseIterable {
    case show, count, group, explain, get, set, insert, delete, history
  }

  /// A part of a statement that begins with a keyword.
  enum Clause: String, CaseIterable {
    case `where`, by, count, sum, average, min, max, having, sort, limit, offset, columns, asOf, author, all

    /// Whether the keyword is complete, so that no text follows it.
    var isFlag: Bool { self == .all || self == .count }
  }

  var verb: Verb
  /// Empty for a history of all entities.
  var entity = ""
  /// The text between the entity and the first clause: assignments, or a key.
  var subject = ""
  var clauses: [Clause: String] = [:]

  init(_ text: String, entities: [String]) throws(UsageError) {
    var scanned = StatementScanner(text)
    if let last = scanned.words.last, last.text == ";", last.depth == 0 {
      scanned = StatementScanner(scanned.text(0..<last.range.lowerBound))
    }
    var words = scanned.words[...]
    guard let first = words.first else { throw UsageError(sentence: "The statement is empty") }
    verb = first.kind == .word && !entities.contains(first.text) ? Verb(rawValue: first.text) ?? .show : .show
    if verb != .show || first.text == Verb.show.rawValue && !entities.contains(first.text) { words.removeFirst() }
    // 'explain count Track' explains the same as 'explain Track'.
    if verb == .explain, let word = words.first, word.kind == .word, !entities.contains(word.text),
      [Verb.show, .count, .group].contains(Verb(rawValue: word.text))
    {
      words.removeFirst()
    }
    if let name = words.first, name.kind != .sign, verb != .history || entities.contains(Self.name(name)) {
      entity = Self.name(name)
      words.removeFirst()
    } else if verb != .history {
      throw UsageError(sentence: "'\(verb.rawValue)' needs an entity: write '\(verb.example)'")
    }
    if !entity.isEmpty, !entities.contains(entity) {
      let known = entities + Verb.allCases.map(\.rawValue)
      let dot = DotCommand.all.map(\.name) + ["exit"]
      if dot.contains(entity) {
        throw UsageError(sentence: "There is no entity or statement '\(entity)'. The command is '.\(entity)'")
      }
      if entity.uppercased() == "SELECT" {
        throw UsageError(
          sentence: "The shell does not know SQL: write '\(entities.first ?? "Song")', 'where' and a condition; "
            + "'.help' lists the statements")
      }
      let names = entities.isEmpty ? "nothing" : entities.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
      throw UsageError(
        sentence: "There is no entity or statement '\(entity)'" + Spelling.hint(entity, among: known)
          + (Spelling.nearest(entity, among: known) == nil ? "; the store has \(names)" : ""))
    }
    if verb == .show, words.first?.text == "#" { verb = .get }
    try readClauses(words, scanned)
    try check()
  }

  /// The name in a word, without the quotes around it.
  private static func name(_ word: ShellWord) -> String {
    word.kind == .quoted ? String(word.text.dropFirst().dropLast()) : word.text
  }

  private mutating func readClauses(
    _ words: ArraySlice<ShellWord>, _ scanned: StatementScanner
  ) throws(UsageError) {
    var start = words.first?.range.lowerBound ?? 0
    var open: Clause?
    let end = words.last?.range.upperBound ?? 0
    for (place, word) in zip(words.indices, words) {
      guard word.kind == .word, word.depth == 0 else { continue }
      // The first word of a clause is always an operand.
      let isFirst = open.map { !$0.isFlag } == true && word.range.lowerBound == self.first(words, from: start)
      guard word.followsOperand || place == words.startIndex, !isFirst else { continue }
      // A field may have the name of a clause, and numbers are not names.
      if words.dropFirst(place - words.startIndex + 1).first?.text == "=" { continue }
      if word.text.first?.isNumber == true { continue }
      guard let clause = Clause(rawValue: word.text) else {
        let next = words.dropFirst(place - words.startIndex + 1).first
        try refuse(word, before: next, open: open, scanned.text(start..<word.range.lowerBound))
        continue
      }
      close(open, scanned.text(start..<word.range.lowerBound))
      if clauses[clause] != nil { throw UsageError(sentence: "'\(clause.rawValue)' is given twice") }
      guard verb.clauses.contains(clause) else {
        throw UsageError(
          sentence: "'\(clause.rawValue)' is not possible in '\(verb.name)'; it takes \(verb.clauseList)")
      }
      (open, start) = (clause, word.range.upperBound)
      clauses[clause] = ""
    }
    close(open, scanned.text(start..<max(start, end)))
  }

  private func first(_ words: ArraySlice<ShellWord>, from start: Int) -> Int? {
    words.first { $0.range.lowerBound >= start }?.range.lowerBound
  }

  private mutating func close(_ clause: Clause?, _ text: String) {
    if let clause { clauses[clause] = text } else { subject = text }
  }

  /// Throws for a word that is not a clause although one could begin there.
  private func refuse(
    _ word: ShellWord, before next: ShellWord?, open: Clause?, _ before: String
  ) throws(UsageError) {
    if open == .sort, ["desc", "descending", "asc", "ascending"].contains(word.text.lowercased()) {
      let key = before.split(separator: ",").last.map { $0.drop { " -".contains($0) } } ?? "name"
      throw UsageError(
        sentence: word.text.lowercased().hasPrefix("d")
          ? "'\(word.text)' is unknown here: write 'sort -\(key)' for the other direction"
          : "'\(word.text)' is unknown here: leave it out, and write 'sort -\(key)' for the other direction")
    }
    let known = verb.clauses.map(\.rawValue)
    if let near = Spelling.nearest(word.text, among: known), word.text != near, near.count > 2 {
      throw UsageError(sentence: "'\(word.text)' is unknown here. Did you mean '\(near)'?")
    }
    // Before an operator it is a field of that name.
    if verb == .show, let meant = Verb(rawValue: word.text), meant != .show, next?.kind != .sign {
      throw UsageError(sentence: "'\(word.text)' is unknown here: begin with '\(word.text) \(entity)'")
    }
    if open == nil, !verb.hasSubject {
      throw UsageError(sentence: "'\(word.text)' is unknown here: write '\(entity) where \(word.text) …'")
    }
  }

  private mutating func check() throws(UsageError) {
    for clause in Clause.allCases {
      guard let text = clauses[clause] else { continue }
      if text.isEmpty != clause.isFlag {
        throw UsageError(
          sentence: clause.isFlag
            ? "'\(clause.rawValue)' stands alone, and '\(text)' follows it"
            : "'\(clause.rawValue)' needs something after it, as in '\(verb.example(with: clause))'")
      }
    }
    if verb == .group, !clauses.keys.contains(where: Clause.grouping.contains) {
      throw UsageError(
        sentence: "'group' needs 'by' or a measure such as 'sum': write '\(verb.example)', "
          + "or 'count \(entity)' for all rows")
    }
    if [.show, .explain, .count, .group].contains(verb), !subject.isEmpty {
      throw UsageError(sentence: "'\(subject)' is unknown here: write '\(entity) where \(subject)'")
    }
    if verb == .get || verb == .set, subject.isEmpty {
      let needed = verb == .get ? "a number or a key" : "assignments"
      throw UsageError(sentence: "'\(verb.rawValue)' needs \(needed): write '\(verb.example)'")
    }
    if verb == .set || verb == .delete, (clauses[.where] == nil) == (clauses[.all] == nil) {
      throw UsageError(sentence: "Write 'where' and a condition, or 'all' for all rows: '\(verb.example)'")
    }
  }
}

extension ShellStatement.Clause {
  /// The clauses that make groups of rows.
  static let grouping: Set<ShellStatement.Clause> = [.by, .sum, .average, .min, .max]
}

extension ShellStatement.Verb {
  var name: String { self == .show ? "a question" : rawValue }

  /// Whether text may be between the entity and the first clause.
  var hasSubject: Bool { [.get, .set, .insert, .history].contains(self) }

  var clauses: [ShellStatement.Clause] {
    switch self {
    case .show: [.where, .sort, .limit, .offset, .columns, .asOf]
    case .group, .explain:
      [.where, .by, .count, .sum, .average, .min, .max, .having, .sort, .limit, .offset, .columns, .asOf]
    case .count: [.where, .asOf]
    case .get: [.by, .asOf]
    case .set, .delete: [.where, .all, .author]
    case .insert: [.author]
    case .history: [.limit, .author]
    }
  }

  var clauseList: String { clauses.map { "'\($0.rawValue)'" }.joined(separator: ", ") }

  /// An example with a clause.
  func example(with clause: ShellStatement.Clause) -> String {
    let more =
      switch clause {
      case .where: "where plays > 9"
      case .by: self == .get ? "by title" : "by genre"
      case .sum, .average, .min, .max: "\(clause.rawValue) plays"
      case .having: "by genre having count > 3"
      case .sort: self == .group ? "by genre sort -count" : "sort -plays"
      case .limit, .offset: "\(clause.rawValue) 20"
      case .columns: "columns title,plays"
      case .asOf: "asOf 120"
      case .author: "author ann"
      case .count, .all: clause.rawValue
      }
    let head =
      switch self {
      case .show: "Track"
      case .get: "get Track Low"
      case .set: "set Track plays = 0 where plays > 9"
      case .insert: "insert Album title = \"Low\""
      case .delete where clause == .author: "delete Album where year < 1960"
      default: "\(rawValue) Track"
      }
    return clause == .where && self == .set ? head : head + " " + more
  }

  var example: String {
    switch self {
    case .show: "Track where plays > 9 sort -plays limit 20 columns title,plays"
    case .count: "count Track where plays > 9"
    case .group: "group Track by genre count sum plays having count > 3 sort -count"
    case .explain: "explain Track where plays > 9"
    case .get: "get Track #12"
    case .set: "set Track plays = plays + 1 where plays < 9"
    case .insert: "insert Album title = \"Low\", year = 1977"
    case .delete: "delete Album where year < 1960"
    case .history: "history Track limit 10"
    }
  }

  var summary: String {
    switch self {
    case .show: "Rows of an entity. All of them without 'where'."
    case .count: "The number of rows."
    case .group: "Groups of rows with their counts, sums and averages."
    case .explain: "How a question is answered, and what it reads."
    case .get: "One row with its relationships, by its number or unique value."
    case .set: "Changes rows. It asks before it commits."
    case .insert: "Adds one row. It asks before it commits."
    case .delete: "Deletes rows. It asks before it commits."
    case .history: "The last transactions, and what they changed."
    }
  }
}
