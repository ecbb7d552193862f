import Foundation
import SwiftData
import Testing

@Model
final class Sheet {
  var byte: Int8 = 1
  var wide: UInt64 = .max
  var small: Float = 1.5
  var money: Decimal = 12.34
  var flag: Bool?
  var key = UUID()
  var link: URL?
  var data = Data([1, 2, 3])
  var list: [Int] = []
  var maybe: [String]?
  var set: Set<String> = []
  var names: [String: Int] = [:]
  var spots: [Spot] = []
  var season: Season?
  var visit = Visit.never
  var made = Date.now
  var range: ClosedRange<Int> = 1...2

  init() {}
}

@Suite(.everyStore) struct ValueTests {
  @Test func `each kind of value is stored and read back`() throws {
    let context = try ModelContext(
      StoreKind.current.container(Schema([Sheet.self])))
    let sheet = Sheet()
    context.insert(sheet)
    sheet.byte = -128
    sheet.money = Decimal(string: "-0.001")!
    sheet.flag = false
    sheet.link = URL(string: "https://example.org/a?b=c")
    sheet.list = [3, 1, 2]
    sheet.maybe = []
    sheet.set = ["a", "b"]
    sheet.names = ["x": 1]
    sheet.spots = [Spot(name: "n", latitude: 1, longitude: 2), Spot(name: "m", latitude: 3, longitude: nil)]
    sheet.season = .autumn
    sheet.visit = .on(Date(timeIntervalSinceReferenceDate: 7))
    sheet.range = -3...4
    try context.save()
    let fresh = ModelContext(context.container)
    let again = try #require(try fresh.all(Sheet.self).first)
    #expect(again.byte == -128 && again.wide == .max && again.small == 1.5)
    #expect(again.money == Decimal(string: "-0.001") && again.flag == false && again.key == sheet.key)
    #expect(again.link == sheet.link && again.data == Data([1, 2, 3]) && again.made == sheet.made)
    #expect(again.list == [3, 1, 2] && again.maybe == [] && again.set == ["a", "b"] && again.names == ["x": 1])
    #expect(again.spots == sheet.spots && again.season == .autumn && again.visit == sheet.visit)
    #expect(again.range == -3...4)
  }

  @Test func `models are compared by identity`() {
    let (one, other) = (Sheet(), Sheet())
    #expect(one == one && one != other && Set([one, other, one]).count == 2)
    #expect(one.persistentModelID != other.persistentModelID && one.persistentModelID.storeIdentifier == nil)
  }
}
