import Foundation
import RoostImport
import SwiftData

/// A model whose list must have one to three members.
@Model final class Gallery {
  @Attribute(.unique) var code: String
  @Validate(.length(1...3)) var exhibits: [Exhibit] = []
  @Derived(.count(\Gallery.exhibits)) var size: Int
  @Derived(\Gallery.label) var text: String
  var label: String { "\(code): \(size)" }

  init(_ code: String, _ exhibits: [Exhibit] = []) { (self.code, self.exhibits) = (code, exhibits) }
}

@Model final class Exhibit {
  @Attribute(.unique) var name: String
  var price = 0
  @Relationship(inverse: \Gallery.exhibits) var gallery: Gallery?

  init(_ name: String, _ gallery: Gallery? = nil) { (self.name, self.gallery) = (name, gallery) }
}

/// A model whose `validate` looks at its list.
@Model final class Hutch {
  @Attribute(.unique) var name: String
  var size: Int
  var least = 0
  @Relationship(deleteRule: .nullify, inverse: \Rabbit.hutch) var rabbits: [Rabbit] = []
  @Relationship(deleteRule: .cascade, inverse: \HutchBell.hutch) var bells: [HutchBell] = []
  @Relationship(inverse: \HutchTag.hutches) var tags: [HutchTag] = []

  init(_ name: String, size: Int = 2, least: Int = 0) { (self.name, self.size, self.least) = (name, size, least) }
}

@Model final class Rabbit {
  @Attribute(.unique) var name: String
  var age = 1
  /// Whether it refuses to be without a hutch.
  var isShy = false
  /// The name of the hutch, which `validate` of either side sets.
  var tag = ""
  var hutch: Hutch?

  init(_ name: String, _ hutch: Hutch? = nil) { (self.name, self.hutch) = (name, hutch) }
}

@Model final class HutchBell {
  var tone: Int
  var hutch: Hutch?

  init(_ tone: Int, _ hutch: Hutch? = nil) { (self.tone, self.hutch) = (tone, hutch) }
}

/// A model that references a hutch, which does not know it.
@Model final class HutchKey {
  var number: Int
  @Relationship var hutch: Hutch?

  init(_ number: Int, _ hutch: Hutch?) { (self.number, self.hutch) = (number, hutch) }
}

extension HutchKey: Validatable {
  func validate(_ validation: Validation) {
    if validation.change != .delete, hutch == nil { validation.refuse("key \(number) opens nothing") }
  }
}

@Model final class HutchTag {
  @Attribute(.unique) var word: String
  var most = 9
  var hutches: [Hutch] = []

  init(_ word: String) { self.word = word }
}

extension Hutch: Validatable {
  func validate(_ validation: Validation) {
    if validation.change == .delete { return }
    if rabbits.count > size { validation.refuse("full: \(rabbits.count)", at: \Hutch.size) }
    if rabbits.count < least { validation.refuse("empty: \(rabbits.count)", at: \Hutch.least) }
    for rabbit in rabbits where rabbit.tag != name { rabbit.tag = name }
    if name == "bells", bells.count != 1 { validation.refuse("bells: \(bells.count)") }
  }
}

extension Rabbit: Validatable {
  func validate(_ validation: Validation) {
    if validation.change == .delete { return }
    if isShy, hutch == nil { validation.refuse("\(name) needs a hutch") }
    if let hutch, tag != hutch.name { tag = hutch.name }
  }
}

extension HutchTag: Validatable {
  func validate(_ validation: Validation) {
    if hutches.count > most { validation.refuse("too often: \(hutches.count)") }
    if word == "used", validation.change != .delete, hutches.isEmpty { validation.refuse("unused") }
  }
}

/// A model whose `validate` changes others.
@Model final class GalleryLedger {
  @Attribute(.unique) var name: String
  var amount = 0
  /// The amount that its `validate` gives to the other one.
  var gives: Int?
  var other: GalleryLedger?
  @Transient var calls = 0

  init(_ name: String, amount: Int = 0) { (self.name, self.amount) = (name, amount) }
}

extension GalleryLedger: Validatable {
  func validate(_ validation: Validation) {
    calls += 1
    if amount == 13 { validation.refuse("unlucky", at: \GalleryLedger.amount) }
    if let gives, let other { other.amount = gives }
    if name.hasPrefix("pad ") { name = "pad" }
    if name == "growing" { amount += 1 }
  }
}

@Model final class GuardPost {
  @Attribute(.unique) var code: String
  var tower: GuardTower?
  init(_ code: String) { self.code = code }
}

@Model final class GuardTower {
  @Attribute(.unique) var number: Int
  @Relationship(inverse: \GuardPost.tower) var post: GuardPost?
  init(_ number: Int) { self.number = number }
}

extension GuardTower: Validatable {
  func validate(_ validation: Validation) throws {
    if post == nil { validation.refuse("a tower needs a post") }
  }
}
