#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The operating system's files.
package final class DiskFileSystem: FileSystem {
  package static let shared = DiskFileSystem()

  package init() {}

  package func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile {
    // Without blocking, because opening a pipe waits for a process at its other end.
    var flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    switch mode {
    case .read: flags |= O_RDONLY
    case .write: flags |= O_RDWR
    case .writeOrCreate: flags |= O_RDWR | O_CREAT
    case .replace: flags |= O_RDWR | O_CREAT | O_TRUNC
    }
    var interruptions = 0
    while true {
      #if canImport(Glibc)
        let descriptor = Glibc.open(path, flags, 0o600)
      #elseif canImport(Musl)
        let descriptor = Musl.open(path, flags, 0o600)
      #else
        let descriptor = Darwin.open(path, flags, 0o600)
      #endif
      if descriptor >= 0 {
        let file = DiskFile(path: path, descriptor: descriptor)
        try Self.refuseOthers(descriptor, path)
        return file
      }
      if errno == EISDIR || errno == ENXIO { throw Self.noFile(path, isFolder: errno == EISDIR) }
      interruptions += 1
      if errno != EINTR || interruptions > 100 { throw .system("open", errno, path: path) }
    }
  }

  /// Throws for folders, pipes and devices.
  private static func refuseOthers(_ descriptor: Int32, _ path: String) throws(StoreError) {
    var facts = stat()
    if fstat(descriptor, &facts) != 0 { throw .system("stat", errno, path: path) }
    if facts.st_mode & S_IFMT != S_IFREG { throw noFile(path, isFolder: facts.st_mode & S_IFMT == S_IFDIR) }
  }

  private static func noFile(_ path: String, isFolder: Bool) -> StoreError {
    StoreError(
      .notAStore, isFolder ? "it is a folder, not a file" : "it is a pipe or a device, not a file", path: path)
  }

  package func rename(_ from: String, to: String) throws(StoreError) {
    #if canImport(Glibc)
      let result = Glibc.rename(from, to)
    #elseif canImport(Musl)
      let result = Musl.rename(from, to)
    #else
      let result = Darwin.rename(from, to)
    #endif
    if result != 0 { throw .system("rename", errno, path: to) }
  }

  package func link(_ from: String, to: String) throws(StoreError) {
    #if canImport(Glibc)
      let result = Glibc.link(from, to)
    #elseif canImport(Musl)
      let result = Musl.link(from, to)
    #else
      let result = Darwin.link(from, to)
    #endif
    if result != 0 { throw .system("link", errno, path: to) }
  }

  package func remove(_ path: String) throws(StoreError) {
    if unlink(path) != 0 && errno != ENOENT { throw .system("remove", errno, path: path) }
  }

  package func exists(_ path: String) throws(StoreError) -> Bool {
    var facts = stat()
    if lstat(path, &facts) == 0 { return true }
    if errno == ENOENT { return false }
    throw .system("look-up", errno, path: path)
  }

  package func identity(of path: String) -> FileIdentity? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? FileIdentity(facts) : nil
  }

  package func syncDirectory(of path: String) throws(StoreError) {
    let folder = Self.folder(of: path)
    #if canImport(Glibc)
      let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #elseif canImport(Musl)
      let descriptor = Musl.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #else
      let descriptor = Darwin.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #endif
    if descriptor < 0 { throw .system("open the folder", errno, path: folder) }
    let result = fsync(descriptor)
    let number = errno
    DiskFile(path: folder, descriptor: descriptor).close()
    if result != 0 { throw .system("sync the folder", number, path: folder) }
  }

  package func canonicalPath(_ path: String) throws(StoreError) -> String {
    if let known = Self.resolve(path) { return known }
    if errno != ENOENT { throw .system("resolve", errno, path: path) }
    // The file may not exist yet; its folder must.
    let folder = Self.folder(of: path)
    guard let known = Self.resolve(folder) else {
      if errno != ENOENT { throw .system("resolve", errno, path: folder) }
      throw StoreError(.notFound, "this folder does not exist", path: folder, errorNumber: ENOENT)
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return known == "/" ? "/" + name : known + "/" + name
  }

  private static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    let folder = String(path[..<slash])
    return folder.isEmpty ? "/" : folder
  }
}
