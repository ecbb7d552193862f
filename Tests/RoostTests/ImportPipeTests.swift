import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// Regression: a program wrote a record a second into a pipe, and the importer stored nothing
/// before the pipe ended. It waited until it had 256 KiB.
@Suite struct ImportPipeTests {
  private func records(_ codes: ClosedRange<Int>, _ format: ImportSource.Format) -> Data {
    Data(codes.map { format == .csv ? "\($0),t\n" : "{\"code\": \($0), \"title\": \"t\"}\n" }.joined().utf8)
  }

  /// The pipe stays open until all of it is stored, so an importer that waits for its end waits
  /// forever.
  @Test(.timeLimit(.minutes(30)), arguments: [nil, 1, 2, 1000], [ImportSource.Format.csv, .jsonLines])
  func `records of a pipe are stored while it is open`(_ chunk: Int?, _ format: ImportSource.Format) async throws {
    let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = chunk
    let pipe = Pipe()
    let run = try importer.start(.handle(pipe.fileHandleForReading, format))
    let writing = pipe.fileHandleForWriting
    if format == .csv { try writing.write(contentsOf: Data("code,title\n".utf8)) }
    var progress = run.progress.makeAsyncIterator()
    for step in 0..<3 {
      // The last record is written in two halves.
      let bytes = records(step * 4 + 1...step * 4 + 4, format)
      try writing.write(contentsOf: bytes.dropLast(5))
      try writing.write(contentsOf: bytes.suffix(5))
      var stored = 0
      while stored < step * 4 + 4, let now = await progress.next() { stored = now.records }
      #expect(stored == step * 4 + 4)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == stored)
    }
    try writing.close()
    #expect(try await run.report.progress.inserted == 12)
  }

  /// Each step is one frame and half of the next one, which cannot be decoded until it is complete.
  @Test(.timeLimit(.minutes(30))) func `records of a compressed pipe are stored while it is open`() async throws {
    let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 1000
    let folder = try Folder()
    let frames = try (0..<3).map { step in
      let source = try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      try source.write { context in
        for code in step * 4 + 1...step * 4 + 4 { context.insert(Item(code, title: "t")) }
      }
      let file = folder.file("\(step).jsonl.lz4")
      try source.export(FetchDescriptor<Item>(), to: .file(file))
      return try Data(contentsOf: file)
    }
    let pipe = Pipe()
    let run = try importer.start(.handle(pipe.fileHandleForReading, .jsonLines))
    let writing = pipe.fileHandleForWriting
    var progress = run.progress.makeAsyncIterator()
    for step in 0..<3 {
      try writing.write(contentsOf: step == 0 ? frames[0] : frames[step].dropFirst(frames[step].count / 2))
      if step < 2 { try writing.write(contentsOf: frames[step + 1].prefix(frames[step + 1].count / 2)) }
      var stored = 0
      while stored < step * 4 + 4, let now = await progress.next() { stored = now.records }
      #expect(stored == step * 4 + 4)
    }
    try writing.close()
    #expect(try await run.report.progress.inserted == 12)
  }

  @Test func `a pipe that is never empty for long is stored completely`() throws {
    let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 1000
    let pipe = Pipe()
    let bytes = records(1...5500, .jsonLines)
    let writer = Thread {
      try? pipe.fileHandleForWriting.write(contentsOf: bytes)
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    let report = try importer.run(.handle(pipe.fileHandleForReading, .jsonLines))
    #expect(report.progress.inserted == 5500)
  }
}
