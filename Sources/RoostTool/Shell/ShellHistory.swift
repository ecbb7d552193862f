import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The statements of this shell and of others, stored in a file of the user.
///
/// The file has one entry on each line; line breaks and backslashes in entries are escaped. Only
/// its owner can read and write it. Several shells append to it at once: each appends its entries
/// under a lock. An entry that begins with a space is not stored.
///
/// If the history cannot be read or written, the shell continues without it.
final class ShellHistory {
  static let most = 1000
  /// The longest entry that is stored.
  private static let longest = 1 << 16
  /// The largest file that is read whole.
  private static let mostBytes = 4 << 20

  private let path: String?
  private(set) var entries: [String] = []

  /// - Parameter path: The file; nil to keep entries in memory only.
  init(_ path: String?) {
    self.path = path
    guard let path else { return }
    let lines = Self.lines(of: path)
    entries = lines.suffix(Self.most).map(Self.unescaped)
    if lines.count > 2 * Self.most { shorten() }
  }

  /// The file of this user: in `XDG_STATE_HOME`, or in `~/.local/state`.
  static func standardPath(_ environment: [String: String]) -> String? {
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
    return (state ?? home).map { $0 + "/roost/history" }
  }

  func add(_ text: String) {
    guard let first = text.first, first != " ", text.utf8.count <= Self.longest, text != entries.last else { return }
    entries.append(text)
    if entries.count > Self.most { entries.removeFirst() }
    guard let path else { return }
    try? FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    Self.locked(path) { file in
      let line = Array((Self.escaped(text) + "\n").utf8)
      _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }
  }

  // MARK: The file

  /// Opens the file for its owner only, and locks it against other shells.
  private static func locked(_ path: String, _ body: (Int32) -> Void) {
    let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { return }
    defer { _ = close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    // An older file may be readable by others.
    if facts.st_mode & 0o077 != 0 { _ = fchmod(file, 0o600) }
    guard flock(file, LOCK_EX) == 0 else { return }
    body(file)
  }

  private static func lines(of path: String) -> [Substring] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { _ = close(file) }
    return lines(of: file)
  }

  /// The lines at the end of a file.
  private static func lines(of file: Int32) -> [Substring] {
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return [] }
    let size = Int(facts.st_size)
    let start = max(0, size - mostBytes)
    var bytes = [UInt8](repeating: 0, count: size - start)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(start)) }
    guard count > 0 else { return [] }
    var lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    // The first line is incomplete.
    if start > 0, !lines.isEmpty { lines.removeFirst() }
    return lines
  }

  /// Keeps only the newest entries in the file.
  private func shorten() {
    guard let path else { return }
    Self.locked(path) { file in
      let kept = Self.lines(of: file).suffix(Self.most).map { $0 + "\n" }.joined()
      let bytes = Array(kept.utf8)
      guard ftruncate(file, 0) == 0 else { return }
      _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\r", with: "")
      .replacingOccurrences(of: "\n", with: "\\n")
  }

  static func unescaped(_ line: some StringProtocol) -> String {
    var (text, isEscaped) = ("", false)
    for character in line {
      if isEscaped {
        text.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
    return text
  }
}
