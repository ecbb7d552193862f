import Foundation
import RoostFile
import RoostTestSupport
import SwiftData
import Testing

@Model final class Consignment {
  @Attribute(.unique) var number: Int
  var label: String

  init(_ number: Int, _ label: String = "") {
    self.number = number
    self.label = label
  }
}

/// Devices that fail on demand, for users' tests.
@Suite struct StoreFaultsTests {
  private let folder: ScratchFolder
  private let faults = StoreFaults()

  init() throws { folder = try ScratchFolder() }

  private func container(_ name: String = "a.roost", faults: StoreFaults?) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: URL(filePath: folder.file(name)))
    configuration.faults = faults
    return try ModelContainer(for: Consignment.self, configurations: configuration)
  }

  private static func cause(_ error: (any Error)?) -> StoreError.Code? {
    ((error as? RoostError)?.underlyingError as? StoreError)?.code
  }

  private func stored(_ name: String = "a.roost") throws -> [Int] {
    try ModelContext(container(name, faults: nil)).fetch(
      FetchDescriptor<Consignment>(sortBy: [SortDescriptor(\.number)])
    )
    .map(\.number)
  }

  @Test func `a full disk refuses a save, which succeeds when there is room`() throws {
    do {
      let context = ModelContext(try container(faults: faults))
      context.insert(Consignment(1))
      try context.save()
      faults.fail(.diskFull)
      context.insert(Consignment(2))
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(Self.cause(error) == .diskFull && faults.refusals > 0)
      #expect(context.hasChanges)
      #expect(try context.fetchCount(FetchDescriptor<Consignment>()) == 2)
      faults.heal()
      try context.save()
      #expect(!context.hasChanges)
    }
    #expect(try stored() == [1, 2])
  }

  @Test func `a failed sync leaves a save in doubt, and stops writes until the store is reopened`() throws {
    do {
      let context = ModelContext(try container(faults: faults))
      context.insert(Consignment(1))
      try context.save()
      faults.fail(.syncing)
      context.insert(Consignment(2))
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(Self.cause(error) == .commitUncertain)
      faults.heal()
      let again = #expect(throws: RoostError.self) { try context.save() }
      #expect(Self.cause(again) == .poisoned)
    }
    let found = try stored()
    #expect(found == [1] || found == [1, 2])
  }

  @Test func `a failed read is an error, and succeeds later`() throws {
    do {
      let context = ModelContext(try container(faults: nil))
      for number in 0..<1000 { context.insert(Consignment(number, String(repeating: "x", count: 200))) }
      try context.save()
    }
    let context = ModelContext(try container(faults: faults))
    faults.fail(.reading)
    let error = #expect(throws: RoostError.self) { try context.fetch(FetchDescriptor<Consignment>()) }
    #expect(Self.cause(error) == .ioError)
    faults.heal()
    #expect(try context.fetch(FetchDescriptor<Consignment>()).count == 1000)
  }

  @Test(arguments: StoreFaults.Kind.allCases) func `a failure at any call stores all of a save or nothing`(
    kind: StoreFaults.Kind
  ) throws {
    var failed = 0
    for count in 0..<12 {
      let name = "\(count).roost"
      let faults = StoreFaults()
      var isSaved = false
      do {
        let context = ModelContext(try container(name, faults: faults))
        for number in 0..<3 { context.insert(Consignment(number)) }
        try context.save()
        faults.fail(kind, after: count)
        for number in 3..<300 { context.insert(Consignment(number, String(repeating: "y", count: 500))) }
        do {
          try context.save()
          isSaved = true
        } catch { failed += 1 }
        faults.heal()
      }
      let found = try stored(name)
      #expect(found == Array(0..<300) || (!isSaved && found == Array(0..<3)), "\(kind) behind \(count) calls")
    }
    // A save reads nothing that it has in memory.
    #expect(failed > 0 || kind == .reading)
  }

  @Test func `without a device, or with the store open without faults, they are refused`() throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.faults = faults
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Consignment.self, configurations: configuration)
    }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.description.contains("give the configuration with faults a url") == true)

    let first = try container(faults: nil)
    #expect(throws: SwiftDataError.self) { try container(faults: faults) }
    withExtendedLifetime(first) {}
  }

  @Test func `a second container of the store has the same faults`() throws {
    let first = try container(faults: faults)
    let second = ModelContext(try container(faults: nil))
    #expect(throws: Never.self) { try container(faults: faults) }
    faults.fail(.writing)
    second.insert(Consignment(1))
    #expect(throws: RoostError.self) { try second.save() }
    faults.heal()
    withExtendedLifetime(first) {}
  }

  @Test func `negative counts mean none, and faults are distinguished`() {
    let faults = StoreFaults()
    faults.fail(.writing, after: .min)
    #expect(faults == faults && faults != self.faults && Set([faults, self.faults]).count == 2)
    #expect(faults.refusals == 0)
  }
}
