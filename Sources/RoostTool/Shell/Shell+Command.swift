import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  static var shell: Command {
    Command(
      name: "shell", summary: "Ask questions of a store, one after the other, in a terminal.",
      discussion: [
        "A statement begins with an entity: 'Track where year > 1970 sort -plays limit 20'. '.help' explains the rest. If",
        "standard input is no terminal, the shell reads statements from it and ends with 1 at the first that fails. Between",
        "statements it holds no lock, so other programs can write.",
      ],
      syntax: Syntax(
        operands: [Syntax.Operand(name: "path", help: "The store. It may be open in another process.")],
        options: [
          Syntax.Option(
            name: "mode", value: "mode", help: "How to print rows (table).",
            choices: ResultMode.allCases.map(\.rawValue)),
          Syntax.Option(name: "timing", help: "Print how long each statement takes."),
          Syntax.Option(name: "yes", help: "Make changes without asking."),
          Syntax.Option(name: "keep-going", help: "Continue a script after a statement fails."),
          Syntax.Option(name: "no-history", help: "Do not write statements to the history file."),
        ])
    ) { arguments, console in
      try ShellLoop(arguments, console).run()
    }
  }
}

/// Reads statements until there are no more.
private final class ShellLoop {
  private let session: ShellSession
  private let prompt: TerminalPrompt?
  private let keepsGoing: Bool
  private let historyPath: String?

  init(_ arguments: Arguments, _ console: Console) throws {
    let environment = ProcessInfo.processInfo.environment
    prompt = console.isTerminal ? TerminalPrompt() : nil
    var settings = ShellSession.Settings()
    settings.mode = try arguments.text("mode").map { try ResultMode.find($0) } ?? .table
    settings.isTimed = arguments.has("timing")
    settings.isAgreed = arguments.has("yes")
    keepsGoing = arguments.has("keep-going")
    historyPath = arguments.has("no-history") ? nil : ShellHistory.standardPath(environment)
    let output = ShellOutput(console, prompt: prompt, pagerProgram: environment["PAGER"] ?? "")
    session = try ShellSession(arguments.operands[0], output, settings: settings)
  }

  func run() throws -> Ending {
    let running = session.running
    guard let prompt else { return try script() }
    // Ctrl-C ends a statement, but never the shell.
    let signals = Signals([SIGINT]) { _ in running.cancel() }
    defer {
      signals.end()
      prompt.mode.leave()
    }
    return try converse(prompt)
  }

  // MARK: On a terminal

  private func converse(_ prompt: TerminalPrompt) throws -> Ending {
    let console = session.output.base
    let history = ShellHistory(historyPath)
    session.entered = history.entries
    console.line(console.styled("roost \(Command.version), '.help' explains, Ctrl-D ends", .faint))
    while !session.isAtEnd {
      let catalog = try? session.catalog()
      let completion = catalog.map { ShellCompletion($0) }
      let editor = LineEditor(
        history: session.entered, completes: { completion?.candidates($0) ?? Candidates() },
        isFinished: StatementScanner.isFinished)
      let outcome = try prompt.edit(editor, prompt: name + "> ") { [session] text in
        do { try session.explain(text.trimmingCharacters(in: .whitespacesAndNewlines)) } catch {
          ShellFailure.report(error, console)
        }
      }
      switch outcome {
      case .finished(let text):
        history.add(text)
        session.entered = history.entries
        _ = session.run(text)
      case .interrupted: continue
      default: session.end()
      }
      try console.checkReader()
    }
    return .good
  }

  /// The name of the store in the prompt.
  private var name: String {
    let file = (session.path as NSString).lastPathComponent
    let plain = SafeText.line(file.hasSuffix(".roost") ? String(file.dropLast(6)) : file)
    return plain.count > 24 ? plain.prefix(23) + "…" : plain
  }

  // MARK: A script

  private func script() throws -> Ending {
    var collector = StatementCollector()
    var ending = Ending.good
    func run(_ statement: ShellScript.Statement?) -> Bool {
      guard let statement else { return true }
      if session.run(statement.text) { return true }
      session.output.base.error("Line \(statement.line) failed.")
      ending = .failed
      return keepsGoing
    }
    while !session.isAtEnd, let line = readLine() {
      if !run(collector.add(line)) { return ending }
    }
    if !session.isAtEnd { _ = run(collector.end()) }
    return ending
  }
}
