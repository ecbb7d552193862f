import Foundation
import RoostFile
import RoostPages
import RoostQuery
import RoostRecords

/// A quick check of the disk and of the engine, in a temporary folder.
///
/// It compares machines, and finds disks that do not do what they report. It checks every answer of
/// the engine.
struct Bench {
  struct Step: Encodable {
    var name: String
    var count: Int
    var seconds: Double
    /// The time of one operation.
    var nanosecondsEach: Double
  }

  struct Report: Encodable {
    var folder: String
    var steps: [Step]
    var remarks: [String]
  }

  private let folder: String
  private let count: Int
  private let console: Console
  private var steps: [Step] = []

  init(folder: String, count: Int, console: Console) {
    self.folder = folder
    self.count = count
    self.console = console
  }

  mutating func run() throws -> Report {
    try disk()
    try engine()
    console.passing("")
    return Report(folder: folder, steps: steps, remarks: remarks)
  }

  private mutating func measure(_ name: String, _ count: Int, body: () throws -> Void) rethrows {
    console.passing("   \(name)")
    let began = ContinuousClock.now
    try body()
    let seconds = max(ReadableNumber.seconds(ContinuousClock.now - began), 1e-9)
    steps.append(Step(name: name, count: count, seconds: seconds, nanosecondsEach: seconds * 1e9 / Double(count)))
  }

  // MARK: The disk

  private mutating func disk() throws {
    let path = folder + "/plain"
    let file = try DiskFileSystem.shared.open(path, .replace)
    defer {
      file.close()
      try? DiskFileSystem.shared.remove(path)
    }
    let piece = 1 << 20
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 4096)
    defer { buffer.deallocate() }
    for place in 0..<piece { buffer[place] = UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8) }
    let bytes = UnsafeRawBufferPointer(buffer)
    let megabytes = 64
    try measure("write and sync a file, by the MiB", megabytes) {
      for number in 0..<megabytes { try file.write(bytes, at: UInt64(number * piece)) }
      try file.sync()
    }
    let page = UnsafeRawBufferPointer(rebasing: bytes[..<Page.size])
    let syncs = 100
    try measure("sync one page of 4 KiB", syncs) {
      for number in 0..<syncs {
        try file.write(page, at: UInt64(megabytes * piece + number * Page.size))
        try file.sync()
      }
    }
    let back = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 4096)
    defer { back.deallocate() }
    var isSame = true
    try measure("read the file again, by the MiB", megabytes) {
      for number in 0..<megabytes {
        try file.readFully(into: back, at: UInt64(number * piece))
        isSame = isSame && back.elementsEqual(buffer)
      }
    }
    try check(isSame, "the disk returned other bytes than were written, in \(path)")
  }

  // MARK: The engine

  private mutating func engine() throws {
    let (path, count) = (folder + "/bench.roost", count)
    let store = try RecordStore(path)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
          try entity.add("key", .string)
          try entity.add("number", .int64)
          try entity.add("weight", .double)
        }
        try catalog.add(index: "key", of: "Item", on: ["key"], isUnique: true)
        try catalog.add(index: "number", of: "Item", on: ["number"])
      }
    }
    let chunk = 5000
    try measure("insert a row with two indexes", count) {
      for start in stride(from: 0, to: count, by: chunk) {
        try store.write(.relaxed) { writer in
          let table = try writer.table("Item")
          for number in start..<min(start + chunk, count) {
            try table.insert([
              "key": .string(Self.key(number)), "number": .int(Int64(number % 1000)), "weight": .double(Double(number)),
            ])
          }
        }
      }
      try store.store.checkpoint()
    }
    let commits = 100
    try measure("commit one change, synced", commits) {
      for number in 0..<commits {
        try store.write { writer in
          _ = try writer.table("Item").update(RowID(UInt64(number % count + 1)), ["weight": .double(-1)])
        }
      }
    }
    try read(store)
    try store.close()
    var isSound = false
    try measure("examine a row and all that belongs to it", count) { isSound = try RecordStore.verify(path).isSound }
    try check(isSound, "the store that was just written is damaged: \(path)")
  }

  private mutating func read(_ store: RecordStore) throws {
    let count = count
    var found = 0
    try measure("find a row by a unique text", count) {
      try store.read { reader in
        let table = try reader.table("Item")
        for number in 0..<count where try table.row(unique: "key", [.string(Self.key(number * 7919 % count))]) != nil {
          found += 1
        }
      }
    }
    try check(found == count, "\(found) of \(count) rows were found by their keys")
    var tested = 0
    try measure("test a row by a condition", count) {
      tested = try store.read { reader in
        let entity = try Looking.entity("Item", reader.catalog)
        guard let weight = entity.field("weight")?.id else { return -1 }
        let condition = RoostQuery.Expression.compare(
          .less, .field(.variable(0), weight), .constant(.double(Double(count / 2)), .double))
        return try Planner(Ground(reader)).plan(Query("Item", where: condition)).count()
      }
    }
    let low = count / 2
    let changed = min(100, count)
    // The changed rows are the lightest ones, wherever they were before.
    try check(
      tested == low + max(0, changed - low), "\(tested) rows were found by the condition where \(low) should be")
  }

  private static func key(_ number: Int) -> String { "item \(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)" }

  // MARK: Reporting

  private var remarks: [String] {
    guard let sync = steps.first(where: { $0.name.hasPrefix("sync one page") }) else { return [] }
    var remarks: [String] = []
    if sync.nanosecondsEach < 30_000 {
      remarks.append(
        "A sync takes less than 30 µs: the disk or the host may acknowledge data that it only keeps in memory.")
    }
    if sync.nanosecondsEach > 10_000_000 {
      remarks.append(
        "A sync takes more than 10 ms, and so does each synced commit: put many changes into one transaction.")
    }
    return remarks
  }
}

extension Bench.Report {
  func write(to console: Console) {
    console.facts(
      steps.map { step in
        let each = ReadableNumber.time(.nanoseconds(Int64(min(step.nanosecondsEach, 1e15))))
        return (step.name, "\(each) each, \(ReadableNumber.rate(step.count, in: .seconds(step.seconds))) a second")
      })
    for remark in remarks { console.line(text: remark) }
  }
}

extension Command {
  static var bench: Command {
    Command(
      name: "bench", summary: "Measure this disk and the engine on it, in a temporary folder.",
      discussion: [
        "Writes about 64 MiB and the rows, and removes all of it. The times compare machines; they are no benchmark. Ends",
        "with 1 if an answer is wrong.",
      ],
      syntax: Syntax(options: [
        Syntax.Option(name: "count", value: "n", help: "How many rows (50000)."),
        Syntax.Option(name: "directory", value: "folder", help: "Where to make the temporary folder."),
        Syntax.Option(name: "json", help: "Print JSON."),
      ])
    ) { arguments, console in
      let count = try arguments.number("count", in: 1...100_000_000) ?? 50_000
      let parent = arguments.text("directory") ?? FileManager.default.temporaryDirectory.path
      let folder = parent + "/roost-bench-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      var bench = Bench(folder: folder, count: count, console: console.quiet(arguments.has("json")))
      let report = try Unfinished.removing([folder]) { try bench.run() }
      if arguments.has("json") { try console.json(report) } else { report.write(to: console) }
      return .good
    }
  }
}
