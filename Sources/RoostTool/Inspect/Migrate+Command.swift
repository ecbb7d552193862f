import Roost
import RoostRecords

extension Command {
  static var migrate: Command {
    Command(
      name: "migrate", summary: "Print what opening a store with the models of another store would change.",
      discussion: [
        "A program changes its store when it opens it, so there is '--dry-run' only. It writes nothing to either store, and",
        "both may be open in other processes. For --to, let the new program make an empty store.",
        "It does not know a migration plan of the program. Prints one line for each change and each refusal, and",
        "ends with 1 if the opening would be refused: + is new, - is parked, and ~ has another name or type.",
        "A store does not keep defaults of a subclass that are 0, false or empty: name such properties with '--default'. If",
        "rows must be written to know whether the change is possible, the store is copied",
        "to the folder for temporary files (TMPDIR).",
      ],
      syntax: Syntax(
        operands: [Syntax.Operand(name: "path", help: "The store. It may be open in another process.")],
        options: [
          Syntax.Option(name: "to", value: "other", help: "A store that has the models of the next version."),
          Syntax.Option(name: "dry-run", help: "Write nothing. Required."),
          Syntax.Option(
            name: "default", value: "name", help: "A property of a subclass with an empty default, as 'Track.plays'.",
            isRepeating: true),
          Syntax.Option(name: "json", help: "Print JSON."),
        ])
    ) { arguments, console in
      guard let other = arguments.text("to") else {
        throw UsageError(sentence: "'--to' is missing: name a store that has the models of the next version")
      }
      guard arguments.has("dry-run") else {
        throw UsageError(
          sentence:
            "A program migrates its store when it opens it, with its own names and code; the tool has '--dry-run' only")
      }
      let defaults = try arguments.texts("default").map(named)
      let preview = try MigrationPreview(arguments.operands[0], to: other, defaults)
      if arguments.has("json") { try console.json(preview) } else { preview.write(to: console) }
      return preview.isPossible ? .good : .failed
    }
  }

  /// Parses a property such as `Track.plays`.
  private static func named(_ text: String) throws(UsageError) -> OpeningTrial.Default {
    let names = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard names.count == 2, !names.contains(""), !text.contains("=") else {
      throw UsageError(sentence: "'--default \(text)' is not understood: write 'Entity.property'")
    }
    return OpeningTrial.Default(names[0], names[1])
  }
}

/// The printed changes of an opening with other models.
struct MigrationPreview: Encodable {
  struct Change: Encodable {
    /// `added`, `parked`, `renamed`, `optional`, `required`, `toMany`, `changed`, `unique`, `notUnique`, `index`, `derived` or
    /// `notDerived`.
    var kind: String
    /// The name of the property. For an index or a unique rule: its properties.
    var property: String
    var formerName: String?
    var was: String?
    var becomes: String?
    /// Whether it was parked, so that its values are visible again.
    var isReturning = false
    fileprivate var text: String

    private enum CodingKeys: String, CodingKey { case kind, property, formerName, was, becomes, isReturning }
  }

  struct Entity: Encodable {
    var name: String
    /// `added`, `parked` or `kept`.
    var fate: String
    var rows: Int
    var isReturning: Bool
    var changes: [Change]
  }

  struct Refusal: Encodable {
    var entity: String
    var property: String?
    var reason: String
  }

  private(set) var source: String
  private(set) var target: String
  private(set) var fromVersion: String?
  private(set) var toVersion: String?
  private(set) var isPossible: Bool
  private(set) var writesRows: Bool
  /// The changed entities.
  private(set) var entities: [Entity]
  private(set) var refusals: [Refusal]
  private(set) var notes: [String] = []

  init(_ path: String, to other: String, _ defaults: [OpeningTrial.Default]) throws {
    // The store is read first, because an error about it matters more.
    let witness = try Looking.rows(path)
    let catalog = try Looking.rows(other).read { $0.catalog }
    guard catalog.entities.contains(where: { !$0.name.hasPrefix("@") }) else {
      throw CheckFailure(
        sentence: "\(other) has no models, so there is nothing to compare with; let the new program make a store")
    }
    var trial = try OpeningTrial(of: catalog, defaults)
    if let unknown = trial.unknown {
      _ = try Looking.entity(unknown.entity, catalog)
      throw CheckFailure(
        sentence: "\(other) has no property '\(unknown.entity).\(unknown.property)' that could have a default")
    }
    let folder = OpeningTrial.newFolder
    try Unfinished.removing([folder]) { try trial.run(witness, folder: folder) }
    (source, target) = (path, other)
    (fromVersion, toVersion) = (trial.from, trial.to)
    (isPossible, writesRows) = (trial.refusals.isEmpty, trial.writesRows)
    entities = trial.entities.map(Self.entity).filter { $0.fate != "kept" || !$0.changes.isEmpty }
    refusals = trial.refusals.map { Refusal(entity: $0.entity, property: $0.property, reason: $0.reason) }
    if trial.isBackward { entities = [] }
    notes = Self.notes(trial)
  }

