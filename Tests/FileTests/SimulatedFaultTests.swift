import RoostFile
import RoostTestSupport
import Testing

/// Faults, bounds, locks and the order of steps of the simulation.
@Suite struct SimulatedFaultTests {
  private let fileSystem = SimulatedFileSystem()
  private let file: any StorageFile

  init() throws {
    file = try fileSystem.open("/store-log", .writeOrCreate)
    try fileSystem.syncDirectory(of: "/store-log")
    try file.write([1, 1, 1, 1], at: 0)
    try file.sync()
  }

  private var afterCrash: [UInt8]? { fileSystem.crashImage(.all).contents(of: "/store-log") }

  private func syncFails() -> Bool { failure { () throws(StoreError) in try file.sync() } == .ioError }

  /// Before the fix, the opened file was released under the file system's lock. Closing it takes
  /// that lock, so the caller waited for itself.
  @Test(arguments: [false, true]) func `an open that fails after its work ends, and leaves a file and no lock`(
    isNew: Bool
  ) throws {
    let path = isNew ? "/new" : "/store-log"
    fileSystem.inject(FaultRule([.open, .create], .errorAfterEffect(ErrorNumber.io)))
    #expect(failure { () throws(StoreError) in _ = try fileSystem.open(path, .writeOrCreate) } == .ioError)
    #expect(fileSystem.paths.contains(path))
    let again = try fileSystem.open(path, .write)
    #expect(try again.lock())
    again.close()
  }

  @Test func `a failed sync that marks pages clean loses them only in a crash`() throws {
    try file.write([2, 2], at: 0)
    fileSystem.inject(FaultRule(.sync, .sync(.keptAndMarkedClean)))
    #expect(syncFails())
    #expect(try file.bytes(9) == [2, 2, 1, 1])
    #expect(!syncFails())
    #expect(afterCrash == [1, 1, 1, 1])
    try file.write([3], at: 3)
    try file.sync()
    #expect(try file.bytes(9) == [2, 2, 1, 3])
    #expect(afterCrash == [1, 1, 1, 3])
  }

  @Test func `a failed sync that reverts pages loses them at once`() throws {
    try file.write([2, 2], at: 3)
    fileSystem.inject(FaultRule(.sync, .sync(.reverted)))
    #expect(syncFails())
    #expect(try file.bytes(9) == [1, 1, 1, 1])
    #expect(!syncFails())
    #expect(afterCrash == [1, 1, 1, 1])
  }

  @Test func `a failed sync that is reported late succeeds, saves nothing, and fails the next time`() throws {
    try file.write([2, 2], at: 0)
    fileSystem.inject(FaultRule(.sync, .sync(.reportedLate)))
    #expect(!syncFails())
    #expect(afterCrash == [1, 1, 1, 1])
    try file.write([3], at: 3)
    #expect(syncFails())
    #expect(afterCrash == [1, 1, 1, 1])
    #expect(!syncFails())
    #expect(try file.bytes(9) == [2, 2, 1, 3])
  }

  @Test func `a failed sync of a folder loses the name at the crash`() throws {
    fileSystem.inject(FaultRule(.syncDirectory, .sync(.keptAndMarkedClean)))
    _ = try fileSystem.open("/b", .writeOrCreate)
    #expect(failure { () throws(StoreError) in try fileSystem.syncDirectory(of: "/b") } == .ioError)
    try fileSystem.syncDirectory(of: "/b")
    #expect(fileSystem.paths == ["/b", "/store-log"])
    #expect(fileSystem.crashImage(.all).paths == ["/store-log"])
  }

  @Test func `a failed sync of a folder that is reported late succeeds and fails the next time`() throws {
    fileSystem.inject(FaultRule(.syncDirectory, .sync(.reportedLate)))
    _ = try fileSystem.open("/b", .writeOrCreate)
    try fileSystem.syncDirectory(of: "/b")
    #expect(fileSystem.crashImage(.all).paths == ["/store-log"])
    #expect(failure { () throws(StoreError) in try fileSystem.syncDirectory(of: "/b") } == .ioError)
    try fileSystem.syncDirectory(of: "/b")
    #expect(fileSystem.crashImage(.all).paths == ["/store-log"])
  }

  @Test func `an error changes nothing, and an error afterwards changes everything`() throws {
    fileSystem.inject(FaultRule(.write, nth: 1, .error(ErrorNumber.io)))
    fileSystem.inject(FaultRule(.write, nth: 2, .errorAfterEffect(ErrorNumber.io)))
    #expect(failure { () throws(StoreError) in try file.write([2], at: 0) } == .ioError)
    #expect(try file.bytes(1) == [1])
    #expect(failure { () throws(StoreError) in try file.write([2], at: 0) } == .ioError)
    #expect(try file.bytes(1) == [2])
    fileSystem.inject(FaultRule(.sync, .errorAfterEffect(ErrorNumber.io)))
    #expect(syncFails())
    #expect(fileSystem.crashImage(.none).contents(of: "/store-log") == [2, 1, 1, 1])
  }

