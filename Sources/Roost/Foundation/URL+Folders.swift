#if !canImport(Darwin)
  public import Foundation

  /// Folders that Foundation names only on Apple's systems. There each app has its own; on Linux all
  /// programs of a user share them, so name a store after its program.
  extension URL {
    /// The folder for the data of programs: `XDG_DATA_HOME`, or `~/.local/share`.
    @_disfavoredOverload public static var applicationSupportDirectory: URL {
      named("XDG_DATA_HOME") ?? home.appending(path: ".local/share", directoryHint: .isDirectory)
    }

    /// The folder for files that a program can make again: `XDG_CACHE_HOME`, or `~/.cache`.
    @_disfavoredOverload public static var cachesDirectory: URL {
      named("XDG_CACHE_HOME") ?? home.appending(path: ".cache", directoryHint: .isDirectory)
    }

    /// The folder for the user's documents: the desktop's `XDG_DOCUMENTS_DIR`, or `~/Documents`.
    @_disfavoredOverload public static var documentsDirectory: URL {
      named("XDG_DOCUMENTS_DIR") ?? userFolder("XDG_DOCUMENTS_DIR")
        ?? home.appending(path: "Documents", directoryHint: .isDirectory)
    }

    /// The folder in a variable of the environment. By the XDG specification a relative path is ignored.
    private static func named(_ variable: String) -> URL? {
      guard let path = ProcessInfo.processInfo.environment[variable], path.hasPrefix("/") else { return nil }
      return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The folder that the desktop chose.
    private static func userFolder(_ variable: String) -> URL? {
      let settings = named("XDG_CONFIG_HOME") ?? home.appending(path: ".config", directoryHint: .isDirectory)
      let text = try? String(contentsOf: settings.appending(path: "user-dirs.dirs"), encoding: .utf8)
      return userFolder(variable, in: text ?? "", home: home)
    }

    /// The folder in a line of the desktop's settings such as `XDG_DOCUMENTS_DIR="$HOME/Papers"`.
    package static func userFolder(_ variable: String, in settings: String, home: URL) -> URL? {
      for line in settings.split(separator: "\n") where line.hasPrefix(variable + "=\"") && line.hasSuffix("\"") {
        let path = String(line.dropFirst(variable.count + 2).dropLast())
        if path.hasPrefix("/") { return URL(filePath: path, directoryHint: .isDirectory) }
        if path.hasPrefix("$HOME/") {
          return home.appending(path: String(path.dropFirst(6)), directoryHint: .isDirectory)
        }
      }
      return nil
    }

    private static var home: URL {
      named("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
    }
  }
#endif
