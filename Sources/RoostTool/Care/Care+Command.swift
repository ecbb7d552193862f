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
      let report = try BackupReport(arguments.operands[0], arguments.operands[1], console.quiet(arguments.has("json")))
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }

  static var compact: Command {
    var syntax = storeAndJSON
    syntax.operands[0].help = "The store. No other process may have it open for writing."
    return Command(
      name: "compact", summary: "Move pages of a store forward, and give the end of its file back.",
      discussion: [
        "It works in short transactions, so it may be stopped at any moment: what was done stays done. Ends with 1 if",
        "the store is open in another process, or cannot be read or written.",
      ],
      syntax: syntax
    ) { arguments, console in
      let report = try CompactReport(arguments.operands[0], console.quiet(arguments.has("json")))
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }

  static var salvage: Command {
    Command(
      name: "salvage", summary: "Save what a damaged store still holds into a new one.",
      discussion: [
        "What cannot be read is walked around, and each loss is a line. Entries found in pages that no sound reference",
        "leads to are saved too, and counted as unverified: they may be old, or have a wrong byte. The source must not be",
        "open. Ends with 1 where anything is lost, with all that could be saved in the target.",
      ],
      syntax: sourceTargetAndJSON
    ) { arguments, console in
      let report = try SalvageReport(arguments.operands[0], arguments.operands[1], console.quiet(arguments.has("json")))
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return report.isComplete ? .good : .failed
    }
  }
}
