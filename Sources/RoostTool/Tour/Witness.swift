import Foundation
import Roost

/// The process that the tour kills: it saves without end, and acknowledges each save on its standard output.
enum Witness {
  static let command = "tour-witness"
  /// The visits of one save, which must all be found or none.
  static let visits = 4
  /// Bytes of an acknowledgement: the save's number.
  static let wordBytes = 8

  static func numbers(of save: Int) -> Range<Int> { (save - 1) * visits..<save * visits }

  static func run(_ path: String) throws -> Ending {
    try check(FileManager.default.fileExists(atPath: path), "there is no store at \(path)")
    let context = ModelContext(try Tour.container(path))
    context.author = "witness"
    for save in 1...1_000_000 {
      for number in numbers(of: save) { context.insert(Visit(number)) }
      try context.save()
      // Only now is it synced.
      let word = withUnsafeBytes(of: UInt64(save).littleEndian) { [UInt8]($0) }
      if !writeToOutput(word) { break }
    }
    return .failed
  }

  /// Checks that all acknowledged saves exist, complete and in order, and at most one more, which
  /// was in flight.
  ///
  /// - Returns: the number of saves.
  static func examine(_ context: ModelContext, acknowledged: Int) throws -> Int {
    let found = try context.fetch(FetchDescriptor<Visit>(sortBy: [SortDescriptor(\.number)]))
    try check(found.count % visits == 0, "a save was found in part: there are \(found.count) visits")
    let saves = found.count / visits
    try check(saves >= acknowledged, "\(acknowledged) saves were acknowledged, but only \(saves) were found")
    try check(saves <= acknowledged + 1, "\(saves) saves were found where at most \(acknowledged + 1) were begun")
    for (number, visit) in found.enumerated() {
      try check(visit.number == number, "visit \(number) is missing")
      try check(visit.note == Library.note(number), "visit \(number) has a wrong value")
    }
    return saves
  }
}
