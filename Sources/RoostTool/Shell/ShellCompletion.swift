import Foundation
import RoostQuery
import RoostRecords
import RoostTransfer

/// Finds the words that can continue a statement.
struct ShellCompletion {
  private let catalog: Catalog
  private let names: [String]

  init(_ catalog: Catalog) {
    self.catalog = catalog
    names = Looking.names(catalog)
  }

  /// - Parameter head: The text before the cursor.
  func candidates(_ head: String) -> Candidates {
    let start = head.drop(while: \.isWhitespace)
    if start.hasPrefix(".") { return command(head, leading: head.count - start.count) }
    let scanned = StatementScanner(head)
    if scanned.openQuote != nil { return Candidates() }
    var words = scanned.words[...]
    var partial = ""
    if let last = words.last, last.kind == .word, last.range.upperBound == head.count {
      partial = last.text
      words.removeLast()
    }
    let found = expected(words).filter { $0.hasPrefix(partial) && $0 != partial }
    return Candidates(start: head.count - partial.count, words: Self.unique(found))
  }

  private static func unique(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { seen.insert($0).inserted }
  }

  // MARK: Statements

  private func expected(_ words: ArraySlice<ShellWord>) -> [String] {
    var rest = words
    guard let first = rest.popFirst() else {
      return names.map { $0 + " " } + ShellStatement.Verb.allCases.dropFirst().map { $0.rawValue + " " }
    }
    var verb = ShellStatement.Verb.show
    var name = first
    if !names.contains(first.text), let found = ShellStatement.Verb(rawValue: first.text) {
      verb = found
      guard let second = rest.popFirst() else { return names.map { $0 + " " } }
      name = second
    }
    guard names.contains(name.text), let entity = try? Looking.rowClass(name.text, catalog) else { return [] }
    let last = rest.last
    let isBehind = last.map { $0.kind != .sign || [")", "]", "}"].contains($0.text) } ?? true
    let used = rest.filter { $0.depth == 0 && $0.kind == .word }.map(\.text)
    let open = rest.last { word in
      word.depth == 0 && word.kind == .word && verb.clauses.contains { $0.rawValue == word.text }
    }
    // A clause has just begun, or an operator needs an operand.
    let isFlag = open.flatMap { ShellStatement.Clause(rawValue: $0.text) }?.isFlag == true
    let begins = open != nil ? last == open && !isFlag : verb.hasSubject && rest.isEmpty
    if isBehind, !begins {
      if let last, last.depth > 0 { return [] }
      return verb.clauses.map(\.rawValue).filter { !used.contains($0) }.map { $0 + " " }
    }
    return operands(rest, of: entity, clause: open?.text ?? "")
  }

  private func operands(_ words: ArraySlice<ShellWord>, of entity: RowClass, clause: String) -> [String] {
    if ["limit", "offset", "asOf", "author", "all", "count"].contains(clause) { return [] }
    var words = words
    if let last = words.last, last.kind == .sign, last.text == "." || last.text == "?." {
      words.removeLast()
      guard let base = base(&words, of: entity) else { return [] }
      return members(of: base)
    }
    var found: [String] = []
    if let sign = words.last?.text, sign == "==" || sign == "!=" || sign == "=" {
      words.removeLast()
      if case .field(let field)? = base(&words, of: entity) { found = Self.values(of: field) }
    }
    if clause == "having" { found += ["average(", "count", "max(", "min(", "sum("] }
    return found + (innermost(words, of: entity) ?? entity).properties(catalog)
  }

  // MARK: Paths

  /// The meaning of a path of names.
  private enum Base {
    case entity(RowClass)
    case rows(RowClass)
    case field(Field)
    /// A stored struct, by its path in the rows of a class.
    case structure(String, RowClass)
  }

  /// Takes a path such as `album?.artist` from the end of the words, and follows it.
  private func base(_ words: inout ArraySlice<ShellWord>, of entity: RowClass) -> Base? {
    var names: [String] = []
    while let last = words.last, last.kind == .word {
      names.append(last.text)
      words.removeLast()
      guard let sign = words.last, sign.text == "." || sign.text == "?.", names.count < 16 else { break }
      words.removeLast()
    }
    var found = Base.entity(innermost(words, of: entity) ?? entity)
    for name in names.reversed() where name != "$0" {
      guard let next = member(name, of: found) else { return nil }
      found = next
    }
    return names.isEmpty ? nil : found
  }

