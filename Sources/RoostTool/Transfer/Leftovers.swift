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

/// Incomplete stores, whose names contain the number of their process until they are complete.
///
/// A killed process leaves its files. The next process that makes the same store removes them. It
/// removes a file only if the file begins like a store or a log, no process has its number, and no
/// process holds its lock.
enum Leftovers {
  private static let mark = "-making-"

  static func path(_ target: String) -> String {
    target + mark + String(ProcessInfo.processInfo.processIdentifier)
  }

  /// All files of an incomplete store.
  static func files(_ making: String) -> [String] {
    [making + "-new", making, Store.logPath(making)]
  }

  /// Gives a complete store its name. It replaces no file that another process made meanwhile.
  static func finish(_ making: String, as path: String) throws {
    try OutputPlace.finish(making, as: path, advice: "choose a new name for the store")
  }

  /// Removes the files that ended processes left of a store, and returns their names.
  static func remove(of target: String) throws -> [String] {
    let target = try DiskFileSystem.shared.canonicalPath(target) as NSString
    let (folder, start) = (target.deletingLastPathComponent, target.lastPathComponent + mark)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let found = Dictionary(grouping: names.filter { $0.hasPrefix(start) }) { name in
      String(name.dropFirst(start.count).prefix { $0.isASCII && $0.isNumber })
    }
    var removed: [String] = []
    for (digits, names) in found {
      let making = start + digits
      let ours = files(making) + [Store.logPath(making + "-new")]
      guard let process = Int32(digits), process > 0, !isAlive(process), names.allSatisfy(ours.contains) else {
        continue
      }
      let paths = names.sorted().map { (folder as NSString).appendingPathComponent($0) }
      guard paths.allSatisfy(isLeftover) else { continue }
      for path in paths { try DiskFileSystem.shared.remove(path) }
      removed += names
    }
    return removed.sorted()
  }

  /// Whether a process with this number runs, even if it belongs to another user.
  private static func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

  /// Whether a file is a store or a log that no process has open, even in another container.
  private static func isLeftover(_ path: String) -> Bool {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
    guard facts.st_size == 0 || OutputPlace.beginsLikeAStore(path) else { return false }
    guard let file = try? DiskFileSystem.shared.open(path, .write) else { return false }
    defer { file.close() }
    return (try? file.lock()) == true
  }
}

/// An error after which an incomplete new store was removed.
struct WithdrawnStore: CataloguedError, CustomStringConvertible {
  private let error: StoreError
  private let path: String

  /// The error to throw instead of another one. It differs only if that one advises to continue
  /// with the store.
  static func error(_ error: any Error, _ path: String) -> any Error {
    guard let failure = error as? StoreError, [.diskFull, .ioError, .outOfMemory].contains(failure.code) else {
      return error
    }
    return WithdrawnStore(error: failure, path: path)
  }

  var entry: ErrorEntry? { error.entry }

  var description: String {
    let remedy =
      switch error.code {
      case .diskFull: "Free some space, and begin again"
      case .outOfMemory: error.advice + " Then begin again"
      default: "Check the device, and begin again"
      }
    let text = "\(error)"
    let plain = text.hasSuffix(error.advice) ? String(text.dropLast(error.advice.count)) : text + " "
    return plain + "The new store \(path) was not complete, and was removed. " + remedy + "."
  }
}
