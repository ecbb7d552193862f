import Foundation
import RoostTestSupport
import SwiftData
import Synchronization
import Testing

@testable import RoostGraph

/// Two contexts read, change, delete, save and roll back sheets at random. Each value of an object
/// must equal that of a plain model, whenever it is first read.
@Suite struct LazyValuesPlay {
  /// Whether an observer was notified.
  private final class Told: Sendable {
    private let flag = Atomic(false)
    var isNoted: Bool { flag.load(ordering: .relaxed) }
    func note() { flag.store(true, ordering: .relaxed) }
  }

  private struct Side {
    let context: ModelContext
    /// Objects that the program holds, by code.
    var held: [Int: Sheet] = [:]
    /// Unsaved values, by code and property.
    var changes: [Int: [Int: SheetValues]] = [:]
    /// Objects that were deleted, and their last values.
    var buried: [(sheet: Sheet, values: SheetValues)] = []
  }

  @Test(arguments: UInt64(1)...60) func `a lazy value is the stored one or the one that was set`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let door = try DoorStore(cacheBytes: seed % 2 == 0 ? 256 << 10 : nil)
    var stored: [Int: SheetValues] = [:]
    let first = ModelContext(door.container)
    var made: [Sheet] = []
    for code in 0..<(5 + random.below(30)) {
      let values = SheetValues(&random)
      stored[code] = values
      made.append(Sheet(code, values))
      first.insert(made[code])
      if code > 0 { made[code].whole = made[Self.whole(of: code)] }
    }
    try first.save()
    var sides = [Side(context: ModelContext(door.container)), Side(context: ModelContext(door.container))]
    for step in 0..<120 {
      let own = random.below(2)
      let story: Comment = "seed \(seed), step \(step)"
      switch random.below(12) {
      case 0, 1: try fetch(&sides[own], stored, &random)
      case 2: sides[own].held = sides[own].held.filter { _ in random.chance(1, in: 2) }
      case 3, 4, 5:
        guard let (code, sheet) = sides[own].held.randomElement(using: &random) else { continue }
        let property = random.below(SheetValues.all.count)
        if sides[1 - own].changes[code] != nil { continue }
        let values = SheetValues(&random)
        values.set(property, in: sheet)
        sides[own].changes[code, default: [:]][property] = values
      case 6: try save(&sides[own], &stored)
      case 7:
        sides[own].context.rollback()
        sides[own].changes = [:]
      case 8:
        guard let (code, sheet) = sides[own].held.randomElement(using: &random),
          sides.allSatisfy({ $0.changes[code] == nil })
        else { continue }
        sides[own].context.delete(sheet)
        try save(&sides[own], &stored)
        for at in sides.indices {
          _ = try sides[at].context.fetchCount(FetchDescriptor<Sheet>())
          guard let gone = sides[at].held.removeValue(forKey: code), let values = stored[code] else { continue }
          sides[at].buried.append((gone, values))
        }
        stored[code] = nil
      case 9:
        guard let (_, sheet) = sides[own].held.randomElement(using: &random) else { continue }
        #expect(sheet.snapshot.code == sheet.code, story)
      default: break
      }
      // Both show the newest commit, as after each fetch.
      for side in sides { _ = try side.context.fetchCount(FetchDescriptor<Sheet>()) }
      for _ in 0..<4 { look(sides[random.below(2)], stored, &random, story) }
    }
    for side in sides {
      for (code, _) in side.held {
        for property in SheetValues.all { look(side, stored, code, property, "seed \(seed), end") }
      }
      for one in side.buried {
        for property in SheetValues.all { #expect(one.values.isSame(property, in: one.sheet), "seed \(seed), buried") }
      }
    }
    #expect(try door.container.verify().isSound)
  }

  /// The code of the sheet that another sheet is a part of.
  private static func whole(of code: Int) -> Int { code / 3 }

  private func fetch(_ side: inout Side, _ stored: [Int: SheetValues], _ random: inout SplitMix64) throws {
    let low = random.below(20)
    let found = try side.context.fetch(FetchDescriptor<Sheet>(predicate: #Predicate { $0.code >= low }))
    #expect(Set(found.map(\.code)) == Set(stored.keys.filter { $0 >= low }))
    for sheet in found where random.chance(1, in: 2) { side.held[sheet.code] = sheet }
  }

  private func save(_ side: inout Side, _ stored: inout [Int: SheetValues]) throws {
    try side.context.save()
    for (code, changes) in side.changes {
      for (property, values) in changes { stored[code]?.take(property, from: values) }
    }
    side.changes = [:]
  }

  private func look(_ side: Side, _ stored: [Int: SheetValues], _ random: inout SplitMix64, _ story: Comment) {
    guard let code = side.held.keys.sorted().randomElement(using: &random) else { return }
    look(side, stored, code, random.below(SheetValues.all.count), story)
  }

  private func look(_ side: Side, _ stored: [Int: SheetValues], _ code: Int, _ property: Int, _ story: Comment) {
    guard let sheet = side.held[code], var expected = stored[code] else { return }
    for (property, values) in side.changes[code] ?? [:] { expected.take(property, from: values) }
    let told = Told()
    withObservationTracking {
      #expect(sheet.code == code)
    } onChange: {
      told.note()
    }
    #expect(expected.isSame(property, in: sheet), "\(story), sheet \(code), property \(property)")
    let parts = stored.keys.filter { $0 > 0 && Self.whole(of: $0) == code }
    #expect(sheet.parts.map(\.code).sorted() == parts.sorted(), "\(story), sheet \(code)")
    #expect(!told.isNoted, "\(story): reading property \(property) told an observer of another one")
  }
}
