import Foundation
import RoostFile
import RoostPages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The destination of text that a subcommand writes. It is never the store of the command, nor any
/// other store.
enum OutputPlace {
  /// Throws if writing to `path` would overwrite a store, its log or the input, under any of their
  /// names.
  static func check(_ path: String, store: String, input: String? = nil) throws {
    let files = DiskFileSystem.shared
    let (own, log) = (try files.canonicalPath(store), try Store.logPath(files.canonicalPath(store)))
    let place = try files.canonicalPath(path)
    let facts = Facts(path)
    for (name, what) in [(own, "the store"), (log, "the store's log"), (input ?? "-", "what is read")] where name != "-"
    {
      let isSame = facts.map { facts in Facts(name).map { $0.isSame(as: facts) } ?? false } ?? false
      // A missing log may be created at any moment.
      if isSame || place == name {
        throw StoreError(.alreadyExists, "this is \(what), and is not replaced", path: path)
      }
    }
    guard let facts else { return }
    guard facts.isRegular else {
      throw StoreError(
        .alreadyExists, "this is not a file; without '--output' the text goes to standard output", path: path)
    }
    if beginsLikeAStore(path) {
      throw StoreError(.alreadyExists, "this file begins like a store or its log, and is not replaced", path: path)
    }
  }

  /// Gives a file that is complete its name. It replaces no file that another process made meanwhile.
  ///
  /// - Parameter advice: what to do if there is a file of that name.
  static func finish(_ making: String, as path: String, advice: String) throws {
    do throws(StoreError) { try DiskFileSystem.shared.link(making, to: path) } catch {
      if error.code == .alreadyExists {
        throw StoreError(
          .alreadyExists, "another process made a file of this name meanwhile: \(advice)", path: path)
      }
      // Some file systems have no links.
      return try DiskFileSystem.shared.rename(making, to: path)
    }
    try DiskFileSystem.shared.remove(making)
  }

  /// Gives a text that is complete its name.
  static func finish(_ making: String, as path: String, replaces: Bool) throws {
    if replaces { return try DiskFileSystem.shared.rename(making, to: path) }
    try finish(making, as: path, advice: "give '--replace' to replace it")
  }

  /// The system's facts about a file; nil if there is none.
  private struct Facts {
    private let found: stat

    init?(_ path: String) {
      var found = stat()
      guard stat(path, &found) == 0 else { return nil }
      self.found = found
    }

    var isRegular: Bool { found.st_mode & S_IFMT == S_IFREG }
    func isSame(as other: Facts) -> Bool { found.st_dev == other.found.st_dev && found.st_ino == other.found.st_ino }
  }

  /// Whether a file begins like a store or a log.
  static func beginsLikeAStore(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let head = (try? file.read(upToCount: 8)) ?? Data()
    return head == Data("ROOSTDB1".utf8) || head == Data("ROOSTLG1".utf8)
  }
}
