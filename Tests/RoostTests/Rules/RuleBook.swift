import Foundation
import SwiftData

/// What a store of galleries and hutches must hold, in plain Swift.
struct RuleBook: Equatable, CustomStringConvertible {
  struct Cage: Equatable {
    var size: Int
    var least: Int
  }

  struct Pet: Equatable {
    var hutch: String?
    var isShy = false
  }

  var galleries: Set<String> = []
  /// By name, the gallery.
  var exhibits: [String: String?] = [:]
  var hutches: [String: Cage] = [:]
  var rabbits: [String: Pet] = [:]

  init() {}

  /// What is stored. Throws if a derived value is wrong.
  init(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for one in try context.fetch(FetchDescriptor<Gallery>()) {
      guard galleries.insert(one.code).inserted, one.size == one.exhibits.count, one.text == one.label else {
        throw RuleBookFault(text: "gallery \(one.code): \(one.size), \(one.exhibits.count), \(one.text)")
      }
    }
    for one in try context.fetch(FetchDescriptor<Exhibit>()) { exhibits[one.name] = .some(one.gallery?.code) }
    for one in try context.fetch(FetchDescriptor<Hutch>()) {
      hutches[one.name] = Cage(size: one.size, least: one.least)
    }
    for one in try context.fetch(FetchDescriptor<Rabbit>()) {
      if let hutch = one.hutch, one.tag != hutch.name {
        throw RuleBookFault(text: "rabbit \(one.name) of \(hutch.name) has the tag '\(one.tag)'")
      }
      rabbits[one.name] = Pet(hutch: one.hutch?.name, isShy: one.isShy)
    }
  }

  /// The first rule that is broken.
  var fault: String? {
    for code in galleries.sorted() {
      let count = exhibits.values.count { $0 == code }
      if !(1...3).contains(count) { return "gallery \(code) has \(count)" }
    }
    for (name, cage) in hutches.sorted(by: { $0.key < $1.key }) {
      let count = rabbits.values.count { $0.hutch == name }
      if count > cage.size || count < cage.least { return "hutch \(name) has \(count) of \(cage)" }
    }
    let shy = rabbits.filter { $0.value.isShy && $0.value.hutch == nil }
    return shy.keys.min().map { "\($0) is shy" }
  }

  mutating func remove(gallery code: String) {
    galleries.remove(code)
    for (name, gallery) in exhibits where gallery == code { exhibits[name] = .some(nil) }
  }

  mutating func remove(hutch name: String) {
    hutches[name] = nil
    for (rabbit, pet) in rabbits where pet.hutch == name { rabbits[rabbit]?.hutch = nil }
  }

  var description: String {
    let shown = galleries.sorted().map { code in
      code + ": " + exhibits.filter { $0.value == code }.keys.sorted().joined(separator: " ")
    }
    let cages = hutches.sorted { $0.key < $1.key }.map { name, cage in
      "\(name) \(cage.least)...\(cage.size): "
        + rabbits.filter { $0.value.hutch == name }.keys.sorted().joined(separator: " ")
    }
    let free = Array(exhibits.filter { $0.value == nil }.keys) + rabbits.filter { $0.value.hutch == nil }.keys
    return (shown + cages + ["free: " + free.sorted().joined(separator: " ")]).joined(separator: "; ")
  }
}

struct RuleBookFault: Error { let text: String }
