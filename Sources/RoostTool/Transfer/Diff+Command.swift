import RoostFile
import RoostRecords
import RoostTransfer

extension Command {
  static var diff: Command {
    Command(
      name: "diff", summary: "Print in which models and rows two stores differ. Writes nothing.",
      discussion: [
        "First come the declarations that differ, then added (+), removed (-) and changed (~) rows. Rows with the same number",
        "are compared, or rows with the same unique value with '--by key'. Ends with 1 if the stores differ, and with 2 if they",
        "could not be compared. The history is not compared.",
      ],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "old", help: "A store. It may be open in another process."),
          Syntax.Operand(name: "new", help: "The store that it is compared with."),
        ],
        options: [
          Syntax.Option(
            name: "by", value: "way",
            help: "How rows are paired (number); 'key' is the first unique property, else the number.",
            choices: ["number", "key"]),
          Syntax.Option(
            name: "entity", value: "name", help: "Compare the rows of this entity only.", isRepeating: true),
          Syntax.Option(
            name: "most", value: "n", help: "Print at most this many rows of each entity; all are counted."),
          Syntax.Option(name: "json", help: "Print JSON."),
        ])
    ) { arguments, console in
      try Comparing(arguments, console).run()
    }
  }
}

/// A comparison with the options of the command line.
private struct Comparing {
  let arguments: Arguments
  let console: Console
  let pairing: StoreComparison.Pairing
  let most: Int

  init(_ arguments: Arguments, _ console: Console) throws {
    (self.arguments, self.console) = (arguments, console)
    pairing = arguments.text("by") == "key" ? .keys : .numbers
    most = try arguments.number("most", in: 0...Int.max) ?? .max
  }

  func run() throws -> Ending {
    let (old, new) = (try Looking.rows(arguments.operands[0]), try Looking.rows(arguments.operands[1]))
    // Text is made safe part by part.
    let isJSON = arguments.has("json")
    let output = HeldOutput(ConsoleOutput(console, filter: { isJSON ? SafeText.json($0) : $0 }))
    var isSame = true
    try old.read(mayRestart: { !output.hasFlowed }) { before in
      try new.read(mayRestart: { !output.hasFlowed }) { after in
        output.restart()
        let stores = StoreComparison(old: before, new: after, pairing: pairing)
        isSame = try isJSON ? json(stores, output) : text(stores, output)
      }
    }
    try output.release()
    return isSame ? .good : .failed
  }

  private func entities(_ stores: StoreComparison) throws -> [String] {
    let asked = arguments.texts("entity")
    if asked.isEmpty { return try stores.topmost() }
    for name in asked where !stores.entities.contains(name) {
      throw CheckFailure(
        sentence: "no store has '\(name)'" + Spelling.hint(name, among: stores.entities).replacing("?", with: ""))
    }
    return asked
  }

  private func text(_ stores: StoreComparison, _ output: HeldOutput) throws -> Bool {
    func line(_ text: StyledText) throws { try output.write(console.text(text) + "\n") }
    let names = try entities(stores)
    let schema = arguments.texts("entity").isEmpty ? stores.schema : []
    if !schema.isEmpty {
      try line(console.styled("models", .strong))
      for one in schema { try line(StyledText("  " + one)) }
    }
    var isSame = schema.isEmpty
    for name in names {
      var printed = 0
      let counts = try stores.compare(name) { difference in
        printed += 1
        if printed > most { return }
        switch difference.change {
        case .added: try line(console.styled("+ \(name) \(difference.row)", .good))
        case .removed: try line(console.styled("- \(name) \(difference.row)", .bad))
        case .changed: try line(console.styled("~ \(name) \(difference.row)", .strong))
        }
        for one in difference.properties ?? [] {
          try line(StyledText("    \(one.name): \(one.old ?? "nil") → \(one.new ?? "nil")"))
        }
      }
      if counts.isSame { continue }
      isSame = false
      if printed > most { try line(StyledText("  and \(ReadableNumber.count(printed - most)) more of \(name)")) }
      try line(
        StyledText(
          "\(name): \(ReadableNumber.count(counts.added)) added, \(ReadableNumber.count(counts.removed)) removed, "
            + "\(ReadableNumber.count(counts.changed)) changed"))
    }
    if isSame { try line(console.styled("same", .good) + "  the models and all rows are the same") }
    return isSame
  }

  private func json(_ stores: StoreComparison, _ output: HeldOutput) throws -> Bool {
    let names = try entities(stores)
    let schema = arguments.texts("entity").isEmpty ? stores.schema : []
    try output.write("{\"models\":\(Console.jsonText(schema)),\"differences\":[")
    var counts: [String: StoreComparison.Counts] = [:]
    var count = 0
    for name in names {
      var printed = 0
      counts[name] = try stores.compare(name) { difference in
        printed += 1
        if printed > most { return }
        try output.write((count > 0 ? ",\n" : "\n") + Console.jsonText(difference))
        count += 1
      }
    }
    let isSame = schema.isEmpty && counts.values.allSatisfy(\.isSame)
    try output.write("\n],\"entities\":\(Console.jsonText(counts)),\"isSame\":\(isSame)}\n")
    return isSame
  }
}
