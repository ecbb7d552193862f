import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// Random writes in every way, valid and invalid. The store must never have a row that breaks a
/// rule, and every valid write must be stored.
@Suite struct RulePlay {
  @Test(arguments: 0..<12) func `no way of writing stores an invalid value`(number: Int) throws {
    var random = SplitMix64(seed: UInt64(7100 + number))
    let container = try Vouchers.container()
    var count = 0
    var stored = 0
    func voucher() -> Voucher {
      count += 1
      let one = Voucher("c\(count)")
      // Mostly one property is at or beyond its limit.
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: one.stars = .random(in: -1...7, using: &random)
        case 1: one.price = [Decimal(-1), 0, Decimal(string: "99.99")!, 100].randomElement(using: &random)!
        case 2: one.tag = [nil, "AB1", "AB", "ab1", "ÄB1", "ABC1", "AB12\n"].randomElement(using: &random)!
        case 3:
          one.title = ["", " ", "x", "0123456789", "01234567890", "\u{301}", "e\u{301}e"].randomElement(using: &random)!
        case 4: one.tint = VoucherTint.allCases.randomElement(using: &random)!
        case 5: one.payload = [nil, Data(), Data([1]), Data(count: 4), Data(count: 5)].randomElement(using: &random)!
        case 6: one.words = Array(repeating: "w", count: .random(in: 0...4, using: &random))
        default: one.stamps = (0..<Int.random(in: 0...3, using: &random)).map { VoucherMark("\($0)") }
        }
      }
      return one
    }
    let context = ModelContext(container)
    for step in 0..<40 {
      let others = (0..<Int.random(in: 1...3, using: &random)).map { _ in voucher() }
      let isGood = others.allSatisfy(Vouchers.isGood)
      let place: Comment = "step \(step), seed \(7100 + number)"
      for one in others { #expect(try context.faults(of: one).isEmpty == Vouchers.isGood(one), place) }
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        others.forEach(context.insert)
        do {
          try context.save()
          #expect(isGood, place)
        } catch {
          #expect(!isGood, place)
          context.rollback()
        }
        if isGood { stored += others.count }
      case 1:
        do {
          try context.insert(batch: others)
          #expect(isGood, place)
        } catch { #expect(!isGood, place) }
        if isGood { stored += others.count }
      case 2:
        var importer = try container.importer(for: Voucher.self)
        importer.options.badRecords = .skip(upTo: 99)
        let good = others.count(where: Vouchers.isGood)
        let report = try importer.run(models: others)
        #expect(report.progress.inserted == good && report.progress.bad == others.count - good, place)
        stored += good
      case 3:
        let child = try ModelContext(parent: context)
        others.forEach(child.insert)
        do {
          try child.save()
          try context.save()
          #expect(isGood, place)
        } catch {
          #expect(!isGood && !context.hasChanges, place)
        }
        if isGood { stored += others.count }
      default:
        let (stars, title) = (Int.random(in: 0...6, using: &random), ["", "ok"].randomElement(using: &random)!)
        let isKept = (1...5).contains(stars) && !title.isEmpty
        do {
          try context.update(model: Voucher.self) { ($0.stars, $0.title) = (stars, title) }
          #expect(isKept || stored == 0, place)
        } catch { #expect(!isKept, place) }
      }
      let all = try ModelContext(container).fetch(FetchDescriptor<Voucher>())
      #expect(all.count == stored && all.allSatisfy(Vouchers.isGood), place)
    }
  }
}
