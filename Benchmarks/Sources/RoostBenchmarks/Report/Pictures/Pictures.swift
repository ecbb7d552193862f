import Foundation

/// The pictures of one suite, each in a file. It is an error if a picture of chosen operations
/// would be empty.
struct Pictures {
  private let suite: any Suite
  private let measurements: [Measurement]
  private let plan: Plan
  private let engines: [String]
  private let operations: [Operation]

  init(_ suite: any Suite, _ measurements: [Measurement], _ plan: Plan) {
    self.suite = suite
    self.measurements = measurements
    self.plan = plan
    engines = suite.engines.map(\.name).filter { name in
      plan.wantsEngine(name) && measurements.contains { $0.engine == name }
    }
    operations = suite.operations.filter { plan.wantsOperation($0.name) }
  }

  /// Writes `ratios-…`, `growth-…` and `memory-…` into a folder. Nothing is written if any of them
  /// fails.
  func write(to folder: String) throws {
    var documents = try ratios().merging(memory()) { $1 }
    if plan.sizes.count > 1 { documents.merge(try growth()) { $1 } }
    guard !documents.isEmpty else { throw Misuse("the suite \(suite.name) has no picture of these operations") }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in documents {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(suite.name)-\(name).svg"))
    }
  }

  private func result(_ operation: Operation, _ engine: String, _ size: Int) -> Double? {
    measurements.first { $0.operation == operation.name && $0.engine == engine && $0.size == size }?.result
  }

  /// Another file of results may have the operation at one size only.
  private func measuredSizes(_ operation: Operation) -> Set<Int> {
    Set(measurements.filter { $0.operation == operation.name && $0.result != nil }.map(\.size))
  }

  /// The sizes of an operation.
  private func sizes(_ operation: Operation) -> [Int] {
    operation.fixedSize.map { [$0] } ?? plan.sizes.filter(operation.isDone)
  }

  private func ratios() throws -> [String: String] {
    var documents: [String: String] = [:]
    for size in plan.sizes {
      documents["ratios-\(size)"] = try ratios(
        "\(Figures.grouped(size)) entries", operations.filter { $0.isDone(at: size) }
      ) { _ in size }
    }
    documents["ratios-fixed"] = try ratios(
      "fixed numbers of entries", operations.filter { $0.fixedSize != nil }
    ) { $0.fixedSize! }
    return documents
  }

  /// Nil if no chosen operation has a ratio.
  private func ratios(
    _ words: String, _ operations: [Operation], _ size: @escaping (Operation) -> Int
  ) throws(Misuse) -> String? {
    let compared = operations.filter { suite.takesPart(RatioPicture.base, in: $0.name) }
    if compared.isEmpty { return nil }
    return try RatioPicture(
      title: "Suite \(suite.name): \(words)", operations: compared, engines: engines
    ) { result($0, $1, size($0)) }.document()
  }

  private func growth() throws -> [String: String] {
    var documents: [String: String] = [:]
    for group in OperationGroup.allCases where !group.isMemory {
      let grown = operations.filter { $0.group == group && measuredSizes($0).count > 1 }
      if grown.isEmpty { continue }
      documents["growth-\(group.rawValue)"] = try GrowthPicture(
        title: "Suite \(suite.name): growth, \(group.rawValue)", operations: grown, engines: engines, sizes: plan.sizes,
        result: result
      ).document()
    }
    return documents
  }

  private func memory() throws -> [String: String] {
    let measured = operations.filter(\.group.isMemory)
    if measured.isEmpty { return [:] }
    return [
      "memory": try MemoryPicture(
        title: "Suite \(suite.name): memory and size", operations: measured, engines: engines, sizes: sizes,
        result: result
      ).document()
    ]
  }
}
