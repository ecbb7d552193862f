package import RoostFile
import RoostBytes

/// Opens and creates stores.
extension Store {
  /// Opens the store at `path`, or shares it if this process has it open.
  package static func open(
    _ path: String, options: StoreOptions = StoreOptions(), fileSystem: any FileSystem = DiskFileSystem.shared,
    floor: Floor
  ) throws(StoreError) -> Store {
    let path = try fileSystem.canonicalPath(path)
    let timeout = options.readOnly ? 0 : options.lockTimeoutNanoseconds
    var polling = Polling(nanoseconds: timeout)
    while true {
      do throws(StoreError) {
        return try OpenStores.shared.opening(path, fileSystem) { () throws(StoreError) in
          try openAlone(path, options, fileSystem: fileSystem, floor: floor)
        }
      } catch {
        // Another process has the store open, or is creating it. While waiting, this process may
        // open other stores.
        guard error.code == .locked || error.code == .busy, timeout > 0 else { throw error }
        guard polling.pause() else { throw error.waited(timeout) }
      }
    }
  }

  /// Opens the store at its canonical path, while no other thread of this process does.
  private static func openAlone(
    _ path: String, _ options: StoreOptions, fileSystem: any FileSystem, floor: Floor
  ) throws(StoreError) -> Store {
    if options.readOnly { return try openForReading(path, options, fileSystem: fileSystem, floor: floor) }
    if options.createIfMissing, try !fileSystem.exists(path) {
      try create(path, options, fileSystem: fileSystem)
    }
    let file = try openFile(path, .write, fileSystem: fileSystem)
    var keeps = false
    defer { if !keeps { file.close() } }
    if let shared = OpenStores.shared.find(try file.identity(), fileSystem) { return shared }
    guard try file.lock() else { throw lockedError(path, fileSystem) }
    try checkNames(file, path, fileSystem: fileSystem)
    let repairs = PageRepairs(path, say: options.say)
    let pair = try SuperblockPair.read(from: file, repairs: repairs)
    let store = try prepare(
      path, options, fileSystem: fileSystem, floor: floor, file: file, pair: pair, repairs: repairs)
    let identity = try file.identity()
    store.fileIdentity = identity
    try store.openLog()
    // A crash while the store was closed may have torn the other slot. Nothing else writes it
    // before a commit.
    if store.hadDamagedSuperblock, store.durable.log == nil { try store.writeSuperblock(store.durable) }
    OpenStores.shared.add(store, identity, fileSystem: fileSystem)
    keeps = true
    return store
  }

  /// A store in memory.
  package static func inMemory(options: StoreOptions = StoreOptions(), floor: Floor) throws(StoreError) -> Store {
    let frames = try Frames(file: nil, capacity: .max, validator: floor.validate)
    try frames.reserve(upTo: 2)
    var space = Space(limit: 2)
    space.largest = options.mostPages
    return Store(
      path: "", options: options, file: nil, fileSystem: DiskFileSystem.shared, frames: frames, floor: floor,
      pair: SuperblockPair(newest: firstSuperblock(options), slot: 0, otherIsDamaged: false), space: space,
      freeMap: FreeMapDisk())
  }

  /// Opens the store's file. If only its log exists, it throws another error than if neither does.
  static func openFile(
    _ path: String, _ mode: FileMode, fileSystem: any FileSystem
  ) throws(StoreError) -> any StorageFile {
    do throws(StoreError) { return try fileSystem.open(path, mode) } catch {
      if error.code == .notFound { try refuseOrphan(path, fileSystem) }
      throw error
    }
  }

  /// Throws `storeMissing` if a non-empty log exists beside a missing file.
  ///
  /// A store is durable under its name before its log gets its first byte. So such a log exists
  /// only if the file was moved or removed, and it may hold commits that the file lacks.
  package static func refuseOrphan(_ path: String, _ fileSystem: any FileSystem) throws(StoreError) {
    guard try !fileSystem.exists(path), try fileSystem.exists(logPath(path)) else { return }
    let log = try fileSystem.open(logPath(path), .read)
    defer { log.close() }
    // Checked again, because another process may have created the store and its log meanwhile.
    if try log.size() > 0, try !fileSystem.exists(path) { throw orphanError(path) }
  }

  private static func orphanError(_ path: String) -> StoreError {
    StoreError(
      .storeMissing, "the file of the store is missing, but its log exists and may hold commits: \(logPath(path))",
      path: path)
  }

  static func firstSuperblock(_ options: StoreOptions) -> Superblock {
    Superblock(
      identityHigh: options.random(), identityLow: options.random(), sequence: 1, snapshot: .empty,
      freeMap: .none, pageCount: 2, log: nil)
  }

  // MARK: Creation

  /// Writes an empty store beside its final name, syncs it, and renames it.
  ///
  /// The log's lock decides which process may do so: two processes that create the same store make
  /// one.
  private static func create(
    _ path: String, _ options: StoreOptions, fileSystem: any FileSystem
  ) throws(StoreError) {
    let gate = try fileSystem.open(logPath(path), .writeOrCreate)
    defer { gate.close() }
    guard try gate.lock() else {
      throw StoreError(.busy, "another process is creating this store", path: path)
    }
    if try fileSystem.exists(path) { return }
    if try gate.size() > 0 {
      guard options.missingStore == .begin else { throw orphanError(path) }
      // The lock of the log with this name is held until the new store exists.
      try putOrphanAside(path, options, fileSystem: fileSystem)
      return try create(path, options, fileSystem: fileSystem)
    }
    let temporary = path + "-new"
    let file = try fileSystem.open(temporary, .replace)
    // No other process opens the store before this ends: a log that it began would lose its name
    // below.
    defer { file.close() }
    do throws(StoreError) {
      guard try file.lock() else { throw StoreError(.busy, "another process is writing this file", path: temporary) }
      var superblock = firstSuperblock(options)
      for slot in 0..<2 {
        superblock.sequence = UInt64(slot + 1)
        try file.write(superblock.encoded(), at: slot * Page.size)
      }
      try file.sync()
      try fileSystem.rename(temporary, to: path)
      // If the empty log stays, the next opening removes it. The new name must become durable in
      // any case, because it is a store from now on.
      try? fileSystem.remove(logPath(path))
      try fileSystem.syncDirectory(of: path)
    } catch {
      // A name whose sync failed may never become durable, so it is removed, and the next attempt
      // makes a new one.
      try? fileSystem.remove(temporary)
      try? fileSystem.remove(path)
      throw error
    }
  }

