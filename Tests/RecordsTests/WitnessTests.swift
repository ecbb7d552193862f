import Foundation
import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Reading a store of rows while another process writes it.
@Suite struct WitnessTests {
  static let path = "/a.roost"
  private static let count = 60

  /// An owner that leaves all rows with the same number after every commit.
  private final class Owner {
    let store: RecordStore
    var round: Int64 = 0
    var faults: [any Error] = []

    init(_ fileSystem: SimulatedFileSystem, segment: Int = 1 << 13) throws {
      var options = StoreOptions()
      options.checkpointing = .manual
      options.segmentBytes = segment
      options.fanoutLimit = 8
      store = try RecordStore(WitnessTests.path, options: options, fileSystem: fileSystem)
      try store.write { writer in
        try writer.change { catalog in
          try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
            try entity.add("number", .int64)
            try entity.add("round", .int64)
            try entity.add("text", .string)
          }
          try catalog.add(index: "number", of: "Item", on: ["number"], isUnique: true)
          try catalog.add(index: "round", of: "Item", on: ["round"])
        }
        for number in 0..<WitnessTests.count {
          try writer.table("Item").insert([
            "number": .int(Int64(number)), "round": .int(0), "text": .string(String(repeating: "x", count: 100)),
          ])
        }
      }
    }

