import Foundation
import RoostImport
import SwiftData

enum VoucherTint: String, Codable, CaseIterable { case red, green, blue }

/// A model with each kind of rule.
@Model final class Voucher {
  @Attribute(.unique) var code: String
  @Validate(.range(1...5)) var stars: Int
  @Validate(.range(0..<100), message: "a price is not negative, and below 100") var price: Decimal
  @Validate(.pattern("[A-Z]{2}[0-9]+")) var tag: String?
  @Validate(.notEmpty) @Validate(.length(...10), message: "at most 10") var title: String
  @Validate(.oneOf([VoucherTint.red, .blue])) var tint: VoucherTint
  @Validate(.length(1...4)) var payload: Data?
  @Validate(.length(...3)) var words: [String] = []
  @Validate(.range(Date(timeIntervalSinceReferenceDate: 0)...)) var day: Date?
  var note = ""
  @Validate(.length(...2), message: "two marks at most") var stamps: [VoucherMark] = []

  init(
    _ code: String, stars: Int = 3, price: Decimal = 1, tag: String? = nil, title: String = "t",
    tint: VoucherTint = .red
  ) {
    (self.code, self.stars, self.price, self.tag, self.title, self.tint) = (code, stars, price, tag, title, tint)
  }
}

@Model final class VoucherMark {
  var name: String
  @Relationship(inverse: \Voucher.stamps) var voucher: Voucher?

  init(_ name: String) { self.name = name }
}

/// A model with its own `validate`.
@Model final class Lodging {
  @Attribute(.unique) var name: String
  var first: Int
  var last: Int
  @Relationship(deleteRule: .cascade, inverse: \Roomer.lodging) var lodgers: [Roomer] = []

  init(_ name: String, first: Int = 1, last: Int = 2) { (self.name, self.first, self.last) = (name, first, last) }
}

@Model final class Roomer {
  var name: String
  var lodging: Lodging?

  init(_ name: String, _ lodging: Lodging? = nil) {
    self.name = name
    self.lodging = lodging
  }
}

struct LodgingError: Error, Equatable { var name: String }

extension Lodging: Validatable {
  func validate(_ validation: Validation) throws {
    if last < first { validation.refuse("it ends before it begins", at: \Lodging.last) }
    if lodgers.contains(where: { $0.name.isEmpty }) { validation.refuse("a lodger has no name") }
    if name == "closed" { throw LodgingError(name: name) }
    if name == "chain", validation.change == .insert, let modelContext { modelContext.insert(Lodging("next")) }
    if name.hasPrefix("endless"), let modelContext { modelContext.insert(Lodging("endless" + UUID().uuidString)) }
    if name == "saves", let modelContext { try modelContext.save() }
  }
}

extension Roomer: Validatable {
  func validate(_ validation: Validation) throws {
    if validation.change == .delete, name == "stays" {
      validation.refuse("\(name) cannot be deleted", at: \Roomer.name)
    }
  }
}

enum Vouchers {
  static func container(_ schema: Schema? = nil) throws -> ModelContainer {
    let schema = schema ?? Schema([Voucher.self, VoucherMark.self, Lodging.self, Roomer.self])
    return try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
  }

  /// A voucher that breaks eight rules.
  static func bad(_ code: String) -> Voucher {
    let bad = Voucher(code, stars: 6, price: -1, tag: "A1", title: " ", tint: .green)
    bad.payload = Data()
    bad.words = ["a", "b", "c", "d"]
    bad.day = Date(timeIntervalSinceReferenceDate: -1)
    return bad
  }

  static let badProperties = ["stars", "price", "tag", "title", "tint", "payload", "words", "day"]

  /// Whether a voucher fulfils all rules, by a plain function.
  static func isGood(_ one: Voucher) -> Bool {
    let tag = one.tag.map { text in
      let (head, tail) = (text.prefix(2), text.dropFirst(2))
      return head.count == 2 && head.allSatisfy { ("A"..."Z").contains($0) } && !tail.isEmpty
        && tail.allSatisfy { ("0"..."9").contains($0) }
    }
    return (1...5).contains(one.stars) && one.price >= 0 && one.price < 100 && tag ?? true
      && !one.title.allSatisfy(\.isWhitespace) && one.title.count <= 10 && one.tint != .green
      && (one.payload.map { (1...4).contains($0.count) } ?? true) && one.words.count <= 3
      && (one.day.map { $0.timeIntervalSinceReferenceDate >= 0 } ?? true) && one.stamps.count <= 2
  }
}
