internal import RoostRecords

/// Describes a plan in words. After the plan has run, the text shows the expected and the actual
/// numbers.
extension Plan {
  package var explanation: String { lines().joined(separator: "\n") }

  private func lines() -> [String] {
    let describer = Describer(ground.catalog, entity.id)
    let found = tallied ? "\(Self.count(tally.results, "row")) found, " : ""
    var lines = ["\(entity.name): \(found)\(Self.about(expected)) expected"]
    if !order.isEmpty {
      let keys = order.map { term in
        describer.text(term.key.expression) + (term.collation == .plain ? "" : " \(term.collation)")
          + (term.isDescending ? " descending" : "")
      }
      let way = direction == nil ? "sorted" : direction == .forward ? "as they come" : "as they come, backwards"
      lines.append("  by \(keys.joined(separator: ", ")): \(way)")
    }
    if query.offset != 0 || query.limit != nil {
      lines.append("  from row \(query.offset)" + (query.limit.map { ", at most \($0)" } ?? ""))
    }
    if let residual {
      var line = "  test \(describer.text(residual.expression))"
      if let escapes = program?.escapes, escapes > 0 { line += " (\(Self.count(escapes, "part")) interpreted)" }
      if tallied { line += ": \(Self.count(tally.rows, "row")) read, \(tally.matches) pass" }
      lines.append(line)
    }
    lines += describe(access, Self.about(visited)).map { "  " + $0 }
    if tallied, tally.entries > 0 { lines.append("  \(Self.count(tally.entries, "entry", nouns: "entries")) read") }
    return lines
  }

  private var tallied: Bool { tally.rows + tally.entries + tally.results > 0 }

  private static func about(_ number: Double) -> String {
    number.isFinite ? "\(Int(min(number, 1e15).rounded(.up)))" : "?"
  }

  private static func count(_ number: Int, _ noun: String, nouns: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : nouns ?? noun + "s")"
  }

  private func describe(_ access: Access, _ visited: String) -> [String] {
    switch access {
    case .nothing: return ["nothing: the condition is never true"]
    case .all: return ["all \(table.count) rows, \(visited) of them expected to be read"]
    case .rows(let rows): return [Self.count(rows.count, "row") + " by number"]
    case .single(_, let reader): return [describe(reader.index) + ": the one entry"]
    case .index(let use):
      let isWhole = use.ranges == [KeyRange()]
      let stretch = isWhole ? "from end to end" : Self.count(use.ranges.count, "range")
      return [describe(use.index.index) + ": \(stretch), \(visited) entries expected"]
    case .through(let passing):
      return ["index \(passing.index.index.name), for each row of"]
        + passing.inner.lines().map { "  " + $0 }
    case .following(let following):
      return ["index \(following.passing.index.index.name), along the rows of"]
        + following.passing.inner.lines().map { "  " + $0 }
    case .either(let branches): return ["any of"] + nested(branches)
    case .both(let branches): return ["all of"] + nested(branches)
    case .searched(let answer):
      return ["\(Self.name(answer)): \(visited) rows expected"]
    case .ranked(let answer):
      return ["\(Self.name(answer)), the best first: \(visited) rows expected"]
    case .filtered(let base, .index(let use)):
      return describe(base.access, visited) + [
        "  of these the rows in index \(use.index.index.name): \(Self.count(use.ranges.count, "range"))"
      ]
    case .filtered(let base, .search(let answer)):
      return describe(base.access, visited) + ["  of these the rows in \(Self.name(answer))"]
    }
  }

  private func describe(_ index: Index) -> String {
    let parts = index.parts.map { part in
      let name = entity.field(part.field)?.name ?? "?"
      let formed = part.form == .value ? name : "\(part.form.word) of \(name)"
      return formed + (part.isDescending ? " descending" : "")
    }
    return "index \(index.name) (\(parts.joined(separator: ", ")))"
  }

  private static func name(_ answer: SearchAnswer) -> String {
    "full text index \(answer.reader.index.name) (\(Describer.text(.string(answer.text))))"
  }

  private func nested(_ branches: [Candidate]) -> [String] {
    branches.flatMap { describe($0.access, "\($0.count)") }.map { "  " + $0 }
  }
}
