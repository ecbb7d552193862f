package import RoostFile

/// A file system in memory that knows what a crash would leave.
///
/// It is as adverse as the standards allow. A sync of a file saves its bytes and its size but not
/// its name. A sync of a folder saves names but no bytes. Any part of the unsynced changes may
/// survive a crash, sector by sector. The same calls always have the same result.
///
/// Folders need not be created. There are no symbolic links. A sync of a folder saves renames
/// *into* it.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked because `lock` protects every variable below it, except `onStep` while it runs.
  let lock = Lock()
  var names: [String: UInt64] = [:]
  var durableNames: [String: UInt64] = [:]
  var pendingNames: [PendingUnit] = []
  var inodes: [UInt64: Inode] = [:]
  var sequence: UInt64 = 0
  private var lastInode: UInt64 = 0
  private var lastHandle: UInt64 = 0
  private var directoryErrorIsDue = false
  var stepNumber = 0
  var lastStep = Int.max
  var recorded: [RecordedCall] = []
  var recording = true
  var recordsReading = false
  var rules: [FaultRule] = []
  var bound: UInt64?
  var hook: ((RecordedCall) -> Void)?
  var watcher: (any CallObserver)?

  /// The crash that left this image; nil for a file system that began empty.
  package let choice: CrashChoice?

  package init() { choice = nil }

  /// The disk after a crash at a point that keeps the changes of `choice`.
  init(_ files: [UInt64: Content], names: [String: UInt64], bound: UInt64?, choice: CrashChoice) {
    self.choice = choice
    self.names = names
    self.bound = bound
    durableNames = names
    for (number, content) in files { inodes[number] = Inode(number: number, content: content) }
    lastInode = files.keys.max() ?? 0
  }

  package func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile {
    let path = Self.normal(path)
    lock.acquire()
    let found = names[path] != nil
    let kind: CallKind =
      switch mode {
      case .read, .write: .open
      case .writeOrCreate: found ? .open : .create
      case .replace: .create
      }
    let call = RecordedCall(number: 0, kind: kind, path: path, offset: 0, length: 0)
    do throws(Fault) {
      return try performHoldingLock(call) { _ throws(Fault) in
        if !found {
          guard kind == .create else { throw Fault(ErrorNumber.notFound) }
          lastInode += 1
          inodes[lastInode] = Inode(number: lastInode)
          change(.create, [.init(path: path, file: lastInode)], folder: path)
          watcher?.didChangeName(.create, path, other: nil)
        }
        let inode = inodes[names[path]!]!
        if kind == .create && found {
          watcher?.willResize(path, to: 0)
          inode.resize(to: 0, sequence: &sequence)
        }
        lastHandle += 1
        return SimulatedFile(self, inode, path: path, handle: lastHandle, writable: mode != .read)
      }
    } catch { throw .system("open", error.errorNumber, path: path) }
  }

  package func rename(_ from: String, to: String) throws(StoreError) {
    let (from, to) = (Self.normal(from), Self.normal(to))
    try named(.rename, from, other: to, verb: "rename") { () throws(Fault) in
      guard let file = names[from] else { throw Fault(ErrorNumber.notFound) }
      // Two names of one file: according to the standard nothing happens.
      if names[to] == file { return }
      change(.rename, [.init(path: to, file: file), .init(path: from, file: nil)], folder: to)
    }
  }

  package func link(_ from: String, to: String) throws(StoreError) {
    let (from, to) = (Self.normal(from), Self.normal(to))
    try named(.link, from, other: to, verb: "link") { () throws(Fault) in
      guard let file = names[from] else { throw Fault(ErrorNumber.notFound) }
      if names[to] != nil { throw Fault(ErrorNumber.exists) }
      change(.link, [.init(path: to, file: file)], folder: to)
    }
  }

  package func remove(_ path: String) throws(StoreError) {
    let path = Self.normal(path)
    try named(.remove, path, other: nil, verb: "remove") { () throws(Fault) in
      if names[path] != nil { change(.remove, [.init(path: path, file: nil)], folder: path) }
    }
  }

  package func exists(_ path: String) throws(StoreError) -> Bool {
    let path = Self.normal(path)
    let call = RecordedCall(number: 0, kind: .lookUp, path: path, offset: 0, length: 0)
    do throws(Fault) { return try perform(call) { _ in names[path] != nil } } catch {
      throw .system("look-up", error.errorNumber, path: path)
    }
  }

  package func syncDirectory(of path: String) throws(StoreError) {
    let folder = Self.folder(of: Self.normal(path))
    let call = RecordedCall(number: 0, kind: .syncDirectory, path: folder, offset: 0, length: 0)
    do throws(Fault) {
      try perform(call) { effect throws(Fault) in
        let failure: SyncFailure? = if case .sync(let failure) = effect { failure } else { nil }
        try syncNames(folder, failure)
        watcher?.didSyncDirectory(folder)
      }
    } catch { throw .system("sync the folder", error.errorNumber, path: folder) }
  }

  package func canonicalPath(_ path: String) throws(StoreError) -> String { Self.normal(path) }

  /// Does not count as a call, because it changes nothing and cannot fail.
  package func identity(of path: String) -> FileIdentity? {
    lock.withLock {
      names[Self.normal(path)].map { number in
        FileIdentity(device: 1, inode: number, links: UInt64(names.values.count { $0 == number }))
      }
    }
  }

  private func named(
    _ kind: CallKind, _ path: String, other: String?, verb: String, body: () throws(Fault) -> Void
  ) throws(StoreError) {
    let call = RecordedCall(number: 0, kind: kind, path: path, offset: 0, length: 0)
    do throws(Fault) {
      try perform(call) { _ throws(Fault) in
        try body()
        watcher?.didChangeName(kind, path, other: other)
      }
    } catch { throw .system(verb, error.errorNumber, path: other ?? path) }
  }

  /// Changes names now, and adds the change as one unit, which a sync of the folder of `path`
  /// saves.
  private func change(_ kind: CallKind, _ changes: [PendingUnit.NameChange], folder path: String) {
    for change in changes { names[change.path] = change.file }
    sequence += 1
    pendingNames.append(
      PendingUnit(sequence: sequence, change: .names(folder: Self.folder(of: path), changes)))
  }

  /// A failed sync of a folder loses its changes of names, which stay visible until a crash.
  private func syncNames(_ folder: String, _ failure: SyncFailure?) throws(Fault) {
    let fails = failure == .keptAndMarkedClean || failure == .reverted || (failure == nil && directoryErrorIsDue)
    directoryErrorIsDue = failure == .reportedLate
    pendingNames.removeAll { unit in
      guard case .names(folder, let changes) = unit.change else { return false }
      if failure == nil && !fails { for change in changes { durableNames[change.path] = change.file } }
      return true
    }
    forgetNameless()
    if fails { throw Fault(ErrorNumber.io) }
  }

  private func forgetNameless() {
    var named = Set(names.values).union(durableNames.values)
    for case .names(_, let changes) in pendingNames.map(\.change) { named.formUnion(changes.compactMap(\.file)) }
    if named.count < inodes.count { inodes = inodes.filter { named.contains($0.key) } }
  }
}

extension SimulatedFileSystem {
  /// An absolute path without empty, `.` and `..` parts.
  static func normal(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func folder(of path: String) -> String {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