  private static func entity(_ one: OpeningTrial.Entity) -> Entity {
    let changes = one.changes.map { change($0, isReturning: one.returning.contains($0.name)) }
    let indexes = one.newIndexes.map { Change(kind: "index", property: $0, text: "+ index \($0)") }
    return Entity(
      name: one.name, fate: one.fate.rawValue, rows: one.rows, isReturning: one.returning.contains(one.name),
      changes: changes + indexes + one.derived.map(change))
  }

  private static func change(_ one: OpeningTrial.DerivedChange) -> Change {
    var change = Change(
      kind: one.becomes == nil ? "notDerived" : "derived", property: one.property, was: one.was, becomes: one.becomes,
      text: "~ \(one.property) is not derived any more, and keeps its values")
    if let becomes = one.becomes {
      change.text = "~ \(one.property) is derived: \(becomes)" + (one.was.map { "; it was \($0)" } ?? "")
    }
    return change
  }

  private static func change(_ one: Outline.Change, isReturning: Bool) -> Change {
    var change = Change(
      kind: one.kind.rawValue, property: one.name, formerName: one.formerName, was: one.was, becomes: one.becomes,
      isReturning: isReturning, text: one.description)
    switch one.kind {
    case .added where one.isRule: change.kind = "unique"
    case .removed where one.isRule: change.kind = "notUnique"
    case .removed: change.kind = "parked"
    case .changed:
      let (was, becomes) = (plain(one.was), plain(one.becomes))
      if was + "?" == becomes { change.kind = "optional" }
      if was == becomes + "?" { change.kind = "required" }
      if becomes == "[\(was.hasSuffix("?") ? String(was.dropLast()) : was)]" { change.kind = "toMany" }
    case .added, .renamed: break
    }
    if one.isRule { change.property = String(one.name.dropFirst("unique ".count)) }
    if isReturning { change.text += "; it was parked, and its values come back" }
    if change.kind == "parked" { change.text += "; parked, its values stay in the file" }
    return change
  }

  /// A type without the inverse.
  private static func plain(_ type: String?) -> String {
    type.map { String($0.prefix { $0 != "," }) } ?? ""
  }

  private static func notes(_ trial: OpeningTrial) -> [String] {
    var notes = trial.unsure.map { name in
      "the store with the new models does not record from which of its superclasses \(name) inherits; the topmost one was used"
    }
    if trial.refusals.contains(where: { $0.isOfSubclass && $0.reason.contains("default value") }) {
      notes.append(
        "a store does not keep a default of a subclass that is 0, false or empty: name such a property with '--default'"
      )
    }
    return notes
  }

  func write(to console: Console) {
    let numbers = [fromVersion, toVersion].map { $0 ?? "without a version" }
    console.line(numbers[0] == numbers[1] ? "version \(numbers[0])" : "version \(numbers[0]) → \(numbers[1])")
    for one in entities {
      switch one.fate {
      case "added" where one.isReturning:
        console.line("\(one.name): was parked; its \(ReadableNumber.count(one.rows, "row")) come back")
      case "added": console.line("\(one.name): new")
      case "parked": console.line("\(one.name): parked; its \(ReadableNumber.count(one.rows, "row")) stay in the file")
      default: console.line("\(one.name): \(ReadableNumber.count(one.rows, "row"))")
      }
      for change in one.changes { console.line("  \(change.text)") }
    }
    for one in refusals {
      let place = one.entity.isEmpty ? "" : one.entity + (one.property.map { "." + $0 } ?? "") + ": "
      console.line(console.styled("refused", .bad) + "  " + place + one.reason)
    }
    for note in notes { console.line(console.styled("note", .faint) + "  " + note) }
    if !isPossible { return }
    let end =
      entities.isEmpty
      ? "no change of the models" : writesRows ? "the opening writes rows too, in one transaction" : "no row is written"
    console.line(console.styled("possible", .good) + "  " + end)
  }
}
