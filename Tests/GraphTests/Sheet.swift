import Foundation
import RoostTestSupport
import SwiftData

/// A model of lazy values, each stored in another way, some of them outside the row.
@Model final class Sheet {
  enum Paper: String, Codable, CaseIterable { case plain, squared, ruled }

  struct Margin: Codable, Equatable {
    var left: Int
    var words: String
  }

  @Attribute(.unique) var code: Int
  var title: String
  var note: String?
  var picture: Data?
  var tags: [String]
  var paper: Paper
  var margin: Margin
  var count: Int
  @Relationship(inverse: \Sheet.whole) var parts: [Sheet] = []
  var whole: Sheet?

  init(_ code: Int, _ values: SheetValues) {
    self.code = code
    title = values.title
    note = values.note
    picture = values.picture
    tags = values.tags
    paper = values.paper
    margin = values.margin
    count = values.count
  }
}

/// The values of a sheet, without an object.
struct SheetValues: Equatable {
  var title: String
  var note: String?
  var picture: Data?
  var tags: [String]
  var paper: Sheet.Paper
  var margin: Sheet.Margin
  var count: Int

  init(_ random: inout SplitMix64) {
    func text(_ most: Int) -> String {
      String((0..<random.below(most)).map { _ in Array("aäb日c👍🏽")[random.below(6)] })
    }
    title = text(random.chance(1, in: 10) ? 3000 : 40)
    note = random.chance(1, in: 3) ? nil : text(random.chance(1, in: 10) ? 1200 : 20)
    let bytes = [0, 10, 3_000, 30_000][random.below(4)]
    picture = random.chance(1, in: 4) ? nil : Data(repeating: UInt8(random.below(256)), count: bytes)
    tags = (0..<random.below(4)).map { _ in text(8) }
    paper = Sheet.Paper.allCases[random.below(3)]
    margin = Sheet.Margin(left: random.below(100), words: text(12))
    count = random.below(1000)
  }

  /// The properties by number.
  static let all = 0..<7

  mutating func take(_ property: Int, from other: SheetValues) {
    switch property {
    case 0: title = other.title
    case 1: note = other.note
    case 2: picture = other.picture
    case 3: tags = other.tags
    case 4: paper = other.paper
    case 5: margin = other.margin
    default: count = other.count
    }
  }

  /// Whether an object has this value of a property.
  func isSame(_ property: Int, in sheet: Sheet) -> Bool {
    switch property {
    case 0: sheet.title == title
    case 1: sheet.note == note
    case 2: sheet.picture == picture
    case 3: sheet.tags == tags
    case 4: sheet.paper == paper
    case 5: sheet.margin == margin
    default: sheet.count == count
    }
  }

  /// Sets a property of an object, some of them in place.
  func set(_ property: Int, in sheet: Sheet) {
    switch property {
    case 0: sheet.title = title
    case 1: sheet.note = note
    case 2: sheet.picture = picture
    case 3:
      sheet.tags.removeAll()
      sheet.tags.append(contentsOf: tags)
    case 4: sheet.paper = paper
    case 5:
      sheet.margin.left = margin.left
      sheet.margin.words = margin.words
    default: sheet.count = count
    }
  }
}
