import Foundation
import RoostPages
import RoostRecords
import RoostTestSupport

@testable import RoostTool

/// A store of albums, tracks and tags.
enum RowsFixture {
  static func make(_ path: String, tracks: Int = 0, closes: Bool = true) throws -> RecordStore {
    let store = try RecordStore(path, clock: { 1_780_000_000_000 })
    try store.write(author: "maker") { writer in
      try writer.change { catalog in
        let album = try catalog.add(entity: "Album") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("year", .int16, isOptional: true)
        }
        try catalog.add(index: "by title", of: "Album", on: ["title"], isUnique: true)
        try catalog.add(entity: "Tag") { (entity) throws(RecordFault) in try entity.add("name", .string) }
        try catalog.add(index: "by name", of: "Tag", on: ["name"], isUnique: true)
        try catalog.add(entity: "Track") { (entity) throws(RecordFault) in
          try entity.add("id", .int64)
          try entity.add("title", .string, isPreserved: true)
          try entity.add("rating", .double, isOptional: true)
          try entity.add("plays", .int64, initial: .int(7))
          try entity.add("place", .presence, isOptional: true)
          try entity.add("place.city", .string)
          try entity.add("words", .array(.plain(.string)), initial: .array([]))
          try entity.add("album", .reference(album), isOptional: true)
        }
        try catalog.add(index: "by id", of: "Track", on: ["id"], isUnique: true)
        try catalog.add(index: "by plays", of: "Track", on: ["plays"])
        try catalog.add(reference: "album", of: "Track", inverse: .init("tracks"))
        try catalog.add(links: .init("tags", isOrdered: true), of: "Track", to: "Tag", inverse: .init("tracks"))
      }
      for title in ["Blue", "Hejira"] {
        try writer.table("Album").insert(["title": .string(title), "year": .int(1971)])
      }
      for name in ["folk", "jazz"] { try writer.table("Tag").insert(["name": .string(name)]) }
    }
    if tracks > 0 {
      try store.write(author: "filler") { writer in
        for number in 1...tracks {
          let row = try writer.table("Track").insert([
            "id": .int(Int64(number)), "title": .string("Track \(number)"), "plays": .int(Int64(number % 10)),
            "rating": number % 3 == 0 ? .null : .double(Double(number) / 2), "words": .array([.string("a")]),
            "album": .reference(RowID(UInt64(number % 2 + 1))),
          ])
          if number % 2 == 0 { try writer.links("tags", of: "Track").append(RowID(1), to: row) }
        }
      }
    }
    if closes { try store.close() }
    return store
  }

  /// The program itself, in the same folder as the tests.
  static let program =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("roost").path

  struct Run {
    var status: Int32
    var isKilled: Bool
    var output: String
    var errors: String
  }

  /// Runs the built program. Its output must fit into a pipe.
  static func run(_ words: [String], input: String = "") throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words
    let (output, errors, source) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = source
    try process.run()
    source.fileHandleForWriting.write(Data(input.utf8))
    try source.fileHandleForWriting.close()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus, isKilled: process.terminationReason == .uncaughtSignal,
      output: String(decoding: text, as: UTF8.self), errors: String(decoding: complaints, as: UTF8.self))
  }
}

extension Transcript {
  /// The output for a terminal.
  static func onTerminal(width: Int = 60, colours: Bool = false, _ words: String...) -> Transcript {
    final class Paper {
      var output = ""
      var errors = ""
    }
    let paper = Paper()
    let console = Console(isTerminal: true, hasColours: colours, width: width) { stream, text in
      if stream == .output { paper.output += text } else { paper.errors += text }
    }
    let ending = Command.run(words, on: console)
    return Transcript(ending: ending, output: paper.output, errors: paper.errors)
  }
}
