import Foundation
import SwiftData
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Model final class Firm {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .deny, inverse: \Machine.firm) var machines: [Machine] = []

  init(_ name: String) { self.name = name }
}

@Model final class Machine {
  @Attribute(.unique) var code: String
  var hours = 0
  var firm: Firm?
  var service: Service?
  /// A predicate that uses it pauses in the middle of a fetch.
  var isReady: Bool { DebuggingGuide.gate?() ?? true }

  init(_ code: String) { self.code = code }
}

@Model final class Service {
  var title: String
  @Relationship(inverse: \Machine.service) var machines: [Machine] = []
  var contract: Contract

  init(_ title: String, contract: Contract) {
    self.title = title
    self.contract = contract
  }
}

@Model final class Contract {
  var number: Int
  @Relationship(inverse: \Service.contract) var services: [Service] = []

  init(_ number: Int) { self.number = number }
}

@Model final class Visitor {
  var name: String

  init(_ name: String) { self.name = name }
}

/// The models of two versions of a program.
enum DebuggingGuide {
  @TaskLocal static var gate: (@Sendable () -> Bool)?

  enum Older {
    @Model final class Meter {
      var value: Int

      init(_ value: Int) { self.value = value }
    }
  }

  enum Newer {
    @Model final class Meter {
      var value: String

      init(_ value: String) { self.value = value }
    }
  }
}

/// Causes the errors that the guide quotes.
@Suite(.timeLimit(.minutes(30))) struct DebuggingGuideTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")

  private static func page() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "Sources/Roost/Roost.docc/Debugging.md"), encoding: .utf8)
  }

  /// Returns the error's text, with the folder, threads and processes of the page.
  private func text(_ body: () throws -> Void) throws -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)".replacing(folder.path, with: "/var/lib/app")
        .replacing(/process \d+ \([^)]*\)/, with: "process 4711 (app)")
        .replacing(/thread [0-9a-f]+ was saving/, with: "thread 7f41 was saving")
        .replacing(/thread [0-9a-f]+ was fetching/, with: "thread 9c20 was fetching")
    }
  }

  private func quoted(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let text = try text(body)
    #expect(try Self.page().contains("```\n\(text)\n```"), "\(text)", sourceLocation: sourceLocation)
  }

  private func shop(_ name: String = "app.roost") throws -> ModelContainer {
    var configuration = ModelConfiguration(url: folder.appending(path: name))
    configuration.lockTimeout = .zero
    return try ModelContainer(for: Firm.self, configurations: configuration)
  }

  @Test func `errors of saves`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try shop()
    let context = ModelContext(container)
    let (firm, press, lathe) = (Firm("Hill"), Machine("P1"), Machine("L1"))
    firm.machines = [press]
    context.insert(firm)
    context.insert(lathe)
    try context.save()

    try quoted {
      context.insert(Visitor("Ann"))
      try context.save()
    }
    context.rollback()

    try quoted {
      lathe.code = "P1"
      try context.save()
    }
    context.rollback()

    let service = Service("Oil", contract: Contract(1))
    context.insert(service)
    try context.save()
    try quoted {
      service.contract.services = []
      try context.save()
    }
    context.rollback()

    try quoted {
      context.delete(firm)
      try context.save()
    }
    context.rollback()

    let other = ModelContext(container)
    let elsewhere = try #require(try other.fetch(FetchDescriptor<Machine>(sortBy: [SortDescriptor(\.code)])).first)
    try quoted {
      service.machines.append(elsewhere)
      try context.save()
    }
    context.rollback()
    if let machine: Machine = try context.existingModel(for: elsewhere.persistentModelID) {
      service.machines.append(machine)
    }
    try context.save()
    #expect(service.machines.count == 1)

    context.delete(lathe)
    try context.save()
    try quoted {
      lathe.hours = 5
      try context.save()
    }
    context.rollback()
    #expect(lathe.isDeleted && lathe.code == "L1")
  }

  @Test func `errors of threads and fetches`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = ModelContext(try shop())
    context.insert(Machine("P1"))
    try context.save()
    nonisolated(unsafe) let shared = context
    let (inside, told) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let fetching = Thread {
      DebuggingGuide.$gate.withValue({
        inside.signal()
        told.wait()
        return true
      }) {
        _ = try? shared.fetch(FetchDescriptor<Machine>(predicate: #Predicate { $0.isReady }))
      }
    }
    fetching.start()
    inside.wait()
    try quoted { try shared.save() }
    told.signal()

    let separate = ModelContext(context.container)
    try quoted {
      _ = try separate.fetch(FetchDescriptor<Machine>(predicate: #Predicate { 100 / $0.hours > 3 }))
    }
    let busy = #Predicate<Machine> { $0.hours > 0 && 100 / $0.hours > 3 }
    #expect(try separate.fetchCount(FetchDescriptor(predicate: busy)) == 0)
  }

  @Test func `errors of opening`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try shop("other.roost")
    let context = ModelContext(container)
    context.insert(Machine("P1"))
    try context.save()
    // Another process has the file and its log open.
    for end in ["", "-log"] {
      try FileManager.default.copyItem(
        at: folder.appending(path: "other.roost\(end)"), to: folder.appending(path: "app.roost\(end)"))
    }
    let descriptor = open(folder.appending(path: "app.roost").path, O_RDWR)
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    try #require(fcntl(descriptor, 37, &lock) == 0)
    try quoted { _ = try shop() }

    func meters(_ model: any PersistentModel.Type) throws -> ModelContainer {
      try ModelContainer(
        for: Schema([model]), configurations: ModelConfiguration(url: folder.appending(path: "meters.roost")))
    }
    let older = try meters(DebuggingGuide.Older.Meter.self)
    let meter = ModelContext(older)
    meter.insert(DebuggingGuide.Older.Meter(7))
    try meter.save()
    try older.close()
    try quoted { _ = try meters(DebuggingGuide.Newer.Meter.self) }

    try container.close()
    try quoted { _ = try context.fetch(FetchDescriptor<Machine>()) }
  }

  @Test func `what to print`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Firm.self, configurations: configuration)
    let context = ModelContext(container)
    var printed: [String] = []
    func print(_ item: Any) { printed.append("\(item)") }
    let machine = Machine("P1")
    context.insert(machine)
    let code = "P1"

    let descriptor = FetchDescriptor<Machine>(predicate: #Predicate { $0.code == code })
    print(machine)
    print(context.hasChanges)
    print(try context.explain(descriptor))
    #expect(printed[0].hasPrefix("Machine #1(code: \"P1\", hours: 0"))
    #expect(try Self.page().contains("```\n\(printed.joined(separator: "\n"))\n```"), "\(printed)")

    context.insert(Visitor("Ann"))
    do {
      try context.save()
    } catch let error as RoostError {
      print("\(error.reference) \(error)")
      context.rollback()
    }
    #expect(printed.count == 4 && printed[3].hasPrefix("E0501 unknownModel: Visitor: the container"))
    #expect(!context.hasChanges)
  }
}
