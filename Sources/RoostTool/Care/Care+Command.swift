import RoostCare
import RoostFile
import RoostKV

/// Commands that write a store: a new one, or an existing one.
extension Command {
  private static var sourceTargetAndJSON: Syntax {
    Syntax(
      operands: [
        Syntax.Operand(name: "source", help: "The store. It is not changed."),
        Syntax.Operand(name: "target", help: "The new store. No file of this name may exist."),
      ],
      options: [Syntax.Option(name: "json", help: "Print JSON.")])
  }

  /// Makes a store under a temporary name. If that is the source's name, the engine throws, and no
  /// file may be removed.
  private static func making<Result>(
    _ target: String, of source: String, _ body: () throws -> Result
  ) throws -> Result {
    let files = DiskFileSystem.shared
    let making = try Workpiece.pathWhileMade(files.canonicalPath(target))
    if try making == files.canonicalPath(source) { return try body() }
    return try Unfinished.removing([making], while: body)
  }

  static var backup: Command {
    Command(
      name: "backup", summary: "Copy a store into a new, compact one. The store may be open.",
      discussion: [
        "Copies the newest snapshot and compares the checksum of every page and value. The target gets its name when it",
        "is complete and synced. Ends with 1, without a target, if a part of the source cannot be read: see 'salvage'.",
        "If another process writes the store very often, the backup may end with 3: try again.",
      ],
      syntax: sourceTargetAndJSON
    ) { arguments, console in
      let (source, target) = (arguments.operands[0], arguments.operands[1])
      let report = try making(target, of: source) {
        try BackupReport(source, target, console: console.quiet(arguments.has("json")))
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }

  static var restore: Command {
    Command(
      name: "restore", summary: "Verify a backup and make a store of it, or restore single rows.",
      discussion: [
        "With '--entity' rows are restored into the target: from a backup of it or, with '--as-of' and the store alone, from",
        "its own past, if its history is full. Rows that still exist get their former values and lists; deleted rows are",
        "inserted with new numbers, together with the rows that they owned by a cascade rule. It is one transaction.",
        "Without '--entity' it reads every page and value of the backup and compares its checksum before it writes anything. The store gets its",
        "name when it is complete and synced; until then the old store keeps the name. Ends with 1 if the backup is",
        "damaged, and with 3 if the store to be replaced is open.",
      ],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "backup", help: "The backup. It is not changed."),
          Syntax.Operand(name: "target", help: "The store.", isOptional: true),
        ],
        options: [
          Syntax.Option(name: "replace", help: "Replace an existing store of this name, and its log."),
          Syntax.Option(name: "entity", value: "name", help: "Restore rows of this entity.", isRepeating: true),
          Syntax.Option(
            name: "where", value: "condition",
            help: "A condition for the rows, as in 'title == \"Low\"'. All rows if left out."),
          AsOf.option,
          Waiting.option,
          Syntax.Option(name: "json", help: "Print JSON."),
        ]),
      changedStore: { $0.texts("entity").isEmpty ? nil : $0.operand(1) ?? $0.operands[0] }
    ) { arguments, console in
      if !arguments.texts("entity").isEmpty { return try restoreRows(arguments, console) }
      for option in ["where", "as-of"] where arguments.text(option) != nil {
        throw UsageError(sentence: "'--\(option)' needs '--entity'")
      }
      let backup = arguments.operands[0]
      guard let target = arguments.operand(1) else { throw UsageError(sentence: "The operand <target> is missing") }
      if !arguments.has("replace"), try DiskFileSystem.shared.exists(target) {
        throw StoreError(.alreadyExists, "there is a file of this name: give '--replace' to replace it", path: target)
      }
      let verification = try VerifyReport(backup)
      guard verification.isSound else {
        if arguments.has("json") { try console.json(verification) } else { verification.write(to: console) }
        throw CheckFailure(sentence: "the backup is damaged, and \(target) was not changed; see 'roost salvage'")
      }
      let quiet = console.quiet(arguments.has("json"))
      let report = try making(target, of: backup) {
        try Waiting.whileInUse(arguments) {
          try BackupReport(backup, target, replacing: arguments.has("replace"), console: quiet)
        }
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console, word: "restored") }
      return .good
    }
  }

  private static func restoreRows(_ arguments: Arguments, _ console: Console) throws -> Ending {
    let moment = arguments.text("as-of")
    if arguments.has("replace") { throw UsageError(sentence: "'--replace' and '--entity' contradict each other") }
    guard moment != nil || arguments.operand(1) != nil else {
      throw UsageError(sentence: "'--entity' needs a backup and a store, or '--as-of' and a store")
    }
    let entities = arguments.texts("entity")
    if entities.count > 1, arguments.text("where") != nil {
      throw UsageError(sentence: "'--where' is about one entity: name one, or leave it out")
    }
    let asked = entities.map { Asked($0, where: arguments.text("where")) }
    let target = arguments.operand(1)
    let report = try RowRestorationReport(
      asked, from: target == nil ? nil : arguments.operands[0], moment: moment, to: target ?? arguments.operands[0],
      waiting: Waiting.nanoseconds(arguments))
    if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
    return .good
  }

  static var compact: Command {
    var syntax = storeAndJSON
    syntax.operands[0].help = "The store. No other process may have it open for writing."
    syntax.options.insert(Waiting.option, at: 0)
    return Command(
      name: "compact", summary: "Move pages to the front of the file and shorten it.",
      discussion: [
        "Works in short transactions. You may stop it at any time; finished transactions remain. Ends with 3 if another",
        "process has the store open, and with 1 if the store cannot be read or written.",
      ],
      syntax: syntax, changedStore: { $0.operands[0] }
    ) { arguments, console in
      let report = try Waiting.whileInUse(arguments) {
        try CompactReport(arguments.operands[0], console.quiet(arguments.has("json")))
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }

  static var salvage: Command {
    var syntax = sourceTargetAndJSON
    syntax.options.insert(
      Syntax.Option(name: "log", value: "file", help: "The log of the store, if it is not beside the store."), at: 0)
    return Command(
      name: "salvage", summary: "Copy the readable contents of a damaged store into a new one.",
      discussion: [
        "Copy the source and its log before you begin. Unreadable pages are skipped, and each loss is printed as a line.",
        "Entries in pages without a valid reference are copied too, and counted as unverified: they may be old, or have a",
        "wrong byte. Then the intact part of the log is replayed; its commits keep their numbers. Indexes are rebuilt. Ends",
        "with 1 if anything is lost; the target has the rest. Ends with 3 if the source is open. If the log was renamed to",
        "NAME-log.lost-ID, name it with '--log'.",
      ],
      syntax: syntax
    ) { arguments, console in
      let (source, target) = (arguments.operands[0], arguments.operands[1])
      let report = try making(target, of: source) {
        try SalvageReport(source, log: arguments.text("log"), target, console: console.quiet(arguments.has("json")))
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return report.isComplete ? .good : .failed
    }
  }
}
