import RoostKV

extension Command {
  static var storeAndJSON: Syntax {
    Syntax(
      operands: [Syntax.Operand(name: "path", help: "The store.")],
      options: [Syntax.Option(name: "json", help: "Print JSON.")])
  }

  static var info: Command {
    Command(
      name: "info", summary: "Print what a store contains. Writes nothing.",
      discussion: [
        "Reads the newest commit, also if another process has the store open; then it names the process. If the store was",
        "not closed, it replays the log in memory.",
        "Prints damage of the superblocks or the free map, and then ends with 1; `verify` reads everything.",
      ],
      syntax: storeAndJSON
    ) { arguments, console in
      let facts = try StoreFacts(arguments.operands[0])
      if arguments.has("json") { try console.json(facts) } else { facts.write(to: console) }
      return facts.isSound ? .good : .failed
    }
  }

  private static var repairAndJSON: Syntax {
    var syntax = storeAndJSON
    let help = "Repair pages with one flipped bit, or with a copy, in the file."
    syntax.options.insert(Syntax.Option(name: "repair", help: help), at: 0)
    return syntax
  }

  static var verify: Command {
    Command(
      name: "verify", summary: "Read every page and value of a store, and list all damage.",
      discussion: [
        "Compares the checksum of every page, then its contents, and its key range, counts and level with those in its",
        "parent. No page may be lost or used twice. Prints a line for each finding, and ends with 1 if there is one.",
        "Writes nothing without --repair. With it, each page with a single flipped bit is corrected first; its checksum",
        "proves the correction. With --repair it ends with 3 if the store is open.",
      ],
      syntax: repairAndJSON
    ) { arguments, console in
      let path = arguments.operands[0]
      let repairs = arguments.has("repair") ? try KeyValueStore.repair(path: path) : []
      let report = try VerifyReport(path, repairs: repairs)
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return report.isSound ? .good : .failed
    }
  }
}