  /// Throws for a file with two names, and for one that no longer has the path.
  static func checkNames(
    _ file: any StorageFile, _ path: String, fileSystem: any FileSystem
  ) throws(StoreError) {
    let identity = try file.identity()
    let again = try fileSystem.open(path, .read)
    defer { again.close() }
    let now = try again.identity()
    guard now.inode == identity.inode, now.device == identity.device else {
      throw StoreError(.busy, "the file was replaced while it was opened", path: path)
    }
    if identity.links > 1 {
      throw StoreError(.hardLinked, "the file has \(identity.links) names", path: path)
    }
  }

  package static func lockedError(_ path: String, _ fileSystem: any FileSystem) -> StoreError {
    let holder = holder(path, fileSystem)
    return StoreError(.locked, "the store is open in \(holder?.sentence ?? "another process")", path: path)
  }

  package static func logPath(_ path: String) -> String { path + "-log" }

  // MARK: Assembly

  static func prepare(
    _ path: String, _ options: StoreOptions, fileSystem: any FileSystem, floor: Floor,
    file: any StorageFile, pair: SuperblockPair, isPrivate: Bool = false,
    repairs: PageRepairs? = nil
  ) throws(StoreError) -> Store {
    let superblock = pair.newest
    let capacity = Store.cacheBytes(options) / Page.size
    let frames = try Frames(
      file: file, capacity: capacity, validator: floor.validate, schedule: options.schedule, repairs: repairs)
    #if DEBUG
      frames.skipsChecks = options.skipsChecks
    #endif
    if options.readOnly {
      frames.isOvertaken = { () throws(StoreError) in try newestSequence(file) != superblock.sequence }
    }
    try frames.reserve(upTo: Int(superblock.pageCount))
    var space = Space(limit: superblock.pageCount)
    space.largest = options.mostPages
    let freeMap: FreeMapDisk
    if options.readOnly {
      freeMap = FreeMapDisk()
    } else {
      freeMap = try FreeMapDisk.load(
        superblock.freeMap, from: file, into: &space, stamp: superblock.snapshot.stamp, repairs: repairs)
    }
    return Store(
      path: path, options: options, file: file, fileSystem: fileSystem, frames: frames, floor: floor, pair: pair,
      space: space, freeMap: freeMap, isPrivate: isPrivate)
  }

  /// Replays the log that the superblock names. A clean store gets an empty log file with this
  /// process's number.
  func openLog() throws(StoreError) {
    let logPath = Self.logPath(path)
    guard let start = durable.log else {
      switch try neighbour() {
      case .foreign(let id): try Self.putForeignAside(path, id, options: options, fileSystem: fileSystem)
      case .needless: if try fileSystem.exists(logPath) { try discardLog() }
      }
      log = try makeLog(position: 0)
      return
    }
    guard try fileSystem.exists(logPath) else {
      throw StoreError(.logMissing, "the store was not closed and its log is missing", path: logPath)
    }
    let logFile = try fileSystem.open(logPath, options.readOnly ? .read : .write)
    do throws(StoreError) { try recover(logFile, start) } catch {
      logFile.close()
      throw error
    }
    if options.readOnly { logFile.close() }
  }

  /// Removes a log that a clean store does not need: a crash left it, or a close that failed. Its
  /// name is removed too, because the sync of the folder may have failed.
  private func discardLog() throws(StoreError) {
    let logFile = try fileSystem.open(Self.logPath(path), .read)
    defer { logFile.close() }
    _ = try settleDoubt(logFile)
    try fileSystem.remove(Self.logPath(path))
  }

  /// Makes the log's writer with a new file.
  func makeLog(position: UInt64) throws(StoreError) -> Log {
    let logFile = try fileSystem.open(Self.logPath(path), .replace)
    let header = LogFileHeader(
      segmentBytes: options.segmentBytes, storeHigh: durable.identityHigh, storeLow: durable.identityLow,
      processID: currentProcessID)
    do throws(StoreError) { try logFile.write(header.encoded(), at: 0) } catch {
      logFile.close()
      throw error
    }
    commits.attach(logFile)
    return Log(
      file: logFile, segmentBytes: options.segmentBytes, storeHigh: durable.identityHigh,
      storeLow: durable.identityLow, position: position, makeSalt: options.random, schedule: options.schedule)
  }
}

extension StoreError {
  /// A copy of the error that says how long the opening waited.
  fileprivate func waited(_ nanoseconds: UInt64) -> StoreError {
    let milliseconds = nanoseconds / 1_000_000
    let text = milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    return StoreError(
      code, "\(detail), also after \(text)", path: path, page: page, offset: offset, errorNumber: errorNumber)
  }
}

extension StorageFile {
  func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
    var failure: StoreError?
    bytes.withUnsafeBytes { buffer in
      do throws(StoreError) { try write(buffer, at: UInt64(offset)) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
