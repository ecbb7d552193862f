import Foundation
import RoostFile

/// The destination of the shell's results: the terminal, a pager, or a file.
final class ShellOutput {
  /// The console for errors, and for results without a terminal.
  let base: Console
  let prompt: TerminalPrompt?
  var pages: Bool
  private let pagerProgram: String
  private var file: (stream: ByteStream, path: String)?
  private var fileFailure: StoreError?
  private var pager: Pager?

  init(_ base: Console, prompt: TerminalPrompt? = nil, pagerProgram: String = "") {
    self.base = base
    self.prompt = prompt
    self.pagerProgram = pagerProgram
    pages = prompt != nil
  }

  /// Sends results to a new file.
  func write(to path: String, replaces: Bool) throws {
    if !replaces, try DiskFileSystem.shared.exists(path) {
      throw StoreError(.alreadyExists, "there is a file of this name: write '.output --replace FILE'", path: path)
    }
    file = (try ByteStream.writing(path, replaces: replaces), path)
    fileFailure = nil
  }

  func writeToTerminal() { file = nil }

  var filePath: String? { file?.path }

  /// Calls a closure with a console for the destination and the size of the terminal.
  func with<Result>(_ body: (Console) throws -> Result) rethrows -> Result {
    if let file {
      let console = base.redirected(
        isTerminal: false, failure: { self.fileFailure }, answer: { self.answer() }
      ) { text in
        do { try Array(text.utf8).withUnsafeBytes { try file.stream.write($0) } } catch {
          self.fileFailure = error as? StoreError ?? StoreError(.ioError, "cannot be written", path: file.path)
        }
      }
      return try body(console)
    }
    guard let prompt else { return try body(base) }
    let write = { (text: String) -> Void in
      // If the terminal is gone, the base console reports it at the next prompt.
      try? self.base.raw(text)
    }
    let pager = pages ? Pager(prompt, program: pagerProgram, write: write) : nil
    self.pager = pager
    defer {
      pager?.end()
      self.pager = nil
    }
    return try body(
      base.redirected(
        isTerminal: true, width: max(20, prompt.mode.size.columns), failure: { pager?.failure },
        answer: { self.answer() }
      ) { text in
        if let pager { pager.add(text) } else { write(text) }
      })
  }

  /// The key with which the user answers a question: `y` for yes. nil without a terminal.
  private func answer() -> String? {
    guard let prompt else { return nil }
    pager?.flush()
    let key = try? prompt.key()
    let isYes = key == .text("y") || key == .text("Y")
    try? base.raw((isYes ? "y" : "n") + "\n")
    return isYes ? "y" : "n"
  }

  /// Whether a user can answer questions.
  var canAsk: Bool { prompt != nil }
}
