import Foundation
import Roost
import Testing

private enum Humour: Codable, Equatable { case calm, angry(Int) }

private struct Twig: Codable, Equatable {
  var number = 0
  var leaves: [Twig?] = []
}

/// Stored as a self-describing value because of its enum, so its parts are no fields of the row.
private struct DiaryDay: Codable, Equatable {
  var mood = Humour.calm
  var steps: [Int?] = []
  var dates: [Date?] = []
  var flags: [Bool?] = []
  var texts: [String?] = []
  var numbers: [Double?] = []
  var sizes: [UInt8?] = []
  var keys: [UUID?] = []
  var byName: [String: Int?] = [:]
  var lists: [[Int]?] = []
  var single: Int?
}

@Model private final class Diary {
  var day: DiaryDay
  @Attribute(.codable) var steps: [Int?] = []
  @Attribute(.codable) var byName: [String: Int?] = [:]
  @Attribute(.codable) var number: Int?
  var leaf = Twig()

  init(_ day: DiaryDay) { self.day = day }
}

/// Values with optional elements, of types that the store keeps in their own encoding.
@Suite struct SparseValueTests {
  private static let full = DiaryDay(
    mood: .angry(3), steps: [7, nil, 9], dates: [Date(timeIntervalSinceReferenceDate: 5), nil],
    flags: [true, nil, false],
    texts: ["a", nil], numbers: [1.5, nil], sizes: [200, nil], keys: [UUID(), nil], byName: ["a": 1, "b": nil],
    lists: [[1], nil, []], single: 4)

  @Test(arguments: [true, false]) func `an element with a value is not read as nil`(isEmptyFirst: Bool) throws {
    let container = try ModelContainer(for: Diary.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    if isEmptyFirst { context.insert(Diary(DiaryDay())) }
    try context.save()
    let diary = Diary(Self.full)
    diary.steps = [1, nil]
    diary.byName = ["a": 1, "b": nil]
    diary.number = 3
    diary.leaf = Twig(number: 1, leaves: [Twig(number: 2), nil])
    context.insert(diary)
    try context.save()
    let again = try #require(try ModelContext(container).fetch(FetchDescriptor<Diary>()).last)
    #expect(again.day == Self.full)
    #expect(again.steps == [1, nil] && again.byName == ["a": 1, "b": nil] && again.number == 3)
    #expect(again.leaf == Twig(number: 1, leaves: [Twig(number: 2), nil]))
  }
}
