import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Shows text that is longer than the screen page by page.
///
/// The first page is held back. Only a text that does not fit on it starts the program of `PAGER`,
/// which gets all of it through a pipe. The words of `PAGER` are a program and its arguments; no
/// shell interprets them. Without a program the pager itself stops after each page, and waits for a
/// key.
final class Pager {
  private enum State {
    /// Nothing was written yet.
    case holding
    /// Stops after each page without a program.
    case stepping
    case piped(PagerProcess)
    /// The user left the pager.
    case closed
  }

  private let prompt: TerminalPrompt
  private let words: [String]
  private let write: (String) -> Void
  private var state = State.holding
  /// The program, even after the user left it.
  private var process: PagerProcess?
  private var held = ""
  /// The number of used rows of the screen.
  private var rows = 0
  /// Whether the next line has no room. A text that fills the screen exactly needs no key.
  private var isFull = false

  /// - Parameters:
  ///   - program: The text of `PAGER`; empty for none.
  ///   - write: Writes to the screen.
  init(_ prompt: TerminalPrompt, program: String, write: @escaping (String) -> Void) {
    self.prompt = prompt
    self.write = write
    words = program.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The error after the user left the pager.
  var failure: StoreError? {
    if case .closed = state { StoreError(.ioError, "the pager was closed", path: "", errorNumber: EPIPE) } else { nil }
  }

  func add(_ text: String) {
    switch state {
    case .closed: return
    case .piped(let process): if !process.write(text) { state = .closed }
    case .holding, .stepping:
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).joinedEnds(of: text) {
        add(line: line)
      }
    }
  }

  private func add(line: String) {
    if isFull { turn() }
    switch state {
    case .closed: return
    case .piped(let process):
      if !process.write(line) { state = .closed }
      return
    case .holding: held += line
    case .stepping: write(line)
    }
    guard line.hasSuffix("\n") else { return }
    rows += max(1, (Self.columns(line) + prompt.mode.size.columns - 1) / prompt.mode.size.columns)
    isFull = rows >= prompt.mode.size.rows - 1
  }

  /// The columns of a line, without the sequences of its colours.
  private static func columns(_ line: String) -> Int {
    var (count, isStyle) = (0, false)
    for character in line where character != "\n" {
      if character == "\u{1B}" { isStyle = true }
      if !isStyle { count += TextWidth.columns(character) }
      if character == "m" { isStyle = false }
    }
    return count
  }

  /// Called when the screen is full and more follows.
  private func turn() {
    isFull = false
    if case .holding = state {
      // The program gets the terminal in its original mode.
      prompt.mode.leave()
      if let process = words.isEmpty ? nil : PagerProcess(words) {
        self.process = process
        state = process.write(held) ? .piped(process) : .closed
        held = ""
        return
      }
      try? prompt.mode.enterRunning()
      flush()
      state = .stepping
    }
    write(Self.question(prompt.mode.size.columns))
    let key = try? prompt.key()
    write("\r\u{1B}[K")
    switch key {
    case .text("q"), .text("Q"), .control("c"), .control("d"), .escape, nil: state = .closed
    case .enter, .down: rows = max(0, rows - 1)
    default: rows = 0
    }
  }

  /// The prompt below a page, on one row.
  static func question(_ columns: Int) -> String {
    let texts = [
      "-- more: space for a page, enter for a line, q to end --", "-- more: space, enter, q --", "-- more --",
    ]
    return texts.first { $0.count < columns } ?? String(texts[2].prefix(max(0, columns - 1)))
  }

  /// Writes the held text.
  func flush() {
    write(held)
    held = ""
  }

  /// Waits until the user has left the pager.
  func end() {
    flush()
    process?.end()
    if process != nil { try? prompt.mode.enterRunning() }
    state = .closed
  }
}

extension [String] {
  /// The lines of a text, each with the line feed that ended it.
  fileprivate func joinedEnds(of text: String) -> [String] {
    guard let last else { return [] }
    return dropLast().map { $0 + "\n" } + (last.isEmpty ? [] : [last])
  }
}

/// The process of `PAGER`, and the pipe to it.
final class PagerProcess {
  private let process: pid_t
  private let descriptor: Int32
  private let stream: ByteStream

  /// nil if there is no such program.
  init?(_ words: [String]) {
    var ends: [Int32] = [-1, -1]
    guard Self.makePipe(&ends) else { return nil }
    var environment = ProcessInfo.processInfo.environment
    // So that less shows colours, and leaves its text on the screen.
    if environment["LESS"] == nil { environment["LESS"] = "-RX" }
    guard let process = Self.start(words, environment, reading: ends[0]) else {
      _ = close(ends[0])
      _ = close(ends[1])
      return nil
    }
    _ = close(ends[0])
    (self.process, descriptor) = (process, ends[1])
    stream = ByteStream.descriptor(ends[1], words[0])
  }

  private static func makePipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return true
  }

  private static func start(_ words: [String], _ environment: [String: String], reading end: Int32) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else { return nil }
    defer {
      _ = posix_spawn_file_actions_destroy(&actions)
      _ = posix_spawnattr_destroy(&attributes)
    }
    _ = posix_spawn_file_actions_adddup2(&actions, end, 0)
    // The shell ignores these signals, but the pager should not.
    var signals = sigset_t()
    _ = sigemptyset(&signals)
    for number in [SIGINT, SIGPIPE] { _ = sigaddset(&signals, number) }
    _ = posix_spawnattr_setsigdefault(&attributes, &signals)
    _ = posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    return posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables) == 0 ? process : nil
  }

  /// Returns false after the reader has ended.
  func write(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return (try? bytes.withUnsafeBytes { try stream.write($0) }) != nil
  }

  func end() {
    _ = close(descriptor)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
