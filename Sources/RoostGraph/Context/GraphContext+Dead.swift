package import RoostRecords

/// Objects without values of their own: a getter cannot throw, so it returns nil, zero, empty, or the first case.
extension GraphContext {
  /// An object that stands for no row, and says that it is deleted.
  package func deadObject(_ map: EntityMap, _ row: RowID) -> any _ModelObject {
    let object = map.type.makeFault(row: row.number, origin: origin(map))
    // No entry of the identity map has this ticket, so its end disturbs nobody.
    object._$state.ticket = .max
    object.markGone()
    fillWithAnything(object, map)
    return object
  }

  /// Gives a fault values that its types accept.
  func fillWithAnything(_ object: any _ModelObject, _ map: EntityMap) {
    let plan = map.newest
    var sink = _RowSink(plan)
    sink.clear()
    for (number, property) in map.type.properties.enumerated() {
      if case .value = property.storage { plan.coder(number).putAny(into: &sink, at: number) }
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(sink.builder.byteCount, 8), alignment: 8)
    defer { memory.deallocate() }
    guard (try? sink.builder.write(to: memory)) != nil else { return }
    var source = _RowSource(memory, plan)
    object._$decode(from: &source)
    object._$state.flags.remove(.fault)
  }
}
