import Foundation
import RoostFile
import RoostPages
import RoostRecords
import RoostTransfer
import Testing

/// Large records, extreme numbers, and endless inputs.
@Suite struct ImportBoundsTests {
  @Test(arguments: [TextImportOptions.Conflict.update, .merge], [1000, 5000, 70_000])
  func `a large value is that of the record, even if the record does not name all fields`(
    _ conflict: TextImportOptions.Conflict, _ count: Int
  ) throws {
    let store = try ImportTests.store()
    let (old, new) = (String(repeating: "o", count: 5000), String(repeating: "x", count: count))
    _ = try ImportTests.run(store, "{\"id\": 1, \"title\": \"\(old)\", \"words\": []}")
    let report = try ImportTests.run(store, "{\"id\": 1, \"title\": \"\(new)\"}") { $0.conflict = conflict }
    #expect(report.progress.updated == 1)
    #expect(try ImportTests.rows(store)[.int(1)]?["title"] == .string(new))
  }

  @Test(arguments: ["1e-9223372036854775808", "1e9223372036854775807", "1e-1000000", "1e99999999999999999999"])
  func `exponents that are too large`(_ text: String) throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "E") { (entity) throws(RecordFault) in try entity.add("price", .decimal) }
      }
    }
    for (record, format) in [("{\"price\": \(text)}", TextFormat.jsonLines), ("price\n\(text)", .csv())] {
      let report = try ImportTests.run(store, record, into: "E", format) { $0.badRecords = .skip(most: 1) }
      #expect(report.progress.bad == 1 && report.faults.first?.field == "price")
    }
    try store.read { reader in
      let entity = try #require(reader.catalog.id(of: "E"))
      #expect(throws: QuestionFault.self) {
        try TypedQuestion.condition("price == \(text)", of: RowClass(entity, reader.catalog), reader.catalog)
      }
    }
  }

  @Test func `a transaction is no larger than its bytes`() throws {
    let store = try ImportTests.store()
    let title = String(repeating: "x", count: 1000)
    let text =
      (1...100).map { "{\"id\": \($0), \"title\": \"\(title)\", \"words\": []}" } + [
        "{\"id\": 1, \"title\": \"\(title)\""
      ]
    var options = TextImportOptions(into: "Track")
    (options.pieceBytes, options.badRecords) = (10_000, .skip(most: 5))
    var steps: [Int] = []
    let report = try Importer(store, options, progress: { steps.append($0.records) })
      .run(MemoryInput(Array(text.joined(separator: "\n").utf8)), .jsonLines)
    #expect(report.progress.inserted == 100 && report.progress.bad == 1)
    #expect(steps.count >= 10 && steps.count < 40)
  }

  // MARK: Endless inputs

  /// More bytes than are read at once, and then a pipe without a writer.
  private static func endless(_ head: String) -> (input: any ByteInput, pipe: Pipe) {
    let pipe = Pipe()
    let good = (1...10_000).map { "{\"id\": \($0), \"title\": \"t\", \"words\": []}\n" }.joined()
    let stream = ByteStream.descriptor(pipe.fileHandleForReading.fileDescriptor, "the pipe")
    return (PrefixedInput((head + good).utf8, before: DescriptorInput(stream)), pipe)
  }

  @Test(.timeLimit(.minutes(30))) func `an error ends an import that waits for its input`() throws {
    let store = try ImportTests.store()
    let (input, pipe) = Self.endless("bad\n")
    var options = TextImportOptions(into: "Track")
    options.chunk = 100
    #expect(throws: TransferFault.self) { try Importer(store, options).run(input, .jsonLines) }
    #expect(try ImportTests.rows(store).isEmpty)
    withExtendedLifetime(pipe) {}
  }

  @Test(.timeLimit(.minutes(30))) func `a cancellation ends an import that waits for its input`() throws {
    let store = try ImportTests.store()
    let (input, pipe) = Self.endless("")
    var options = TextImportOptions(into: "Track")
    options.chunk = 1000
    let cancellation = ImportCancellation()
    let thread = try RoostFile.Thread {
      while (try? ImportTests.rows(store).isEmpty) ?? false {}
      cancellation.cancel()
    }
    let report = try Importer(store, options, cancellation: cancellation).run(input, .jsonLines)
    thread.join()
    #expect(report.isCancelled && report.progress.inserted > 0)
    #expect(try ImportTests.rows(store).count == report.progress.inserted)
    withExtendedLifetime(pipe) {}
  }

  @Test func `a pipe is read to its end, and not after a stop`() throws {
    let pipe = Pipe()
    let input = DescriptorInput(ByteStream.descriptor(pipe.fileHandleForReading.fileDescriptor, "the pipe"))
    var buffer = [UInt8](repeating: 0, count: 10)
    func read() throws -> Int { try buffer.withUnsafeMutableBytes { try input.read(into: $0) } }
    try pipe.fileHandleForWriting.write(contentsOf: Data([1, 2, 3]))
    #expect(try read() == 3 && buffer.prefix(3) == [1, 2, 3])
    try pipe.fileHandleForWriting.write(contentsOf: Data([4]))
    input.stop()
    #expect(try read() == 0)
    let other = Pipe()
    let closed = DescriptorInput(ByteStream.descriptor(other.fileHandleForReading.fileDescriptor, "the pipe"))
    try other.fileHandleForWriting.close()
    #expect(try buffer.withUnsafeMutableBytes { try closed.read(into: $0) } == 0)
  }
}
