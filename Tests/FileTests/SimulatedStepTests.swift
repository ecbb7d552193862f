import RoostFile
import RoostTestSupport
import Testing

/// The numbered calls, the hook, the observer, and the choices that repeat an image.
@Suite struct SimulatedStepTests {
  private let fileSystem = SimulatedFileSystem()

  /// Two files, with a rename and a cut: some of every kind of change, and enough unsynced changes
  /// for every policy.
  private func work() throws {
    let file = try fileSystem.open("/a", .writeOrCreate)
    try fileSystem.syncDirectory(of: "/a")
    var generator = SplitMix64(seed: 9)
    for index in 0..<6 {
      try file.write(generator.bytes(2000), at: UInt64(index * 1700))
      if index == 2 { try file.sync() }
    }
    let other = try fileSystem.open("/b.new", .replace)
    try other.write(generator.bytes(600), at: 0)
    try fileSystem.rename("/b.new", to: "/b")
    try file.truncate(to: 9000)
  }

  private func picture(_ image: SimulatedFileSystem) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: image.paths.map { ($0, image.contents(of: $0)!) })
  }

  @Test func `mutating calls are numbered and recorded, reading calls on demand`() throws {
    try work()
    let kinds = fileSystem.steps.map(\.kind)
    let writes = [CallKind](repeating: .write, count: 3)
    #expect(kinds == [.create, .syncDirectory] + writes + [.sync] + writes + [.create, .write, .rename, .truncate])
    #expect(fileSystem.steps.map(\.number) == Array(1...13))
    #expect(fileSystem.steps[3].description == "4 write /a 1700+2000")
    fileSystem.forgetSteps()
    fileSystem.recordsReads = true
    _ = try fileSystem.open("/a", .read).bytes(5)
    #expect(fileSystem.steps.map(\.kind) == [.open, .read])
    #expect(fileSystem.steps.allSatisfy { $0.number == 13 })
    fileSystem.recordsSteps = false
    try fileSystem.remove("/a")
    #expect(fileSystem.steps.count == 2)
    #expect(fileSystem.step == 14)
  }

  @Test func `the hook runs after every mutating call and can take images`() throws {
    var seen: [String] = []
    fileSystem.onStep = { step in
      let count = fileSystem.crashImages(.brief).reduce(0) { total, image in total + image.paths.count }
      seen.append("\(step.number) \(step.kind.rawValue) \(count)")
    }
    let file = try fileSystem.open("/a", .writeOrCreate)
    try file.write([1], at: 0)
    _ = try file.bytes(1)
    try fileSystem.syncDirectory(of: "/a")
    fileSystem.onStep = nil
    try file.sync()
    // Eight subsets and one with garbage. The name is in half of the first ones; in the last one,
    // its seed decides.
    #expect(seen.count == 3)
    #expect(seen[0] == "1 create 1")
    #expect(seen[1] == "2 write 4" || seen[1] == "2 write 5")
    #expect(seen[2] == "3 syncDirectory 5")
  }

  @Test(arguments: 0...13)
  func `after the last step every call fails and changes nothing`(last: Int) throws {
    fileSystem.stopAfter(step: last)
    if last < 13 { #expect(throws: StoreError.self) { try work() } } else { try work() }
    #expect(fileSystem.step == last)
    let before = picture(fileSystem)
    let units = fileSystem.crashPoint().units.count
    #expect(failure { () throws(StoreError) in _ = try fileSystem.open("/a", .read) } == .ioError)
    #expect(failure { () throws(StoreError) in _ = try fileSystem.exists("/a") } == .ioError)
    #expect(failure { () throws(StoreError) in try fileSystem.remove("/a") } == .ioError)
    #expect(failure { () throws(StoreError) in try fileSystem.syncDirectory(of: "/a") } == .ioError)
    #expect(picture(fileSystem) == before)
    #expect(fileSystem.crashPoint().units.count == units)
  }

  @Test func `an image can be made again from its step and its printed choice`() throws {
    var images: [(step: Int, choice: String, picture: [String: [UInt8]])] = []
    fileSystem.onStep = { step in
      for image in fileSystem.crashImages(CrashPolicy(seed: UInt64(step.number))) {
        images.append((step.number, image.choice!.description, picture(image)))
      }
    }
    try work()
    // The closure retains the file system that retains it.
    fileSystem.onStep = nil
    #expect(images.count > 500)
    for (step, text, expected) in images.enumerated().filter({ $0.offset % 7 == 0 }).map(\.element) {
      let again = SimulatedStepTests()
      again.fileSystem.stopAfter(step: step)
      try? again.work()
      let choice = try #require(CrashChoice(text))
      #expect(picture(again.fileSystem.crashImage(choice)) == expected, "step \(step), \(text)")
    }
  }

  @Test func `a printed choice is read back, and nothing else is read`() {
    let choices: [CrashChoice] = [
      .none, .all, .prefix(3), .drop(0), .keep(12), .mask(.max), .random(77), .garbage(1 << 63),
    ]
    for choice in choices { #expect(CrashChoice(choice.description) == choice) }
    for text in ["", "some", "none:1", "prefix", "prefix:", "prefix:x", "random:-1", "keep:1:2", "mask:1 "] {
      #expect(CrashChoice(text) == nil, "\(text)")
    }
  }

  @Test func `many changes get every policy, without doubles`() throws {
    try work()
    let choices = fileSystem.crashPoint().choices(CrashPolicy(ofEach: 5, randoms: 6, garbage: 2))
    #expect(Set(choices).count == choices.count)
    #expect(choices.count == 2 + 3 * 5 + 6 + 2)
    let last = fileSystem.crashPoint().units.count - 1
    #expect(Set(choices).isSuperset(of: [.none, .all, .prefix(1), .prefix(last), .drop(0), .drop(last), .keep(last)]))
  }

  @Test func `garbage replaces only unsynced bytes`() throws {
    let file = try fileSystem.open("/a", .writeOrCreate)
    try fileSystem.syncDirectory(of: "/a")
    try file.write([UInt8](repeating: 1, count: 4096), at: 0)
    try file.sync()
    try file.write([UInt8](repeating: 2, count: 1000), at: 700)
    var spoiled = 0
    for seed in 0..<50 as Range<UInt64> {
      let bytes = try #require(fileSystem.crashImage(.garbage(seed)).contents(of: "/a"))
      #expect(bytes[..<700].allSatisfy { $0 == 1 } && bytes[1700...].allSatisfy { $0 == 1 })
      if bytes.contains(where: { $0 > 2 }) { spoiled += 1 }
    }
    #expect(spoiled == 50)
  }

  @Test func `several threads may call at the same time`() throws {
    let shared = fileSystem
    let threads = try (0..<4).map { number in
      try RoostFile.Thread {
        guard let file = try? shared.open("/\(number)", .writeOrCreate) else { return }
        for index in 0..<200 as Range<UInt64> {
          try? file.write([UInt8(number), UInt8(index)], at: index * 2)
          if index % 50 == 49 { try? file.sync() }
          if index % 100 == 99 { for image in shared.crashImages(.brief) { _ = image.paths } }
        }
      }
    }
    for thread in threads { thread.join() }
    for number in 0..<4 as Range<UInt8> {
      #expect(shared.contents(of: "/\(number)") == (0..<200).flatMap { [number, $0] })
    }
    #expect(shared.steps.map(\.number) == Array(1...820))
  }

  @Test func `the observer sees changes in their order and no failed ones`() throws {
    let observer = Notes()
    fileSystem.observer = observer
    fileSystem.inject(FaultRule(.write, nth: 2, .shortTransfer))
    fileSystem.inject(FaultRule(.write, nth: 4, .error(ErrorNumber.interrupted)))
    let file = try fileSystem.open("/a", .writeOrCreate)
    try file.write([1, 2], at: 4)
    try file.write([3, 4], at: 6)
    try file.write([5], at: 8)
    try file.truncate(to: 1)
    try file.sync()
    try fileSystem.rename("/a", to: "/b")
    try fileSystem.syncDirectory(of: "/b")
    #expect(
      observer.all == [
        "create /a -", "/a 4 [1, 2]", "/a 6 [3]", "/a 7 [4]", "/a 8 [5]", "/a size 1", "/a synced", "rename /a /b",
        "/ synced",
      ])
  }
}

private final class Notes: CallObserver, @unchecked Sendable {
  // `@unchecked Sendable`: one thread uses it.
  var all: [String] = []
  func willWrite(_ path: String, at offset: UInt64, _ bytes: UnsafeRawBufferPointer) {
    all.append("\(path) \(offset) \(Array(bytes))")
  }
  func willResize(_ path: String, to size: UInt64) { all.append("\(path) size \(size)") }
  func didSync(_ path: String) { all.append("\(path) synced") }
  func didChangeName(_ kind: CallKind, _ path: String, other: String?) {
    all.append("\(kind.rawValue) \(path) \(other ?? "-")")
  }
  func didSyncDirectory(_ folder: String) { all.append("\(folder) synced") }
}
