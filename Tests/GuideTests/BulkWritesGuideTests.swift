import Foundation
import SwiftData
import Testing

@Model final class Sensor {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Sample.sensor) var samples: [Sample] = []

  init(_ name: String) { self.name = name }
}

@Model final class Sample {
  var value: Double
  var isValid = true
  var note: String?
  var sensor: Sensor?

  init(_ value: Double, sensor: Sensor? = nil) {
    self.value = value
    self.sensor = sensor
  }
}

@Suite struct BulkWritesGuideTests {
  private struct BadLine: Error { let text: String }

  private let context: ModelContext
  private let sensor = Sensor("s")

  init() throws {
    context = ModelContext(
      try ModelContainer(for: Sensor.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(sensor)
    try context.save()
  }

  private func count(_ predicate: Predicate<Sample>? = nil) throws -> Int {
    try ModelContext(context.container).fetchCount(FetchDescriptor(predicate: predicate))
  }

  @Test func `many are inserted, changed and deleted`() throws {
    try context.insert(batch: (0..<10_000).lazy.map { Sample(Double($0), sensor: sensor) })
    #expect(sensor.samples.count == 10_000)

    let changed = try context.update(model: Sample.self, where: #Predicate { $0.value > 9_000 }) {
      $0.isValid = false
      $0.note = "above \($0.sensor?.name ?? "?")'s range"
    }
    #expect(try changed.count == 999 && count(#Predicate { $0.note == "above s's range" }) == 999)

    try context.deleteAll(model: Sample.self, where: #Predicate { !$0.isValid })
    #expect(try count() == 9_001 && sensor.samples.count == 9_001)
  }

  @Test(arguments: ["1\n2\n3", "1\nx\n3"]) func `values are read`(text: String) throws {
    func read() throws {
      let lines = text.split(separator: "\n")
      try context.insert(batch: lines) { line in
        guard let value = Double(line) else { throw BadLine(text: String(line)) }
        return Sample(value, sensor: sensor)
      }
    }
    if text.contains("x") {
      let error = #expect(throws: BadLine.self) { try read() }
      #expect(try error?.text == "x" && count() == 0)
    } else {
      try read()
      #expect(try count() == 3)
    }
  }

  @Test func `unsaved changes are saved first`() throws {
    let sample = Sample(1)
    context.insert(sample)
    try context.save()

    sample.value = 9_999
    do {
      try context.update(model: Sample.self, where: #Predicate { $0.value > 9_000 }) { $0.isValid = false }
    } catch let error as RoostError where error.code == .pendingChanges {
      try context.save()
      try context.update(model: Sample.self, where: #Predicate { $0.value > 9_000 }) { $0.isValid = false }
    }
    #expect(!sample.isValid && !context.hasChanges)
  }
}
