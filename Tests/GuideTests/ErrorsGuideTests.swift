import Foundation
import SwiftData
import Testing

@Model final class Locker {
  @Attribute(.unique) var number: Int

  init(_ number: Int) { self.number = number }
}

@Suite struct ErrorsGuideTests {
  private func page() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "Sources/Roost/Roost.docc/Errors.md"), encoding: .utf8)
  }

  @Test func `every code has a line`() throws {
    let lines = try page().split(separator: "\n").filter { $0.hasPrefix("| E") }
    func isNamed(_ name: String, _ number: String) -> Bool {
      lines.contains { $0.contains("`\(name)`") && $0.contains(number) }
    }
    for code in RoostError.Code.allCases { #expect(isNamed(code.rawValue, code.reference), "\(code)") }
    for code in StoreError.Code.allCases { #expect(isNamed(code.rawValue, code.reference), "\(code)") }
  }

  @Test func `errors are caught as the page says`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var told: [String] = []
    func retryLater() { told.append("later") }
    func show(_ model: PersistentIdentifier?, _ property: String?, _ detail: String) { told.append(property ?? detail) }
    func log(_ text: String) { told.append("log") }

    let faults = StoreFaults()
    var configuration = ModelConfiguration(url: folder.appending(path: "a.roost"))
    configuration.faults = faults
    let context = ModelContext(try ModelContainer(for: Locker.self, configurations: configuration))
    func save() {
      do {
        try context.save()
      } catch let error as RoostError where error.code == .store && error.storeError?.code == .diskFull {
        retryLater()
      } catch let error as RoostError {
        for fault in error.faults { show(fault.model, fault.property, fault.detail) }
      } catch {
        log("\(error)")
      }
    }
    let (one, two) = (Locker(1), Locker(2))
    context.insert(one)
    context.insert(two)
    faults.fail(.diskFull)
    save()
    faults.heal()
    save()
    #expect(told == ["later"])

    two.number = 1
    save()
    #expect(told == ["later", "number"])
    do {
      try context.save()
    } catch SwiftDataError.modelValidationFailure {
      context.rollback()
    }
    #expect(two.number == 2)
  }
}
