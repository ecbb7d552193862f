package import RoostRecords

/// Fills objects that have no values. A getter cannot throw, so it returns nil, zero, an empty
/// value, or the first case.
extension ObjectTable {
  /// An object without a row that is marked as deleted.
  ///
  /// - Parameters:
  ///   - map: the map of its class.
  ///   - row: the number of the row that it had; nil if it had none.
  ///   - isEmpty: whether it gets empty values now; otherwise the caller gives it values.
  package func deadObject(_ map: EntityMap, _ row: RowID?, isEmpty: Bool = true) -> any _ModelObject {
    let object = map.type.makeFault(row: row?.number ?? ObjectName.noRow, origin: origin(map))
    // No entry of the identity map has this ticket, so its end removes no entry.
    object._$state.ticket = .max
    object.markGone()
    if isEmpty { fillEmpty(object, map) }
    return object
  }

  /// Gives an object the values that it lacks: declared defaults, else nil, zero or empty values.
  func fillEmpty(_ object: any _ModelObject, _ map: EntityMap) {
    object._$state.flags.remove(.fault)
    var missing: UInt64 = 0
    for (number, property) in map.type.properties.enumerated() {
      guard case .value = property.storage else { continue }
      if property.isByHand {
        if object._$box?.value(property.keyPath) == nil { missing |= _ModelState.bit(number) }
      } else if !object._$isFilled(number), !object._$fill(number, orEmpty: true) {
        missing |= _ModelState.bit(number)
      }
    }
    if missing != 0 { fillWithAnything(object, map, wanted: missing) }
  }

  /// Gives an object's properties any values that their coders accept.
  func fillWithAnything(_ object: any _ModelObject, _ map: EntityMap, wanted: UInt64) {
    let plan = map.newest
    var sink = _RowSink(plan)
    sink.clear()
    for (number, property) in map.type.properties.enumerated() where wanted & _ModelState.bit(number) != 0 {
      if case .value = property.storage { plan.coder(number).putAny(into: &sink, at: number) }
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(sink.builder.byteCount, 8), alignment: 8)
    defer { memory.deallocate() }
    guard (try? sink.builder.write(to: memory)) != nil else { return }
    var source = _RowSource(memory, plan)
    object._$decode(only: wanted, from: &source)
  }
}
