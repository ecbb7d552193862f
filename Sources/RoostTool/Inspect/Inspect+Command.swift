import RoostKV

extension Command {
  static var storeAndJSON: Syntax {
    Syntax(
      operands: [Syntax.Operand(name: "path", help: "The store.")],
      options: [Syntax.Option(name: "json", help: "Print JSON.")])
  }

  static var info: Command {
    Command(
      name: "info", summary: "Tell what a store holds. Nothing is written.",
      discussion: [
        "The store may be open in another process, which is named; its newest commit is read. If nobody closed it, the log",
        "is replayed in memory.",
        "Damage of the superblocks or of the map of free places is told, and ends it with 1; `verify` looks at everything.",
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
      name: "verify", summary: "Read every page and every value of a store, and list all damage.",
      discussion: [
        "Every page is compared with its check and examined whole; fences, counts and levels are compared with what",
        "the page above says; no page may be lost or used twice. Each finding is a line. Ends with 1 where there is one.",
        "Nothing is written without --repair. With it, each page in which a single bit has flipped is first written as it",
        "was, which its check proves. Ends with 3 if the store is open then.",
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