  @Test func `a rule counts only the calls it names`() throws {
    let other = try fileSystem.open("/store", .writeOrCreate)
    fileSystem.inject(FaultRule(.write, path: "-log", nth: 2, .error(ErrorNumber.noSpace)))
    for _ in 0..<3 { try other.write([9], at: 0) }
    try file.write([2], at: 0)
    #expect(failure { () throws(StoreError) in try file.write([3], at: 0) } == .diskFull)
    try file.write([4], at: 0)
    #expect(try file.bytes(1) == [4])
  }

  @Test func `a permanent rule fails all calls from its call on until it is cleared`() throws {
    fileSystem.inject(FaultRule(.write, nth: 2, .error(ErrorNumber.quota), forever: true))
    try file.write([2], at: 0)
    for _ in 0..<3 { #expect(failure { () throws(StoreError) in try file.write([3], at: 0) } == .diskFull) }
    fileSystem.clearFaults()
    try file.write([4], at: 0)
  }

  @Test(arguments: [
    CallKind.open, .create, .rename, .link, .remove, .lookUp, .syncDirectory, .read, .write, .truncate, .allocate,
    .sync, .size, .identity, .lock,
  ])
  func `every kind of call can fail`(kind: CallKind) throws {
    fileSystem.inject(FaultRule(kind, .error(ErrorNumber.io)))
    let calls: [CallKind: () throws(StoreError) -> Void] = [
      .open: { () throws(StoreError) in _ = try fileSystem.open("/store-log", .write) },
      .create: { () throws(StoreError) in _ = try fileSystem.open("/new", .replace) },
      .rename: { () throws(StoreError) in try fileSystem.rename("/store-log", to: "/new") },
      .link: { () throws(StoreError) in try fileSystem.link("/store-log", to: "/new") },
      .remove: { () throws(StoreError) in try fileSystem.remove("/store-log") },
      .lookUp: { () throws(StoreError) in _ = try fileSystem.exists("/store-log") },
      .syncDirectory: { () throws(StoreError) in try fileSystem.syncDirectory(of: "/store-log") },
      .read: { () throws(StoreError) in _ = try file.bytes(1) },
      .write: { () throws(StoreError) in try file.write([2], at: 0) },
      .truncate: { () throws(StoreError) in try file.truncate(to: 0) },
      .allocate: { () throws(StoreError) in try file.allocate(offset: 0, length: 9) },
      .sync: { () throws(StoreError) in try file.sync() },
      .size: { () throws(StoreError) in _ = try file.size() },
      .identity: { () throws(StoreError) in _ = try file.identity() },
      .lock: { () throws(StoreError) in _ = try file.lock() },
    ]
    let call = try #require(calls[kind])
    #expect(failure(call) == .ioError)
    #expect(fileSystem.paths == ["/store-log"])
    #expect(fileSystem.contents(of: "/store-log") == [1, 1, 1, 1])
    #expect(fileSystem.crashPoint().units.isEmpty)
    #expect(failure(call) == nil)
  }

  @Test func `a full disk writes the bytes that fit, refuses the rest, and continues when there is room`() throws {
    fileSystem.capacity = 1000
    let other = try fileSystem.open("/b", .writeOrCreate)
    #expect(failure { () throws(StoreError) in try other.write([UInt8](repeating: 2, count: 997), at: 0) } == .diskFull)
    #expect(try other.size() == 996)
    #expect(failure { () throws(StoreError) in try file.truncate(to: 5) } == .diskFull)
    #expect(failure { () throws(StoreError) in try file.allocate(offset: 4, length: 1) } == .diskFull)
    try file.write([3, 3, 3, 3], at: 0)
    try other.truncate(to: 995)
    try file.truncate(to: 5)
    fileSystem.capacity = 2000
    try other.write([UInt8](repeating: 2, count: 997), at: 0)
    #expect(try other.size() == 997)
  }

  @Test func `an absurd size is refused without taking memory`() throws {
    for size: UInt64 in [1 << 37, 1 << 63 - 1, 1 << 63, .max] {
      #expect(failure { () throws(StoreError) in try file.truncate(to: size) } != nil)
      #expect(failure { () throws(StoreError) in try file.write([1], at: size) } != nil)
      #expect(failure { () throws(StoreError) in try file.allocate(offset: size, length: size) } != nil)
    }
    #expect(try file.bytes(4, at: 1 << 62).isEmpty)
    #expect(failure { () throws(StoreError) in _ = try file.bytes(4, at: .max) } == .ioError)
    try file.truncate(to: 1 << 36)
    #expect(try file.bytes(4, at: 1 << 35) == [0, 0, 0, 0])
  }

  @Test func `the lock is held until its file is closed or released`() throws {
    let second = try fileSystem.open("/store-log", .write)
    #expect(try file.lock() && file.lock())
    #expect(try !second.lock())
    file.close()
    #expect(try second.lock())
    var third: (any StorageFile)? = try fileSystem.open("/store-log", .write)
    #expect(try !third!.lock())
    second.close()
    #expect(try third!.lock())
    third = nil
    #expect(try fileSystem.open("/store-log", .write).lock())
    #expect(failure { () throws(StoreError) in _ = try file.bytes(1) } == .closed)
    let reader = try fileSystem.open("/store-log", .read)
    #expect(failure { () throws(StoreError) in _ = try reader.lock() } == .closed)
    #expect(failure { () throws(StoreError) in try reader.write([1], at: 0) } == .closed)
  }
}
