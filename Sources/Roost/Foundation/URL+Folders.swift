#if !canImport(Darwin)
  public import Foundation

  /// Folders that Foundation names only on Apple's systems. There each app has its own; on Linux all
  /// programs of a user share them, so name a store after its program.
  extension URL {
    /// The folder for the data of programs: `XDG_DATA_HOME`, or `~/.local/share`.
    @_disfavoredOverload public static var applicationSupportDirectory: URL {
      // By the XDG specification a relative path is ignored.
      let environment = ProcessInfo.processInfo.environment
      if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
        return URL(filePath: folder, directoryHint: .isDirectory)
      }
      return home.appending(path: ".local/share", directoryHint: .isDirectory)
    }

    /// The folder for the user's documents: `XDG_DOCUMENTS_DIR`, or `~/Documents`.
    @_disfavoredOverload public static var documentsDirectory: URL { found(.documentDirectory, or: "Documents") }

    /// The folder for files that a program can make again: `XDG_CACHE_HOME`, or `~/.cache`.
    @_disfavoredOverload public static var cachesDirectory: URL { found(.cachesDirectory, or: ".cache") }

    private static func found(_ place: FileManager.SearchPathDirectory, or path: String) -> URL {
      let found = FileManager.default.urls(for: place, in: .userDomainMask).first
      return URL(filePath: found?.path ?? home.appending(path: path).path, directoryHint: .isDirectory)
    }

    private static var home: URL {
      if let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") {
        return URL(filePath: home, directoryHint: .isDirectory)
      }
      return FileManager.default.homeDirectoryForCurrentUser
    }
  }
#endif
