internal import Foundation
internal import Roost

enum Mood: String, Codable, CaseIterable { case calm, wild, lost }

/// A text that ignores case.
struct Badge: RawRepresentable, Codable, Hashable {
  var rawValue: String

  static func == (one: Badge, other: Badge) -> Bool { one.rawValue.lowercased() == other.rawValue.lowercased() }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue.lowercased()) }
}

struct Depth: Codable, Hashable {
  var level: Int
  var word: String?
}

struct Extent: Codable, Hashable {
  var width: Int
  var label: String
  var depth: Depth
}

/// A model with a property of every kind.
@Model class Thing {
  var k: Int
  var small: Int8
  var byte: UInt8
  var ok: Int?
  var ratio: Double
  var oratio: Double?
  var single: Float
  var price: Decimal
  var oprice: Decimal?
  var badge: Badge
  var obadge: Badge?
  var name: String
  var oname: String?
  var flag: Bool
  var oflag: Bool?
  var date: Date
  var odate: Date?
  var code: UUID
  var bytes: Data
  var mood: Mood
  var omood: Mood?
  var extent: Extent
  var oextent: Extent?
  var tags: [String]
  var otags: [String]?
  var numbers: [Int]
  var bag: Set<Int>
  var table: [String: Int]
  var owner: Owner?
  @Relationship(deleteRule: .cascade, inverse: \Piece.thing) var pieces: [Piece] = []
  @Relationship(deleteRule: .nullify, inverse: \Piece.spare) var spares: [Piece]?
  #Index<Thing>([\.k], [\.name], [\.mood, \.k], [\.ratio], [\.date], [\.ok], [\.price], [\.badge])

  init(_ k: Int, _ pool: inout Pool) {
    self.k = k
    small = pool.value(Int8.self)
    byte = pool.value(UInt8.self)
    ok = pool.optional(Int.self)
    ratio = pool.value(Double.self)
    oratio = pool.optional(Double.self)
    single = pool.value(Float.self)
    price = pool.value(Decimal.self)
    oprice = pool.optional(Decimal.self)
    badge = pool.value(Badge.self)
    obadge = pool.optional(Badge.self)
    name = pool.value(String.self)
    oname = pool.optional(String.self)
    flag = pool.value(Bool.self)
    oflag = pool.optional(Bool.self)
    date = pool.value(Date.self)
    odate = pool.optional(Date.self)
    code = pool.value(UUID.self)
    bytes = pool.value(Data.self)
    mood = pool.value(Mood.self)
    omood = pool.optional(Mood.self)
    extent = pool.extent()
    oextent = pool.coin() ? nil : pool.extent()
    tags = pool.list(String.self)
    otags = pool.coin() ? nil : pool.list(String.self)
    numbers = pool.list(Int.self)
    bag = Set(pool.list(Int.self))
    table = pool.table()
  }

  /// A property that is not stored.
  var double: Int { k &* 2 }
  var title: String { name + "!" }
}

@Model final class Special: Thing {
  var grade: Int

  override init(_ k: Int, _ pool: inout Pool) {
    grade = pool.value(Int.self)
    super.init(k, &pool)
  }
}

@Model final class Owner {
  var age: Int
  var name: String
  var oname: String?
  var boss: Owner?
  @Relationship(inverse: \Thing.owner) var things: [Thing] = []
  #Index<Owner>([\.age])

  init(_ pool: inout Pool) {
    age = pool.value(Int.self)
    name = pool.value(String.self)
    oname = pool.optional(String.self)
  }
}

@Model final class Piece {
  var n: Int
  var word: String?
  var thing: Thing?
  var spare: Thing?

  init(_ pool: inout Pool) {
    n = pool.value(Int.self)
    word = pool.optional(String.self)
  }
}
