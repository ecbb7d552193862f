import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Switches a terminal to raw mode, in which each key arrives at once, and back.
///
/// The original mode is restored however the program ends: by `exit`, or by a signal that can be
/// caught. While the program is stopped, the terminal has its original mode.
///
/// A process has one such object, because signals belong to the process.
final class TerminalMode {
  /// The data that the signal handlers read. They may not allocate or lock.
  fileprivate struct Shared {
    var descriptor: Int32 = -1
    var former = termios()
    var raw = termios()
    /// Single keys as in raw mode, but Ctrl-C and Ctrl-Z send signals.
    var signalled = termios()
    var isChanged = false
    var hasSignals = false
    /// Set by a handler: the size changed, or the program was stopped.
    var mustRedraw = false
    /// A pipe that ends the wait for a key, even if the signal arrives just before the wait.
    var wakeReader: Int32 = -1
    var wakeWriter: Int32 = -1
  }

  // Unsafe because signal handlers read it. The pointer never changes, and only the editor's thread
  // writes through it.
  nonisolated(unsafe) fileprivate static let shared: UnsafeMutablePointer<Shared> = {
    let shared = UnsafeMutablePointer<Shared>.allocate(capacity: 1)
    shared.initialize(to: Shared())
    return shared
  }()

  private let descriptor: Int32

  /// nil if the descriptor is no terminal.
  init?(_ descriptor: Int32) {
    var former = termios()
    guard isatty(descriptor) == 1, tcgetattr(descriptor, &former) == 0 else { return nil }
    self.descriptor = descriptor
    let shared = Self.shared
    shared.pointee.descriptor = descriptor
    shared.pointee.former = former
    var raw = former
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    raw.c_cflag |= tcflag_t(CS8)
    shared.pointee.raw = raw
    raw.c_lflag |= tcflag_t(ISIG)
    shared.pointee.signalled = raw
    Self.makePipe()
    Self.catchSignals()
  }

  deinit { leave() }

  private static func catchSignals() {
    atexit { TerminalMode.restore() }
    for number in [SIGTERM, SIGHUP, SIGQUIT] {
      handle(number) { number in
        TerminalMode.restore()
        _ = signal(number, SIG_DFL)
        _ = raise(number)
      }
    }
    handle(SIGTSTP) { _ in
      let wasChanged = TerminalMode.shared.pointee.isChanged
      TerminalMode.restore()
      _ = raise(SIGSTOP)
      // The program continues here after a stop.
      if wasChanged { TerminalMode.resume() }
      TerminalMode.wake()
    }
    handle(SIGWINCH) { _ in TerminalMode.wake() }
  }

  /// Asks for a redraw. A signal handler may call it.
  fileprivate static func wake() {
    shared.pointee.mustRedraw = true
    var byte: UInt8 = 0
    _ = write(shared.pointee.wakeWriter, &byte, 1)
  }

  private static func makePipe() {
    guard shared.pointee.wakeReader < 0 else { return }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (shared.pointee.wakeReader, shared.pointee.wakeWriter) = (ends[0], ends[1])
  }

  private static func handle(_ number: Int32, _ body: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = body
    #else
      action.__sigaction_handler.sa_handler = body
    #endif
    // A signal ends the wait for a key, and other calls are restarted.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESTART)) | Int32(bitPattern: UInt32(truncatingIfNeeded: SA_NODEFER))
    _ = sigaction(number, &action, nil)
  }

  /// Restores the original mode. A signal handler may call it.
  fileprivate static func restore() {
    let shared = Self.shared
    guard shared.pointee.isChanged else { return }
    shared.pointee.isChanged = false
    _ = write(1, leavePaste, leaveCount)
    _ = tcsetattr(shared.pointee.descriptor, TCSADRAIN, &shared.pointee.former)
  }

  fileprivate static func resume() {
    let shared = Self.shared
    let result =
      shared.pointee.hasSignals
      ? tcsetattr(shared.pointee.descriptor, TCSADRAIN, &shared.pointee.signalled)
      : tcsetattr(shared.pointee.descriptor, TCSADRAIN, &shared.pointee.raw)
    if result == 0 { shared.pointee.isChanged = true }
  }

  /// The bytes that end bracketed paste, in memory that never moves.
  private static let leaveCount = 8
  // Unsafe because signal handlers read it. It is never written.
  nonisolated(unsafe) private static let leavePaste: UnsafeMutablePointer<UInt8> = {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: leaveCount)
    for (place, byte) in "\u{1B}[?2004l".utf8.enumerated() { bytes[place] = byte }
    return bytes
  }()

  // MARK: Modes

  /// Each key arrives as a byte, even Ctrl-C. For the line editor.
  func enterRaw() throws(UsageError) { try enter(hasSignals: false) }

  /// Ctrl-C is a signal, and typed keys wait without being shown. For a running statement.
  func enterRunning() throws(UsageError) { try enter(hasSignals: true) }

  private func enter(hasSignals: Bool) throws(UsageError) {
    // Initialized before a handler needs it.
    _ = Self.leavePaste
    Self.shared.pointee.hasSignals = hasSignals
    Self.resume()
    if !Self.shared.pointee.isChanged { throw UsageError(sentence: "The terminal does not take single keys") }
  }

  /// Restores the original mode.
  func leave() { Self.restore() }

  /// Stops the program as Ctrl-Z does. Returns when the program continues.
  func suspend() { _ = raise(SIGTSTP) }

  /// Whether the screen must be drawn again. The call resets it.
  func takeRedraw() -> Bool {
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    while read(Self.shared.pointee.wakeReader, &bytes, bytes.count) > 0 {}
    defer { Self.shared.pointee.mustRedraw = false }
    return Self.shared.pointee.mustRedraw
  }

  /// Becomes readable when the screen must be drawn again.
  var wakeDescriptor: Int32 { Self.shared.pointee.wakeReader }

  /// Columns and rows.
  var size: (columns: Int, rows: Int) {
    var found = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &found) == 0, found.ws_col > 0 else { return (80, 24) }
    return (max(8, Int(found.ws_col)), max(2, Int(found.ws_row)))
  }
}
