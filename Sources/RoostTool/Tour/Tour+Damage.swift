import Foundation
import Roost
import RoostFile
import RoostPages
import RoostRecords

/// A step that flips bits in a copy of the store.
extension Tour {
  var damage: Step {
    Step(
      "Damage a copy",
      """
      let chunk = #Predicate<Track> { $0.number >= low && $0.number < high }
      let tracks = try context.fetch(FetchDescriptor(predicate: chunk, sortBy: order))
      """
    ) { [self] in
      try close()
      try? FileManager.default.removeItem(atPath: damagedPath)
      try FileManager.default.copyItem(atPath: path, toPath: damagedPath)
      let pages = try pagesInUse()
      guard let page = pages.rows.randomElement() else { throw CheckFailure(sentence: "no page holds tracks") }
      try check(try RecordStore.verify(path).isSound, "the store is damaged before anything was flipped")

      var progress = Progress("flipping", of: flips, on: console)
      let (_, time) = try timed {
        for turn in 0..<flips {
          progress.advance(to: turn)
          guard let page = pages.all.randomElement() else { break }
          let bit = Int.random(in: 0..<Page.size * 8)
          try flip(bit, of: page)
          try checkNoticed(page)
          // A second flip restores the bit.
          try flip(bit, of: page)
        }
      }
      progress.end()
      let bit = Int.random(in: 0..<Page.size * 8)
      try flip(bit, of: page)
      let outcome = try askAll()
      guard let error = outcome.error else { throw CheckFailure(sentence: "a flipped bit was not noticed") }
      try check(outcome.wrong == 0, "\(outcome.wrong) answers from the damaged store were wrong")
      try check(error.page == UInt64(page.place), "the error names page \(error.page ?? 0) and not \(page.place)")
      return [
        "Bit \(bit % 8) of byte \(bit / 8) of page \(page.place) was flipped. A fetch that reads the page fails with:",
        console.styled("  \(error)", .bad),
        "\(ReadableNumber.count(outcome.refused, "fetch", nouns: "fetches")) refused, \(ReadableNumber.count(outcome.right)) right, none wrong.",
        "Before that \(ReadableNumber.count(flips)) others, in any of the \(ReadableNumber.count(pages.all.count)) pages in use: "
          + "`verify` named the page each time, in \(ReadableNumber.time(time)).",
      ]
    }
  }

  /// The pages in use, and those with tracks.
  func pagesInUse() throws -> (all: [PageID], rows: [PageID]) {
    guard let tracks = try Looking.rows(path).read({ $0.catalog.id(of: "Track") }) else {
      throw CheckFailure(sentence: "the store has no class Track")
    }
    return try RecordStore.pages(of: path, rowsOf: tracks)
  }

  func flip(_ bit: Int, of page: PageID) throws {
    let file = try DiskFileSystem.shared.open(damagedPath, .write)
    defer { file.close() }
    let offset = page.byteOffset + UInt64(bit / 8)
    var byte: UInt8 = 0
    try withUnsafeMutableBytes(of: &byte) { try file.readFully(into: $0, at: offset) }
    byte ^= 1 << UInt8(bit % 8)
    try withUnsafeBytes(of: &byte) { try file.write($0, at: offset) }
  }

  struct Outcome {
    var right = 0
    var wrong = 0
    var refused = 0
    var error: StoreError?
  }

  /// Fetches every track from the damaged store, some at a time.
  func askAll() throws -> Outcome {
    let context = ModelContext(try Self.container(damagedPath, allowsSave: false))
    let order = [SortDescriptor(\Track.number)]
    var outcome = Outcome()
    for low in stride(from: 0, to: library.count, by: 100) {
      let high = min(low + 100, library.count)
      do {
        let chunk = #Predicate<Track> { $0.number >= low && $0.number < high }
        let tracks = try context.fetch(FetchDescriptor(predicate: chunk, sortBy: order))
        let isRight = tracks.count == high - low && zip(tracks, low...).allSatisfy { Library.isRight($0, $1) }
        if isRight { outcome.right += 1 } else { outcome.wrong += 1 }
      } catch let error as RoostError where error.code == .store {
        guard let cause = error.underlyingError as? StoreError, cause.code == .damaged else { throw error }
        outcome.refused += 1
        outcome.error = cause
      }
    }
    return outcome
  }

  /// Verifies the whole copy, and checks that the page is reported.
  func checkNoticed(_ page: PageID) throws {
    let found = try RecordStore.verify(damagedPath)
    try check(
      found.findings.contains { $0.page == UInt64(page.place) }, "a bit flipped in page \(page.place) was not noticed")
  }
}
