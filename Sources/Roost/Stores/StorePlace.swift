internal import Foundation
internal import RoostFile

/// The default folder of stores.
enum StorePlace {
  static func file(named name: String) -> URL {
    folder.appending(path: name.replacing("/", with: "_") + ".roost", directoryHint: .notDirectory)
  }

  private static var folder: URL {
    #if canImport(Darwin)
      URL.applicationSupportDirectory
    #else
      URL.applicationSupportDirectory.appending(path: program, directoryHint: .isDirectory)
    #endif
  }

  private static var program: String {
    let name = ProcessInfo.processInfo.processName
    return name.isEmpty || name == "." || name == ".." ? "roost" : name.replacing("/", with: "_")
  }

  /// Makes the folder of a file, for its user only.
  static func makeFolder(of file: URL) throws {
    let folder = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: NSNumber(value: 0o700)])
    } catch { throw StoreError(error, "the folder of the store cannot be created", url: folder) }
  }
}
