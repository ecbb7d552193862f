import RoostCare
import RoostFile
import RoostKV

/// Commands that write a store: a new one, or the one that is named.
extension Command {
  private static var sourceTargetAndJSON: Syntax {
    Syntax(
      operands: [
        Syntax.Operand(name: "source", help: "The store. It is not changed."),
        Syntax.Operand(name: "target", help: "The new store. Nothing of that name may exist."),
      ],
      options: [Syntax.Option(name: "json", help: "Print JSON.")])
  }

  /// Makes a store beside the name that it gets. Where that is the source's, the engine refuses, and nothing may go.
  private static func making<Result>(
    _ target: String, of source: String, _ body: () throws -> Result
  ) throws -> Result {
    let files = DiskFileSystem.shared
    let making = try Workpiece.pathWhileMade(files.canonicalPath(target))
    if try making == files.canonicalPath(source) { return try body() }
    return try Unfinished.removing(making, while: body)
  }

  static var backup: Command {
    Command(
      name: "backup", summary: "Copy a store, also one that is open, into a new and compact one.",
      discussion: [
        "The newest snapshot is copied, and every page and value is compared with its check on the way. The target",
        "appears under its name when it is whole and on the device. Ends with 1, and leaves no target, if a part of the",
        "source cannot be read: see 'salvage'. Beside a process that writes much, that process had better make the backup.",
      ],
      syntax: sourceTargetAndJSON
    ) { arguments, console in
      let (source, target) = (arguments.operands[0], arguments.operands[1])
      let report = try making(target, of: source) {
        try BackupReport(source, target, console.quiet(arguments.has("json")))
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }

  static var restore: Command {
    Command(
      name: "restore", summary: "Make a store of a backup, which is examined first.",
      discussion: [
        "Every page and value of the backup is read and compared with its check before anything is written. The store",
        "appears under its name when it is whole and on the device; until then the old one is there. Ends with 1 if the",
        "backup is damaged, and with 3 if the store to be replaced is open.",
      ],
      syntax: Syntax(
        operands: [
          Syntax.Operand(name: "backup", help: "The backup. It is not changed."),
          Syntax.Operand(name: "target", help: "The store."),
        ],
        options: [
          Syntax.Option(name: "replace", help: "Replace a store of that name, and its log."),
          Waiting.option,
          Syntax.Option(name: "json", help: "Print JSON."),
        ])
    ) { arguments, console in
      let (backup, target) = (arguments.operands[0], arguments.operands[1])
      let verification = try VerifyReport(backup)
      guard verification.isSound else {
        if arguments.has("json") { try console.json(verification) } else { verification.write(to: console) }
        throw CheckFailure(sentence: "the backup is damaged, and \(target) was left as it is; see 'roost salvage'")
      }
      let quiet = console.quiet(arguments.has("json"))
      let report = try making(target, of: backup) {
        try Waiting.whileInUse(arguments) {
          try BackupReport(backup, target, replacing: arguments.has("replace"), quiet)
        }
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console, word: "restored") }
      return .good
    }
  }

  static var compact: Command {
    var syntax = storeAndJSON
    syntax.operands[0].help = "The store. No other process may have it open for writing."
    syntax.options.insert(Waiting.option, at: 0)
    return Command(
      name: "compact", summary: "Move pages of a store forward, and give the end of its file back.",
      discussion: [
        "It works in short transactions, so it may be stopped at any moment: what was done stays done. Ends with 3 if",
        "the store is open in another process, and with 1 if it cannot be read or written.",
      ],
      syntax: syntax
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
      Syntax.Option(name: "log", value: "file", help: "The store's log, where it is not beside the store."), at: 0)
    return Command(
      name: "salvage", summary: "Save what a damaged store still holds into a new one.",
      discussion: [
        "What cannot be read is walked around, and each loss is a line. Entries found in pages that no sound reference",
        "leads to are saved too, and counted as unverified: they may be old, or have a wrong byte. Then the log is carried",
        "out as far as it is whole: its commits keep their numbers. Indexes are made anew. Copy the source and its log",
        "before anything else. Ends with 1 where anything is lost, with all that could be saved in the target, and with 3",
        "if the source is open. A log that was put aside (NAME-log.lost-ID) is named with '--log'.",
      ],
      syntax: syntax
    ) { arguments, console in
      let (source, target) = (arguments.operands[0], arguments.operands[1])
      let report = try making(target, of: source) {
        try SalvageReport(source, log: arguments.text("log"), target, console.quiet(arguments.has("json")))
      }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return report.isComplete ? .good : .failed
    }
  }
}
