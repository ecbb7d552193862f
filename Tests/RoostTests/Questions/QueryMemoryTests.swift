import Foundation
import SwiftData
import Testing

/// The memory limit of selections, joins and groups.
@Suite struct QueryMemoryTests {
  private func filled(_ bytes: Int?, count: Int = 1000) throws -> ModelContext {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.queryBytes = bytes
    let context = ModelContext(
      try ModelContainer(for: Label.self, Disc.self, Cut.self, configurations: configuration))
    for number in 0..<count { context.insert(Disc("title \(number)", number: number)) }
    try context.save()
    return ModelContext(context.container)
  }

  private func refusals(_ context: ModelContext) -> [String: String] {
    let order = [SortDescriptor(\Disc.number)]
    let calls: [(String, () throws -> Int)] = [
      ("groups", { try context.aggregate(Disc.self, .count, .sum(\.number), by: \.title).count }),
      ("computed groups", { try context.aggregate(Disc.self, .count, by: \.shout).count }),
      ("distinct", { try context.aggregate(Disc.self, .countDistinct(\.key)) }),
      ("select", { try context.select(Disc.self, \.title, \.number, \.length, \.price).count }),
      ("window", { try context.select(Disc.self, \.number, over: .rank(per: \.title), sortBy: order).count }),
      (
        "join",
        {
          try context.select(
            Disc.self, \.number, joining: .inner(Disc.self, on: .equal(\.key, \.key), select: \.number)
          ).count
        }
      ),
    ]
    var found: [String: String] = [:]
    for (name, call) in calls {
      do { found[name] = "\(try call())" } catch let error as RoostError {
        found[name] = error.code == .tooLarge ? error.description : "another error: \(error)"
      } catch { found[name] = "another error: \(error)" }
    }
    return found
  }

  @Test func `a call that needs too much memory is refused with a remedy`() throws {
    let context = try filled(1 << 16)
    let found = refusals(context)
    for (name, text) in found {
      #expect(text.hasPrefix("tooLarge: Disc: ") && text.contains("more than 65536 bytes"), "\(name): \(text)")
      #expect(text.contains("queryBytes") && text.contains("predicate"), "\(name)")
    }
    #expect(found["groups"]?.contains("the groups") == true && found["select"]?.contains("the selected rows") == true)
    // Each call begins anew, and fewer rows fit.
    for _ in 0..<10 {
      #expect(try context.select(Disc.self, \.title, limit: 500).count == 500)
      #expect(try context.aggregate(Disc.self, where: #Predicate { $0.number < 50 }, .count, by: \.title).count == 50)
    }
    #expect(try context.aggregate(Disc.self, .sum(\.number)) == 499_500)
    #expect(try context.aggregate(Disc.self, .count, by: \.isNew).first?.values == 1000)
  }

  @Test func `pairs of a join are counted too`() throws {
    let context = try filled(1 << 20)
    let error = #expect(throws: RoostError.self) {
      try context.select(Disc.self, \.number, joining: .inner(Disc.self, on: .all, select: \.number))
    }
    #expect(error?.code == .tooLarge && error?.reference == "E0519")
    #expect(error?.description.contains("the joined rows") == true)
  }

  @Test(arguments: [nil, 64 << 20]) func `a call within the limit works`(bytes: Int?) throws {
    let found = refusals(try filled(bytes))
    #expect(found.values.allSatisfy { $0 == "1000" }, "\(found)")
  }

  @Test func `a limit of zero is refused`() throws {
    let error = #expect(throws: SwiftDataError.self) { try filled(1 << 10, count: 0) }
    #expect("\(String(describing: error))".contains("queryBytes of 1024 is too small"))
  }
}
