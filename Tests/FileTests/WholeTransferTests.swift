import RoostFile
import RoostTestSupport
import Testing

/// The loops of `StorageFile+Whole`, over a simulated file that interrupts, shortens and refuses.
@Suite struct WholeTransferTests {
  private static let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 13) }
  private let fileSystem = SimulatedFileSystem()
  private let file: any StorageFile

  init() throws { file = try fileSystem.open("/a", .writeOrCreate) }

  @Test(arguments: [true, false])
  func `short transfers are continued`(forever: Bool) throws {
    fileSystem.inject(FaultRule([.read, .write], .shortTransfer, forever: forever))
    try file.write(Self.content, at: 300)
    #expect(try file.size() == 10_300)
    #expect(try file.bytes(10_000, at: 300) == Self.content)
    let writes = fileSystem.steps.filter { $0.kind == .write }
    #expect(writes.count == (forever ? 15 : 2))
  }

  @Test(arguments: [1, 2, 100])
  func `transfers continue after a limited number of interruptions`(count: Int) throws {
    for nth in 1...count { fileSystem.inject(FaultRule(.write, nth: nth, .error(ErrorNumber.interrupted))) }
    for nth in 1...count { fileSystem.inject(FaultRule(.read, nth: nth, .error(ErrorNumber.interrupted))) }
    try file.write(Self.content, at: 0)
    #expect(try file.bytes(10_000) == Self.content)
  }

  @Test func `endless interruptions end in an error`() throws {
    let kinds: Set<CallKind> = [.read, .write, .truncate, .allocate, .size, .identity, .lock]
    fileSystem.inject(FaultRule(kinds, .error(ErrorNumber.interrupted), forever: true))
    fileSystem.recordsReads = true
    #expect(failure { () throws(StoreError) in try file.write([1], at: 0) } == .ioError)
    #expect(failure { () throws(StoreError) in _ = try file.bytes(1) } == .ioError)
    #expect(failure { () throws(StoreError) in try file.truncate(to: 1) } == .ioError)
    #expect(failure { () throws(StoreError) in try file.allocate(offset: 0, length: 1) } == .ioError)
    #expect(failure { () throws(StoreError) in _ = try file.size() } == .ioError)
    #expect(failure { () throws(StoreError) in _ = try file.identity() } == .ioError)
    #expect(failure { () throws(StoreError) in _ = try file.lock() } == .ioError)
    for kind in kinds { #expect(fileSystem.steps.count { $0.kind == kind } == 101, "\(kind)") }
  }

  @Test func `interruptions between short transfers do not repeat or skip a byte`() throws {
    fileSystem.inject(FaultRule(.write, nth: 1, .shortTransfer))
    fileSystem.inject(FaultRule(.write, nth: 2, .error(ErrorNumber.interrupted)))
    fileSystem.inject(FaultRule(.write, nth: 3, .shortTransfer))
    fileSystem.inject(FaultRule(.write, nth: 4, .zeroTransfer))
    try file.write(Self.content, at: 7)
    #expect(fileSystem.contents(of: "/a") == [UInt8](repeating: 0, count: 7) + Self.content)
  }

  @Test func `writes that move nothing end in an error`() throws {
    fileSystem.inject(FaultRule(.write, .zeroTransfer, forever: true))
    #expect(failure { () throws(StoreError) in try file.write([1], at: 0) } == .ioError)
    #expect(fileSystem.steps.count { $0.kind == .write } == 101)
  }

  /// Before the fix, a read that returned nothing was taken for the file's end, whatever its size
  /// was. A store that was opened for reading then took it for the end of the log, and showed an
  /// older commit.
  @Test func `a read that moves nothing before the end of the file is repeated`() throws {
    try file.write(Self.content, at: 0)
    fileSystem.inject(FaultRule(.read, nth: 2, .zeroTransfer))
    fileSystem.inject(FaultRule(.read, nth: 1, .shortTransfer))
    #expect(try file.bytes(10_000) == Self.content)
    #expect(try file.bytes(10_000, at: 9_000).count == 1_000)
    #expect(try file.bytes(1, at: 10_000).isEmpty)
    fileSystem.inject(FaultRule(.read, .zeroTransfer, forever: true))
    #expect(failure { () throws(StoreError) in _ = try file.bytes(10_000) } == .ioError)
    #expect(try file.bytes(1, at: 10_000).isEmpty)
  }

  @Test func `a failed sync is not repeated`() throws {
    for number in [ErrorNumber.io, ErrorNumber.interrupted, ErrorNumber.noSpace] {
      fileSystem.clearFaults()
      fileSystem.forgetSteps()
      fileSystem.inject(FaultRule(.sync, .error(number)))
      #expect(failure { () throws(StoreError) in try file.sync() } != nil)
      #expect(fileSystem.steps.count { $0.kind == .sync } == 1)
    }
  }

  @Test func `error numbers become codes`() throws {
    let expected: [(Int32, StoreError.Code)] = [
      (ErrorNumber.noSpace, .diskFull), (ErrorNumber.quota, .diskFull), (ErrorNumber.tooBig, .diskFull),
      (ErrorNumber.io, .ioError), (ErrorNumber.badHandle, .closed), (ErrorNumber.notFound, .notFound),
      (ErrorNumber.exists, .alreadyExists),
    ]
    for (number, code) in expected {
      fileSystem.clearFaults()
      fileSystem.inject(FaultRule(.write, .error(number)))
      #expect(failure { () throws(StoreError) in try file.write([1], at: 0) } == code)
    }
  }

  @Test func `an error names the file and the place where the transfer stopped`() throws {
    fileSystem.inject(FaultRule(.write, nth: 1, .shortTransfer))
    fileSystem.inject(FaultRule(.write, nth: 2, .error(ErrorNumber.io)))
    let error = #expect(throws: StoreError.self) { try file.write(Self.content, at: 300) }
    #expect(error?.path == "/a")
    #expect(error?.offset == 5300)
    #expect(error?.errorNumber == ErrorNumber.io)
  }
}
