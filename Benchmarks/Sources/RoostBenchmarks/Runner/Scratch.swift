import Foundation

/// The folder in which stores are made.
final class Scratch {
  let path: String
  private let isOurs: Bool
  private var made = 0

  /// Uses the given folder, or makes one that is removed at the end.
  init(_ directory: String?) throws {
    if let directory {
      path = directory
      isOurs = false
    } else {
      let name = "roost-benchmarks-\(UUID().uuidString)"
      path = FileManager.default.temporaryDirectory.appending(path: name).path(percentEncoded: false)
      isOurs = true
    }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// A new empty folder for one store.
  func folder(_ label: String) throws -> String {
    made += 1
    let folder = "\(path)/\(label)-\(ProcessInfo.processInfo.processIdentifier)-\(made)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  /// Copies the files of a folder into another, and syncs them. Otherwise the first sync of a file
  /// would include its copy.
  func copy(_ folder: String, to other: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(other)/\(name)")
      try FileHandle(forUpdatingAtPath: "\(other)/\(name)")?.synchronize()
    }
  }

  func remove(_ folder: String) throws {
    try FileManager.default.removeItem(atPath: folder)
  }

  /// Removes the folder if this program made it. Single stores have been removed before.
  func finish() throws {
    if isOurs { try FileManager.default.removeItem(atPath: path) }
  }
}
