import Foundation

@testable import RoostTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The built program in its own terminal, and the screen of that terminal.
final class PseudoTerminal {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let master: Int32
  private let slave: Int32
  private let process: pid_t
  private var screen = ScreenModel(columns: 80, rows: 24)
  /// All bytes that the program wrote.
  private(set) var raw = ""
  private var hasEnded = false
  private var prompts = 0
  private let before: termios

  /// Starts `roost` with arguments.
  init(_ words: [String], environment: [String: String] = [:], columns: Int = 80, rows: Int = 24) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 256)
    guard openpty(&master, &slave, &name, nil, nil) == 0 else {
      throw Failure(description: "there is no pseudo-terminal")
    }
    self.master = master
    // Kept open, so that the terminal's settings can be read after the end of the program.
    self.slave = slave
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    before = try Self.settings(master)
    screen = ScreenModel(columns: columns, rows: rows)
    Self.resize(master, columns, rows: rows)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // The leader of a new session gets the terminal that it opens first.
    posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    // The threads of tests block signals, and the program must not.
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var variables = ProcessInfo.processInfo.environment.merging(["TERM": "xterm", "NO_COLOR": "1", "PAGER": ""]) { $1 }
    variables.merge(environment) { $1 }
    let program = RowsFixture.program
    var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
    var texts: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + texts { free(text) } }
    var process = pid_t()
    let result = posix_spawn(&process, program, &actions, &attributes, &arguments, &texts)
    guard result == 0 else { throw Failure(description: "roost does not start: \(result)") }
    self.process = process
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(master)
    close(slave)
  }

  /// `POSIX_SPAWN_SETSID` of glibc, which only GNU programs can use by name.
  private static let newSession: Int16 = 0x80

  private static func settings(_ descriptor: Int32) throws -> termios {
    var found = termios()
    guard tcgetattr(descriptor, &found) == 0 else { throw Failure(description: "the terminal has no settings") }
    return found
  }

  private static func resize(_ master: Int32, _ columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Whether the terminal has the settings from before the program.
  func isRestored() throws -> Bool {
    let now = try Self.settings(master)
    return now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag && now.c_lflag == before.c_lflag
      && now.c_cflag == before.c_cflag
  }

  func resize(columns: Int, rows: Int) {
    screen = ScreenModel(columns: columns, rows: rows)
    Self.resize(master, columns, rows: rows)
  }

  /// Types keys. Enter is a carriage return, not a line feed.
  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  func send(_ signal: Int32) { kill(process, signal) }

  /// The rows that the terminal shows, without spaces at their ends.
  var rows: [String] { screen.text }
  var shown: String { rows.joined(separator: "\n") }

  /// Waits until the terminal shows the text.
  @discardableResult
  func wait(seconds: Double = 20, _ isWanted: (PseudoTerminal) -> Bool) throws -> String {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !isWanted(self) {
      guard ContinuousClock.now < deadline else { throw Failure(description: "it was waited for in vain:\n\(shown)") }
      if !take(100) { throw Failure(description: "the program ended:\n\(shown)") }
    }
    return shown
  }

  @discardableResult
  func wait(for text: String, seconds: Double = 20) throws -> String {
    try wait(seconds: seconds) { $0.shown.contains(text) }
  }

  /// Waits for another prompt than at the last call, with nothing after it.
  @discardableResult
  func waitForPrompt(_ prompt: String = "music>") throws -> String {
    let former = prompts
    let shown = try wait { $0.screen.row == prompt && $0.editCount > former }
    prompts = editCount
    return shown
  }

  /// The number of lines that the shell began to edit: it switches on bracketed paste for each.
  private var editCount: Int { raw.components(separatedBy: "\u{1B}[?2004h").count - 1 }

  /// Takes the program's new output. Returns false after the program has ended.
  private func take(_ milliseconds: Int32) -> Bool {
    guard hasOutput(within: milliseconds) else { return true }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(master, &bytes, bytes.count)
    guard count > 0 else { return false }
    screen.feed(bytes.prefix(count))
    raw += String(decoding: bytes.prefix(count), as: UTF8.self)
    return true
  }

  private func hasOutput(within milliseconds: Int32) -> Bool {
    var place = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    return poll(&place, 1, milliseconds) > 0
  }

  /// Waits for the end of the program. Returns its exit code, or 128 and the signal that ended it.
  func end(seconds: Double = 20) throws -> Int32 {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) != process {
      guard ContinuousClock.now < deadline else { throw Failure(description: "the program does not end:\n\(shown)") }
      _ = take(5)
    }
    // The last output.
    while hasOutput(within: 0), take(0) {}
    hasEnded = true
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}

