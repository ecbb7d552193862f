#if DEBUG
  internal import RoostRecords
  internal import Synchronization

  /// In debug builds the first saved object of a class is read back from its row and compared. A
  /// type may encode less than it decodes, or decode other values than it encoded. Without this
  /// check the error would appear only when the program starts again.
  extension Saver {
    func readBack(_ object: any _ModelObject, _ map: EntityMap, box: SinkBox) -> [GraphFault] {
      let type = map.type
      if type.isReadBack.load(ordering: .relaxed) { return [] }
      let memory = UnsafeMutableRawPointer.allocate(byteCount: max(box.sink.builder.byteCount, 8), alignment: 8)
      defer { memory.deallocate() }
      // A row that does not fit is not compared; the next object will be.
      guard (try? box.sink.builder.write(to: memory)) != nil else { return [] }
      var comparison = Comparison(memory: memory, plan: box.sink.plan)
      object._$visit(&comparison)
      if comparison.differences.isEmpty { type.isReadBack.store(true, ordering: .relaxed) }
      return comparison.differences.map { difference in
        GraphFault(
          .badValue,
          "its value is \(difference.was), but decoding the stored value gives \(difference.now): its type must encode and "
            + "decode all of its parts", name: objects.name(object), property: type.propertyName(difference.property))
      }
    }
  }

  private struct Comparison: _SlotVisitor {
    let memory: UnsafeMutableRawPointer
    let plan: RowPlan
    var differences: [(property: Int, was: String, now: String)] = []

    mutating func _visitValue<Value>(_ property: Int, _ slot: inout _Slot<Value>) {
      // Types that the engine stores itself are covered by its tests.
      guard slot._isFilled, !(Value.self is any _Storable.Type), let coder = plan.coders[property] as? Coder<Value>
      else { return }
      let was = slot._value
      var source = _RowSource(memory, plan)
      if let now = coder.take(from: &source, at: property) {
        if !Sameness.holds(was, now) { differences.append((property, text(was), text(now))) }
      } else {
        differences.append((property, text(was), source.failure.map { "an error (\($0))" } ?? "nothing"))
      }
    }

    mutating func _visit<Model>(_ property: Int, _ slot: inout _ToOne<Model>) {}
    mutating func _visit<Model>(_ property: Int, _ slot: inout _ToMany<Model>) {}

    private func text(_ value: Any) -> String { String(String(describing: value).prefix(200)) }
  }

  /// Whether two values look the same.
  enum Sameness {
    static func holds(_ one: Any, _ other: Any, depth: Int = 0) -> Bool {
      if depth > 60 { return true }
      if let one = one as? any Equatable, isEqual(one, other) { return true }
      if let one = one as? any BinaryFloatingPoint, let other = other as? any BinaryFloatingPoint {
        return isNumber(one) == isNumber(other) && !isNumber(one)
      }
      let (first, second) = (Mirror(reflecting: one), Mirror(reflecting: other))
      guard first.subjectType == second.subjectType else { return false }
      if first.displayStyle == .set { return false }
      if let one = one as? [AnyHashable: Any], let other = other as? [AnyHashable: Any] {
        return one.count == other.count
          && one.allSatisfy { key, value in other[key].map { holds(value, $0, depth: depth + 1) } ?? false }
      }
      return hold(first, second, depth: depth, leaf: String(describing: one) == String(describing: other))
    }

    private static func hold(_ one: Mirror, _ other: Mirror, depth: Int, leaf: Bool) -> Bool {
      if one.children.isEmpty, other.children.isEmpty, one.superclassMirror == nil { return leaf }
      guard one.children.count == other.children.count else { return false }
      for (first, second) in zip(one.children, other.children) {
        guard first.label == second.label, holds(first.value, second.value, depth: depth + 1) else { return false }
      }
      guard let above = one.superclassMirror, let otherAbove = other.superclassMirror else { return true }
      return hold(above, otherAbove, depth: depth, leaf: true)
    }

    private static func isEqual<Value: Equatable>(_ one: Value, _ other: Any) -> Bool {
      other as? Value == one
    }

    private static func isNumber(_ value: some BinaryFloatingPoint) -> Bool { !value.isNaN }
  }
#endif