  private func member(_ name: String, of base: Base) -> Base? {
    switch base {
    case .rows, .field: return nil
    case .structure(let path, let rows):
      if let inner = rows.structure(path + "." + name) { return .structure(inner, rows) }
      return rows.entity.field(path + "." + name).map { .field($0) }
    case .entity(let rows):
      if let one = rows.relationship(name, catalog), let target = catalog.entity(one.target) {
        return one.isToOne ? .entity(RowClass(target)) : .rows(RowClass(target))
      }
      if let path = rows.structure(name) { return .structure(path, rows) }
      return rows.field(name).map { .field($0) }
    }
  }

  /// The entity of `$0` in the innermost open closure: `tags.contains { `.
  private func innermost(_ words: ArraySlice<ShellWord>, of entity: RowClass) -> RowClass? {
    var depth = 0
    for (place, word) in zip(words.indices, words).reversed() where word.kind == .sign {
      if word.text == "}" { depth += 1 }
      guard word.text == "{" else { continue }
      if depth > 0 {
        depth -= 1
        continue
      }
      var before = words[..<place]
      // The name of the function, and the dot before it.
      guard before.popLast()?.kind == .word, let dot = before.popLast(), dot.text == "." || dot.text == "?." else {
        return nil
      }
      if case .rows(let target)? = base(&before, of: entity) { return target }
      return nil
    }
    return nil
  }

  private func members(of base: Base) -> [String] {
    switch base {
    case .entity(let rows): return rows.properties(catalog)
    case .structure(let path, let rows):
      let parts = rows.entity.fields.map(\.name).filter { $0.hasPrefix(path + ".") }
      return Self.unique(parts.map { String($0.dropFirst(path.count + 1).prefix { $0 != "." }) })
    case .rows: return ["allSatisfy { ", "contains { ", "count", "isEmpty"]
    case .field(let field):
      switch field.type {
      case .string: return ["contains(", "hasPrefix(", "isEmpty", "localizedStandardContains("]
      case .array, .set: return ["contains(", "count", "isEmpty"]
      default: return []
      }
    }
  }

  private static func values(of field: Field) -> [String] {
    if let cases = field.cases { return cases.prefix(200).map { Describer.text($0) } }
    return field.type == .bool ? ["true", "false"] : []
  }

  // MARK: Commands

  private func command(_ head: String, leading: Int) -> Candidates {
    let words = head.split(separator: " ", omittingEmptySubsequences: false).map(String.init).filter { !$0.isEmpty }
    let partial = head.hasSuffix(" ") ? "" : words.last ?? ""
    let isName = words.count == 1 && !partial.isEmpty
    let known: [String]
    switch words.first {
    case _ where isName: known = DotCommand.all.map { "." + $0.name + ($0.usage.isEmpty ? "" : " ") }
    case ".mode": known = ResultMode.allCases.map(\.rawValue)
    case ".timing", ".pager": known = ["on", "off"]
    case ".schema": known = names
    case ".help":
      known = DotCommand.all.map { "." + $0.name } + ShellStatement.Verb.allCases.map(\.rawValue)
    case ".read", ".open", ".output": known = Self.paths(partial)
    default: known = []
    }
    return Candidates(
      start: head.count - partial.count, words: known.filter { $0.hasPrefix(partial) && $0 != partial })
  }

  /// The files whose path begins with a text.
  private static func paths(_ partial: String) -> [String] {
    let folder = partial.lastIndex(of: "/").map { String(partial[...$0]) } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    let isHidden = partial.dropFirst(folder.count).hasPrefix(".")
    return names.filter { $0.hasPrefix(".") == isHidden && !$0.contains(" ") }.sorted().map { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder)
      return folder + name + (isFolder.boolValue ? "/" : "")
    }
  }
}