/// The rows of a terminal, with the features that the shell needs.
struct ScreenModel {
  private let columns: Int
  private let height: Int
  private var cells: [[Character]]
  private var y = 0
  private var x = 0
  private var waiting: [UInt8] = []

  init(columns: Int, rows: Int) {
    (self.columns, height) = (columns, rows)
    cells = [[]]
  }

  /// The row of the cursor, without spaces at its end.
  var row: String { Self.trimmed(cells[y]) }
  var text: [String] { cells.map(Self.trimmed) }

  private static func trimmed(_ cells: [Character]) -> String {
    var text = String(cells.filter { $0 != "\u{0}" })
    while text.last == " " { text.removeLast() }
    return text
  }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    waiting += bytes
    // A character or a sequence may be incomplete at the end.
    var start = 0
    while start < waiting.count {
      let rest = waiting[start...]
      if rest[start] == 0x1B {
        guard let length = sequence(rest) else { break }
        start += length
        continue
      }
      let end = rest.firstIndex(of: 0x1B) ?? waiting.count
      var piece = rest[..<end]
      if end == waiting.count {
        while let last = piece.last, last & 0xC0 == 0x80 { piece.removeLast() }
        if let last = piece.last, last >= 0xC0 { piece.removeLast() }
        if piece.isEmpty { break }
        let whole = rest[..<end]
        if String(validating: whole, as: UTF8.self) != nil { piece = whole }
      }
      for character in String(decoding: piece, as: UTF8.self) { put(character) }
      start = piece.endIndex
    }
    waiting.removeFirst(start)
  }

  private mutating func put(_ character: Character) {
    switch character {
    case "\r\n":
      x = 0
      feedLine()
    case "\r": x = 0
    case "\n": feedLine()
    case "\u{7}": break
    default:
      let width = TextWidth.columns(character)
      if x + width > columns {
        x = 0
        feedLine()
      }
      while cells[y].count < x + width { cells[y].append(" ") }
      cells[y][x] = character
      if width == 2 { cells[y][x + 1] = "\u{0}" }
      x += width
    }
  }

  private mutating func feedLine() {
    y += 1
    if y == cells.count { cells.append([]) }
  }

  /// Executes a sequence. Returns its length; nil while it is incomplete.
  private mutating func sequence(_ bytes: ArraySlice<UInt8>) -> Int? {
    let start = bytes.startIndex
    guard bytes.count > 2 else { return nil }
    guard let end = bytes[(start + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
    let number = Int(String(decoding: bytes[(start + 2)..<end], as: UTF8.self)) ?? 1
    switch bytes[end] {
    case UInt8(ascii: "A"): y = max(0, y - number)
    case UInt8(ascii: "C"): x = min(columns - 1, x + number)
    case UInt8(ascii: "J"):
      if number == 2 {
        (cells, x, y) = ([[]], 0, 0)
      } else {
        cells.removeSubrange((y + 1)...)
        cells[y] = Array(cells[y].prefix(x))
      }
    case UInt8(ascii: "K"): cells[y] = Array(cells[y].prefix(x))
    default: break
    }
    return end - start + 1
  }
}
