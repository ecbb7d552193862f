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

  static var verify: Command {
    Command(
      name: "verify", summary: "Read every page and every value of a store, and list all damage. Nothing is written.",
      discussion: [
        "Every page is compared with its check and examined whole; fences, counts and levels are compared with what",
        "the page above says; no page may be lost or used twice. Each finding is a line. Ends with 1 where there is one.",
      ],
      syntax: storeAndJSON
    ) { arguments, console in
      let report = try VerifyReport(arguments.operands[0])
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return report.isSound ? .good : .failed
    }
  }
}
