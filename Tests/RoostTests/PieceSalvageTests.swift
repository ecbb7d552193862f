import Foundation
import SwiftData
import Testing

@Model final class ParchmentRoll {
  var number: Int
  var text: String

  init(_ number: Int) {
    self.number = number
    text = ParchmentRoll.text(number)
  }

  /// A text of two pieces, in which every word is found once.
  static func text(_ number: Int) -> String {
    String((0..<300).map { "w\(number)x\($0)." }.joined().prefix(1_500))
  }
}

/// Texts of 985 to 3,936 bytes share leaves. A leaf with a wrong byte is not in order by its checksum, and nothing tells
/// which text has the byte.
@Suite struct PieceSalvageTests {
  @Test func `a salvage names the rows of all texts that a wrong byte may have changed`() throws {
    let folder = try Folder()
    let store = folder.file("store.roost")
    let container = try ModelContainer(for: ParchmentRoll.self, configurations: ModelConfiguration(url: store))
    let context = ModelContext(container)
    for number in 1...9 { context.insert(ParchmentRoll(number)) }
    try context.save()
    try container.close()
    let sound = try Data(contentsOf: store)
    var changed = 0
    for number in 1...9 {
      // A word of each piece.
      for word in ["w\(number)x20.", "w\(number)x190."] {
        var from = sound.startIndex
        while let found = sound.range(of: Data(word.utf8), in: from..<sound.endIndex) {
          from = found.upperBound
          var damaged = sound
          damaged[found.lowerBound] ^= 0x0E
          changed += try expectNames(damaged, folder)
        }
      }
    }
    #expect(changed >= 18)
  }

  /// Salvages a damaged store. Returns how many texts are changed, and expects that the report names their rows.
  private func expectNames(_ damaged: Data, _ folder: Folder) throws -> Int {
    let (file, rescued) = (folder.file("damaged.roost"), folder.file("rescued.roost"))
    try damaged.write(to: file)
    let report = try ModelContainer.salvage(file, to: rescued, replacing: true)
    let words = report.losses.map(\.sentence).filter { $0.contains("values of") }.joined(separator: " ")
    let named = Set(words.matches(of: /row ([0-9]+)/).compactMap { Int($0.output.1) })
    let container = try ModelContainer(for: ParchmentRoll.self, configurations: ModelConfiguration(url: rescued))
    defer { try? container.close() }
    let all = try ModelContext(container).fetch(FetchDescriptor<ParchmentRoll>())
    #expect(all.count == 9)
    let wrong = all.filter { $0.text != ParchmentRoll.text($0.number) }.map(\.number)
    // The rows were numbered as they were inserted.
    #expect(named.isSuperset(of: wrong), "\(report.losses.map(\.sentence))")
    return wrong.count
  }
}