    func commit(checkpoint: Bool) {
      round += 1
      do {
        try store.write { writer in
          let table = try writer.table("Item")
          for row in 1...WitnessTests.count { try table.update(RowID(UInt64(row)), ["round": .int(round)]) }
        }
        if checkpoint { try store.store.checkpoint() }
      } catch { faults.append(error) }
    }
  }

  /// The numbers in all rows: one number, or several if states were mixed.
  private static func rounds(_ reader: RecordReader) throws -> Set<Int64> {
    let table = try reader.table("Item")
    var found = Set<Int64>()
    var cursor = try table.cursor()
    var seen = 0
    while try cursor.next() {
      let row = try cursor.row()
      if case .int(let round) = try table.value(table.access("round"), row) { found.insert(round) }
      seen += 1
    }
    #expect(seen == count)
    var index = try #require(table.index("round")).cursor()
    var entries = 0
    while try index.next() { entries += 1 }
    #expect(entries == count)
    return found
  }

  /// Before the fix, an owner that committed at each read made the log seem damaged ten times, and
  /// then the store busy.
  @Test(arguments: [1, 3, 7]) func `an owner that commits at every read of the log does not prevent reading`(
    every: Int
  ) throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem)
    let meddling = MeddlingFileSystem(fileSystem)
    meddling.meddle = { [unowned meddling] path in
      if path.hasSuffix("-log"), meddling.reads % every == 0 { owner.commit(checkpoint: false) }
    }
    for _ in 0..<5 {
      let before = owner.round
      let witness = try RecordWitness(Self.path, fileSystem: meddling)
      let found = try witness.read(Self.rounds)
      #expect(found.count == 1)
      #expect(found.allSatisfy { (before...owner.round).contains($0) })
    }
    #expect(owner.round > 5)
    #expect(owner.faults.isEmpty)
  }

  /// Commits and checkpoints happen at random moments, and each answer is a committed state.
  @Test(arguments: 1...20) func `whatever the owner does, a read returns one committed state, or the error busy`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem, segment: [4096, 1 << 13, 1 << 15].randomElement(using: &random)!)
    let meddling = MeddlingFileSystem(fileSystem)
    let commits = Int.random(in: 1...40, using: &random)
    let checkpoints = Int.random(in: 1...6, using: &random)
    meddling.meddle = { _ in
      if Int.random(in: 0..<commits, using: &random) == 0 {
        owner.commit(checkpoint: Int.random(in: 0..<checkpoints, using: &random) == 0)
      }
    }
    var last: Int64 = 0
    var read = 0
    for _ in 0..<12 {
      let before = owner.round
      do {
        let witness = try RecordWitness(Self.path, cacheBytes: 64 * Page.size, fileSystem: meddling)
        let found = try witness.read(Self.rounds)
        #expect(found.count == 1)
        let round = found.first ?? -1
        #expect((max(last, before)...owner.round).contains(round), "\(round) of \(before) to \(owner.round)")
        last = round
        read += 1
      } catch let error as StoreError { #expect(error.code == .busy, "\(error)") }
    }
    #expect(owner.faults.isEmpty, "\(owner.faults)")
    let calm = try RecordWitness(Self.path, fileSystem: fileSystem)
    #expect(try calm.read(Self.rounds) == [owner.round])
    #expect(try StoreContent.of(Self.path, fileSystem: fileSystem) == .rows)
    if commits > 10 { #expect(read > 0) }
  }

  @Test func `a state that is overtaken in the middle is read again, unless it is too late`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem)
    for _ in 0..<4 { owner.commit(checkpoint: true) }
    func overtake() { for _ in 0..<4 { owner.commit(checkpoint: true) } }
    let witness = try RecordWitness(Self.path, fileSystem: fileSystem)
    var runs = 0
    let found = try witness.read { reader in
      runs += 1
      _ = try reader.table("Item")
      if runs == 1 { overtake() }
      return try Self.rounds(reader)
    }
    #expect(runs == 2 && witness.restarts == 1)
    #expect(found == [owner.round])
    #expect(try !witness.refresh())
    owner.commit(checkpoint: false)
    #expect(try witness.refresh())

    // The commits in the log are replayed into memory, and would not be read again.
    owner.commit(checkpoint: true)
    let late = try RecordWitness(Self.path, fileSystem: fileSystem)
    let error = #expect(throws: StoreError.self) {
      try late.read(mayRestart: { false }) { reader in
        overtake()
        _ = try Self.rounds(reader)
      }
    }
    #expect(error?.code == .busy)

    runs = 0
    owner.commit(checkpoint: true)
    let tired = try RecordWitness(Self.path, fileSystem: fileSystem)
    let busy = #expect(throws: StoreError.self) {
      try tired.read { reader in
        runs += 1
        overtake()
        _ = try Self.rounds(reader)
      }
    }
    #expect(busy?.code == .busy && runs == 10)
  }

  @Test func `a reader writes nothing and locks nothing`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem)
    owner.commit(checkpoint: false)
    let step = fileSystem.step
    let witness = try RecordWitness(Self.path, fileSystem: fileSystem)
    #expect(try witness.read(Self.rounds) == [1])
    #expect(fileSystem.step == step)
    // The owner continues as if no process had read.
    owner.commit(checkpoint: true)
    #expect(owner.faults.isEmpty)
    try owner.store.close()
    #expect(try witness.read(Self.rounds) == [1])
    #expect(try witness.refresh())
    #expect(try witness.read(Self.rounds) == [2])
  }

  @Test func `a crashed owner's store is read in the state that recovery would find`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem)
    for round in 0..<5 { owner.commit(checkpoint: round == 2) }
    for choice in [CrashChoice.none, .all] {
      let image = fileSystem.crashImage(choice)
      let witness = try RecordWitness(Self.path, fileSystem: image)
      #expect(try witness.read(Self.rounds) == [5])
      #expect(try RecordStore(Self.path, fileSystem: image).read(Self.rounds) == [5])
    }
  }

  @Test func `a damaged log is an error, for every reader`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem)
    for _ in 0..<5 { owner.commit(checkpoint: false) }
    let image = fileSystem.crashImage(.all)
    var bytes = try #require(image.contents(of: Self.path + "-log"))
    bytes[4096 + 96 + 3000] ^= 1
    #expect(image.overwrite(Self.path + "-log", with: bytes))
    let error = #expect(throws: StoreError.self) { try RecordWitness(Self.path, fileSystem: image) }
    #expect(error?.code == .logDamaged)
  }

  @Test func `the content of a file is known without opening it, even if all of it is in the log`() throws {
    let fileSystem = SimulatedFileSystem()
    let owner = try Owner(fileSystem)
    #expect(try StoreContent.of(Self.path, fileSystem: fileSystem) == .rows)
    try owner.store.store.checkpoint()
    #expect(try StoreContent.of(Self.path, fileSystem: fileSystem) == .rows)
    let empty = try RecordStore("/b.roost", fileSystem: fileSystem)
    #expect(try StoreContent.of("/b.roost", fileSystem: fileSystem) == .nothing)
    try empty.close()
    #expect(try StoreContent.of("/b.roost", fileSystem: fileSystem) == .nothing)
    #expect(throws: StoreError.self) { try StoreContent.of("/c.roost", fileSystem: fileSystem) }
  }

  @Test func `a file that is not a store is refused at once`() throws {
    let folder = try ScratchFolder()
    func code(_ path: String) -> StoreError.Code? {
      do {
        _ = try RecordWitness(path)
        return nil
      } catch { return error.code }
    }
    #expect(code(folder.file("absent")) == .notFound)
    #expect(code(folder.path) == .notAStore)
    #expect(code("/dev/null") == .notAStore)
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(code(folder.file("pipe")) == .notAStore)
    try Data("a text".utf8).write(to: URL(fileURLWithPath: folder.file("text")))
    #expect(code(folder.file("text")) == .notAStore)
    try Data().write(to: URL(fileURLWithPath: folder.file("empty")))
    #expect(code(folder.file("empty")) == .truncated)
    let store = try RecordStore(folder.file("a.roost"))
    try store.write { writer in try writer.change { _ = try $0.add(entity: "A") { (_) throws(RecordFault) in } } }
    try store.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.roost")))
    for size in [100, 4096, 8192, whole.count - 1] {
      try whole.prefix(size).write(to: URL(fileURLWithPath: folder.file("cut")))
      #expect(code(folder.file("cut")) == .truncated, "\(size)")
    }
    #expect(code(folder.file("a.roost")) == nil)
  }
}
