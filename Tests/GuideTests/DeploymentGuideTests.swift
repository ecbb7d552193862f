import Foundation
import SwiftData
import Testing

@Model final class Invoice {
  var number: Int

  init(_ number: Int) { self.number = number }
}

@Suite struct DeploymentGuideTests {
  @Test func `a store is in the folder of the environment, and can be stopped`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: place) }
    struct ProcessInfo {
      var environment: [String: String]
      nonisolated(unsafe) static var processInfo = ProcessInfo(environment: [:])
    }
    ProcessInfo.processInfo.environment["DATA"] = place.path()

    let folder = ProcessInfo.processInfo.environment["DATA"] ?? "/data"
    let configuration = ModelConfiguration(url: URL(filePath: folder).appending(path: "shop.roost"))
    let container = try ModelContainer(for: Invoice.self, configurations: configuration)

    let context = ModelContext(container)
    context.insert(Invoice(1))
    func stop(_ context: ModelContext) throws {
      if context.hasChanges { try context.save() }
      try context.container.close()
    }
    try stop(context)
    var patient = configuration
    patient.lockTimeout = .seconds(30)
    #expect(FileManager.default.fileExists(atPath: place.appending(path: "shop.roost").path()))
    let again = try ModelContainer(for: Invoice.self, configurations: patient)
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<Invoice>()) == 1)
  }

  @Test func `the memory of a store can be limited`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)").path()
    defer { try? FileManager.default.removeItem(atPath: folder) }

    var small = ModelConfiguration(url: URL(filePath: folder).appending(path: "shop.roost"))
    small.cacheBytes = 32 << 20

    let context = ModelContext(try ModelContainer(for: Invoice.self, configurations: small))
    context.insert(Invoice(2))
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Invoice>()).map(\.number) == [2])
  }
}
