#if DEBUG
  package import RoostFile
  internal import RoostPages

  /// A file system that breaks the store's promises on purpose, so that tests can be tested.
  ///
  /// It is between a store and a simulation, and spoils the store's calls.
  package enum Sabotage: String, CaseIterable, Sendable {
    /// Syncs of the log are reported but not made.
    case logSyncDropped
    /// Syncs of the data file are reported but not made, except those right after a superblock.
    case dataSyncDropped
    /// Pages reach the file only after the superblock that names them.
    case superblockFirst
    /// A failed sync is tried again, and its success is trusted.
    case syncRetried
    /// Pages are not compared with the checksums in their parents. The store itself implements this
    /// one.
    case checksSkipped
  }

  package final class SabotagedFileSystem: FileSystem {
    private let inner: SimulatedFileSystem
    private let sabotage: Sabotage

    package init(_ inner: SimulatedFileSystem, _ sabotage: Sabotage) {
      self.inner = inner
      self.sabotage = sabotage
    }

    package func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile {
      SabotagedFile(try inner.open(path, mode), sabotage)
    }
    package func rename(_ from: String, to: String) throws(StoreError) { try inner.rename(from, to: to) }
    package func link(_ from: String, to: String) throws(StoreError) { try inner.link(from, to: to) }
    package func remove(_ path: String) throws(StoreError) { try inner.remove(path) }
    package func exists(_ path: String) throws(StoreError) -> Bool { try inner.exists(path) }
    package func syncDirectory(of path: String) throws(StoreError) { try inner.syncDirectory(of: path) }
    package func canonicalPath(_ path: String) throws(StoreError) -> String { try inner.canonicalPath(path) }
    package func identity(of path: String) -> FileIdentity? { inner.identity(of: path) }
  }

  private final class SabotagedFile: StorageFile, @unchecked Sendable {
    // Unchecked because the tests that use it have one thread.
    private let inner: any StorageFile
    private let sabotage: Sabotage
    private var held: [(offset: UInt64, bytes: [UInt8])] = []
    private var hasSuperblock = false

    init(_ inner: any StorageFile, _ sabotage: Sabotage) {
      self.inner = inner
      self.sabotage = sabotage
    }

    var path: String { inner.path }
    private var isLog: Bool { path.hasSuffix("-log") }
    private var isData: Bool { path.hasSuffix(".roost") }

    func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
      try letGo()
      return try inner.readOnce(into: buffer, at: offset)
    }

    func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
      if isData && offset < 8192 { hasSuperblock = true }
      if sabotage == .superblockFirst && isData && offset >= 8192 {
        held.append((offset, [UInt8](bytes)))
        return bytes.count
      }
      return try inner.writeOnce(bytes, at: offset)
    }

    func syncOnce() throws(Fault) {
      let isSuperblock = hasSuperblock
      hasSuperblock = false
      switch sabotage {
      case .logSyncDropped where isLog: return
      case .dataSyncDropped where isData && !isSuperblock: return
      case .syncRetried:
        do throws(Fault) { try inner.syncOnce() } catch { try inner.syncOnce() }
      default:
        try inner.syncOnce()
        if isSuperblock && !held.isEmpty {
          try letGo()
          try inner.syncOnce()
        }
      }
    }

    private func letGo() throws(Fault) {
      let all = held
      held = []
      for one in all {
        var done = 0
        while done < one.bytes.count {
          var failure: Fault?
          one.bytes[done...].withUnsafeBytes { rest in
            do throws(Fault) {
              done += try inner.writeOnce(rest, at: one.offset + UInt64(done))
            } catch { failure = error }
          }
          if let failure { throw failure }
        }
      }
    }

    func truncateOnce(to size: UInt64) throws(Fault) { try inner.truncateOnce(to: size) }
    func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
      try inner.allocateOnce(offset: offset, length: length)
    }
    func sizeOnce() throws(Fault) -> UInt64 {
      try letGo()
      return try inner.sizeOnce()
    }
    func identityOnce() throws(Fault) -> FileIdentity { try inner.identityOnce() }
    func lockOnce() throws(Fault) -> Bool { try inner.lockOnce() }
    func isHeldOnce() throws(Fault) -> Bool { try inner.isHeldOnce() }
    func close() { inner.close() }
  }

  extension Trial {
    /// The ways to break the store, and the trial that must notice each alone.
    private static let engines: [(Sabotage, Int)] = [
      (.logSyncDropped, 1), (.dataSyncDropped, 1), (.superblockFirst, 1), (.superblockFirst, 5),
      (.dataSyncDropped, 5), (.syncRetried, 4), (.checksSkipped, 9),
    ]

    /// Trial 17: breaks the store in several ways. Each trial of `engines` must notice its
    /// break alone.
    package static let sabotage = Trial(
      17, "the tests themselves", unit: "broken engines",
      cases: engines.count + Misreading.allCases.count + RowTrials.omissions.count, workers: 1
    ) { index, seed, record in
      guard index < engines.count else {
        let number = index - engines.count
        if number < Misreading.allCases.count { return misread(number, seed, record: record) }
        return RowTrials.omit(number - Misreading.allCases.count, seed, record: record)
      }
      let (sabotage, number) = engines[index]
      let inner = TortureRecord(test: number)
      inner.onPlace = record.onPlace
      inner.mostFailures = 1
      var trials: UInt64 = 0
      while inner.failures.isEmpty && trials < 40 {
        trials += 1
        attempt(sabotage, number, seed: trials, record: inner)
      }
      record.count += 1
      record.note("\(sabotage.rawValue) seen by \(number) at seed", Int(trials))
      if inner.failures.isEmpty {
        record.fail(seed: seed, image: sabotage.rawValue, "trial \(number) does not notice that \(sabotage.rawValue)")
      }
    }

    /// Plans that misread conditions, for trial 15.
    private static func misread(_ number: Int, _ seed: UInt64, record: TortureRecord) {
      record.count += 1
      let misreading = Misreading.allCases[number]
      let inner = TortureRecord(test: 15)
      inner.mostFailures = 1
      var trials: UInt64 = 0
      while inner.failures.isEmpty && trials < 400 {
        trials += 1
        record.place(seed, Int(trials), image: misreading.rawValue)
        ConditionTrial(seed: trials, misreading: misreading).run(inner)
      }
      record.note("\(misreading.rawValue) seen by 15 at seed", Int(trials))
      if inner.failures.isEmpty {
        record.fail(seed: seed, image: misreading.rawValue, "trial 15 does not notice that \(misreading.rawValue)")
      }
    }

    private static func attempt(_ sabotage: Sabotage, _ number: Int, seed: UInt64, record: TortureRecord) {
      let wrap: (SimulatedFileSystem) -> any FileSystem = { SabotagedFileSystem($0, sabotage) }
      switch number {
      case 1:
        let scenario = Scenario.short(seed, actions: 12)
        let sweep = CrashSweep(scenario.options, seed: seed, record)
        sweep.wrap = wrap
        sweep.checksOrder = false
        sweep.run(scenario)
      case 4:
        let sweep = FaultSweep(.short(seed), seed: seed, record)
        sweep.wrap = wrap
        sweep.checksOrder = false
        sweep.run()
      case 5:
        let scenario = Scenario.random(seed)
        let play = Play(scenario.options, wrap: wrap)
        let order = OrderChecker(play.fileSystem, path: Play.path, segmentBytes: scenario.options.segmentBytes)
        play.order = order
        play.run(scenario)
        for complaint in order.takeComplaints() { record.fail(seed: seed, complaint) }
        play.abandon()
      default:
        Trial.strikes(seed, record, rounds: 240) { $0.skipsChecks = true }
      }
    }
  }
#else
  extension Trial {
    /// Trial 17 breaks the engine with options that only a debug build has.
    package static let sabotage = Trial(17, "the tests themselves", absence: .releaseBuild)
  }
#endif
