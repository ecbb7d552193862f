import RoostFile
@testable import RoostGraph
import RoostRecords
import SwiftData

/// Rows of models, without a store.
struct Rows {
  let entity: Entity
  let layout: Layout
  let plan: RowPlan

  init<Model: PersistentModel>(of model: Model.Type) throws {
    var entity = Entity(EntityID(1), Model._$type.name)
    for field in try Model._$type.neededFields() {
      try entity.add(field.name, field.type, isOptional: field.isOptional)
    }
    for property in Model._$type.properties {
      if case .toOne = property.storage { try entity.add(property.name, .reference(EntityID(1)), isOptional: true) }
    }
    try entity.settle()
    self.entity = entity
    layout = Layout(version: 0, entity.layouts[entity.layouts.count - 1])
    plan = try RowPlan(Model._$type, entity, layout: layout)
  }

  /// Returns the object's row.
  func encode(_ object: some PersistentModel) throws -> [UInt8] {
    var sink = _RowSink(plan)
    sink.clear()
    object._$encode(into: &sink)
    return try finish(&sink)
  }

  func finish(_ sink: inout _RowSink) throws -> [UInt8] {
    if let failure = sink.failure { throw failure }
    let count = sink.builder.byteCount
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { bytes.deallocate() }
    try sink.builder.write(to: bytes.baseAddress!)
    return [UInt8](bytes)
  }

  /// Makes an object for a row.
  func decode<Model: PersistentModel>(_ model: Model.Type, _ row: [UInt8]) throws -> Model {
    let object = Model(_$state: _ModelState(row: 1, origin: Nowhere()))
    try row.withUnsafeBytes { bytes in
      guard layout.admits(bytes) else { throw RecordFault(.wrongType, "the layout does not admit the row") }
      var source = _RowSource(bytes.baseAddress!, plan)
      object._$decode(from: &source)
      if let failure = source.failure { throw failure }
    }
    object._$state.flags.remove(.fault)
    return object
  }

  /// Makes an object from the object's row.
  func again<Model: PersistentModel>(_ object: Model) throws -> Model { try decode(Model.self, encode(object)) }

  func value(_ name: String, _ row: [UInt8]) throws -> Value? {
    guard let at = entity.fields.firstIndex(where: { $0.name == name }) else { throw RecordFault(.unknown, name) }
    return row.withUnsafeBytes { layout.value($0.baseAddress!, layout.slots[at]) }
  }
}

/// An origin without a store.
final class Nowhere: _Origin {
  override init() { super.init() }
  override func resolve(_ object: any _ModelObject, _ property: Int, row: UInt64) -> (any _ModelObject)? { nil }
  override func objectGoes(row: UInt64, ticket: UInt32) {}
}
