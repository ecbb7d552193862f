internal import Foundation
internal import RoostFile

/// Where stores are kept whose program did not say where.
enum StorePlace {
  static func file(named name: String) -> URL {
    folder.appending(path: name.replacing("/", with: "_") + ".roost", directoryHint: .notDirectory)
  }

  private static var folder: URL {
    #if canImport(Darwin)
      URL.applicationSupportDirectory
    #else
      data.appending(path: program, directoryHint: .isDirectory)
    #endif
  }

  /// The user's data, as the desktops for Linux agreed on it: a relative path there does not count.
  private static var data: URL {
    let environment = ProcessInfo.processInfo.environment
    if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") {
      return URL(filePath: home, directoryHint: .isDirectory)
    }
    if let home = environment["HOME"], home.hasPrefix("/") {
      return URL(filePath: home, directoryHint: .isDirectory)
        .appending(path: ".local/share", directoryHint: .isDirectory)
    }
    return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share", directoryHint: .isDirectory)
  }

  private static var program: String {
    let name = ProcessInfo.processInfo.processName
    return name.isEmpty || name == "." || name == ".." ? "roost" : name.replacing("/", with: "_")
  }

  /// Makes the folder of a file, for its user alone.
  static func makeFolder(of file: URL) throws {
    let folder = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: NSNumber(value: 0o700)])
    } catch { throw StoreError(error, "the folder of the store cannot be created", url: folder) }
  }
}
