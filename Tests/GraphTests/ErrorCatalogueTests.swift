import RoostFile
import RoostGraph
import RoostQuery
import RoostRecords
import Testing

@testable import Roost

/// Each kind of error has a number in the table.
@Suite struct ErrorCatalogueTests {
  private func kinds() -> [(ErrorEntry.Family, String)] {
    var kinds: [(ErrorEntry.Family, String)] = []
    kinds += StoreError.Code.allCases.map { (.store, $0.rawValue) }
    kinds += RecordFault.Code.allCases.map { (.rows, $0.rawValue) }
    kinds += ConditionFault.Code.allCases.map { (.conditions, $0.rawValue) }
    kinds += GraphFault.Code.allCases.map { (.objects, $0.rawValue) }
    kinds += RoostError.Code.allCases.map { (.door, $0.rawValue) }
    kinds += SwiftDataError.Kind.allCases.map { (.swiftData, $0.rawValue) }
    return kinds
  }

  @Test func `each kind has a number, and each number a kind`() {
    var known: Set<String> = []
    for (family, name) in kinds() {
      let entry = ErrorCatalogue.entry(family, name)
      #expect(entry != nil, "\(family) \(name) has no number: add it to the end of its family")
      if let entry { known.insert(entry.number) }
    }
    let others = ErrorCatalogue.all.filter { $0.family != .transfer && $0.family != .tool }
    #expect(known == Set(others.map(\.number)))
  }

  @Test func `numbers and names are unique, and messages are complete sentences`() {
    let all = ErrorCatalogue.all
    #expect(Set(all.map(\.number)).count == all.count)
    for entry in all {
      #expect(entry.number.count == 5 && ErrorCatalogue.entry(written: entry.number) == entry)
      for text in [entry.meaning, entry.advice] {
        #expect(
          text.hasSuffix(".") && text.first?.isLowercase == false || text.hasPrefix("`"), "\(entry.number): \(text)")
      }
    }
    for wrong in ["", "E", "E0", "0", "E00000103", "-1", "x103", "E1O3"] {
      #expect(ErrorCatalogue.entry(written: wrong) == nil, "\(wrong)")
    }
  }

  /// Scripts and letters to users contain them.
  @Test func `assigned numbers do not change`() {
    for (number, name) in [
      ("E0101", "notAStore"), ("E0103", "damaged"), ("E0110", "notFound"), ("E0111", "locked"), ("E0127", "busy"),
      ("E0204", "notUnique"), ("E0301", "wrongType"), ("E0414", "pendingChanges"), ("E0507", "notUnique"),
      ("E0516", "store"), ("E0602", "unsupportedPredicate"), ("E0701", "encoding"), ("E0801", "question"),
    ] { #expect(ErrorCatalogue.entry(written: number)?.name == name) }
  }

  @Test func `errors contain their numbers`() {
    #expect(StoreError(.damaged, "x").reference == "E0103")
    #expect(RoostError(.notUnique, "x").reference == "E0507")
    #expect(RoostError(.store, "x", underlyingError: StoreError(.locked, "y")).reference == "E0111")
    #expect(SwiftDataError.unsupportedPredicate.reference == "E0602")
    #expect((RecordFault(.notUnique, "x") as any CataloguedError).entry?.number == "E0204")
  }
}
