package import RoostRecords

/// The places of a model's values in the rows of one layout of its entity.
///
/// Unchecked, because it does not change after it was made.
package final class RowPlan: @unchecked Sendable {
  package let entityName: String
  package let layout: Layout
  /// By node: the properties by number, then parts.
  package let places: UnsafeMutablePointer<_Place>
  package let count: Int
  package let names: [String]
  /// The coders of values; nil for relationships.
  package let coders: [AnyCoder?]
  /// Values of fields that the layout lacks.
  package let initial: InitialRow
  /// How a row tells the class of its object; nil if all objects are of one class.
  package let mark: Mark?
  /// The bits of properties whose values are made at their first read: see ``KeptRow``. Only the
  /// first 63 can be lazy, because the later ones share a bit.
  package let lazy: UInt64
  private let slots: [Int: RoostRecords.Slot]
  private let keyPaths: [AnyKeyPath?]

  /// The position in a row of the class number, and the number.
  package typealias Mark = (position: Int, number: UInt32)

  /// A plan for rows of `layout`, which must be one of the entity's. Throws if the entity lacks the
  /// field of a value.
  ///
  /// - Parameters:
  ///   - name: the class's name, for errors.
  ///   - properties: the class's properties by number.
  ///   - entity: the entity.
  ///   - layout: the layout of the rows.
  ///   - mark: how rows tell the class of their object; nil if all are of one class.
  ///   - initial: the values of fields that rows of older layouts lack; nil for the entity's newest
  ///     layout, for which they are made from the fields.
  package init(
    _ name: String, _ properties: [Node], entity: Entity, layout: Layout, mark: Mark?, initial: InitialRow?
  ) throws(RecordFault) {
    var nodes = properties
    var next = 0
    while next < nodes.count {
      if let coder = nodes[next].coder, !coder.parts.isEmpty {
        nodes[next].parts = nodes.count
        for part in coder.parts { nodes.append(Node(part, of: nodes[next])) }
      }
      next += 1
    }
    var places: [_Place] = []
    var slots: [Int: RoostRecords.Slot] = [:]
    for (number, node) in nodes.enumerated() {
      var place = _Place()
      if node.coder?.field != nil || node.isReference {
        if let field = entity.field(node.field), node.isMet(by: field) {
          if let at = layout.members.firstIndex(where: { $0.id == field.id }) {
            place = _Place(layout.slots[at], field.id, in: layout)
            place.isNeeded = node.isNeeded
            slots[number] = layout.slots[at]
          } else {
            place.kind = .initial
          }
        } else if !node.isReference {
          throw RecordFault(
            .unknown, "the store has no such field, or one of another type", entity: name, field: node.name)
        }
      }
      place.parts = UInt32(node.parts)
      places.append(place)
    }
    if let initial {
      self.initial = initial
    } else {
      self.initial = try InitialRow(entity, nodes.map(\.field), layout: layout, slots: slots)
    }
    self.mark = mark
    func hasVariable(_ node: Int) -> Bool {
      if places[node].kind == .variable { return true }
      guard let parts = nodes[node].coder?.parts, !parts.isEmpty else { return false }
      return (nodes[node].parts..<nodes[node].parts + parts.count).contains(where: hasVariable)
    }
    lazy = properties.indices.prefix(63).reduce(0) { bits, property in
      !nodes[property].isByHand && hasVariable(property) ? bits | 1 << UInt64(property) : bits
    }
    self.places = .allocate(capacity: max(places.count, 1))
    self.places.initialize(from: places, count: places.count)
    count = nodes.count
    entityName = name
    self.layout = layout
    names = nodes.map(\.name)
    coders = nodes.map(\.coder)
    keyPaths = properties.map(\.keyPath)
    self.slots = slots
  }

  deinit { places.deallocate() }

  /// The coder of a node that holds a value.
  package func coder(_ node: Int) -> AnyCoder {
    guard let coder = coders[node] else { preconditionFailure("\(entityName).\(names[node]) is no value") }
    return coder
  }

  /// The key path of a property whose value is in the object's box.
  package func keyPath(_ property: Int) -> AnyKeyPath {
    guard let keyPath = keyPaths[property] else {
      preconditionFailure("\(entityName).\(names[property]) has no key path")
    }
    return keyPath
  }

  /// The slot of a node that has a field.
  package func slot(_ node: Int) -> RoostRecords.Slot {
    guard let slot = slots[node] else { preconditionFailure("\(entityName).\(names[node]) has no field of its own") }
    return slot
  }

  /// A property of the class, or a part of a struct.
  package struct Node {
    fileprivate var name: String
    fileprivate var field: String
    fileprivate var keyPath: AnyKeyPath?
    /// Whether rows of other classes have no value there.
    fileprivate var isAdded: Bool
    fileprivate var coder: AnyCoder?
    fileprivate var isReference = false
    fileprivate var isOptionalReference = true
    /// Whether the user wrote the accessors, so that the value is in the object's box.
    package var isByHand = false
    fileprivate var parts = 0

    /// A value, or without a coder a property that is not stored.
    package init(_ name: String, _ keyPath: AnyKeyPath, field: String, isAdded: Bool, coder: AnyCoder?) {
      self.name = name
      self.keyPath = keyPath
      self.field = field
      self.isAdded = isAdded
      self.coder = coder
    }

    /// A reference.
    package init(_ name: String, _ keyPath: AnyKeyPath, field: String, isAdded: Bool, isOptionalReference: Bool) {
      self.init(name, keyPath, field: field, isAdded: isAdded, coder: nil)
      isReference = true
      self.isOptionalReference = isOptionalReference
    }

    fileprivate init(_ part: AnyCoder.Part, of whole: Node) {
      name = whole.name + "." + part.name
      field = whole.field + "." + part.name
      isAdded = whole.isAdded
      coder = part.coder
    }

    fileprivate var isNeeded: Bool {
      isReference ? !isOptionalReference : isAdded && coder?.field?.isOptional == false
    }

    fileprivate func isMet(by field: Field) -> Bool {
      if let wanted = coder?.field {
        // In a store opened for reading, the field may be optional although the property is not;
        // then no row stores nil.
        return field.type == wanted.type
      }
      if case .reference = field.type { return isReference }
      return false
    }
  }
}

/// A row with the values of fields that older rows lack, by the plan's nodes.
package final class InitialRow: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  private let layout: Layout
  private let slots: [Int: RoostRecords.Slot]

  fileprivate init(
    _ entity: Entity, _ names: [String], layout: Layout, slots: [Int: RoostRecords.Slot]
  ) throws(RecordFault) {
    self.layout = layout
    self.slots = slots
    var builder = RowBuilder(layout)
    for (node, slot) in slots {
      guard let initial = entity.field(names[node])?.initial else { continue }
      try builder.set(slot, initial)
    }
    memory = .allocate(byteCount: builder.byteCount, alignment: 8)
    try builder.write(to: memory)
  }

  deinit { memory.deallocate() }

  func isNull(_ node: Int) -> Bool { slots[node].map { layout.isNull(memory, $0) } ?? true }

  func fixed(_ node: Int) -> UnsafeRawPointer {
    guard let slot = slots[node], !slot.isVariable else { return Self.zeros }
    return UnsafeRawPointer(memory + slot.position)
  }

  func bytes(_ node: Int) -> UnsafeRawBufferPointer {
    guard let slot = slots[node], slot.isVariable else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return layout.bytes(memory, slot).bytes
  }

  /// As many as the widest field has.
  // Unsafe, because it is never written.
  private nonisolated(unsafe) static let zeros: UnsafeRawPointer = {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 32)
    return UnsafeRawPointer(memory)
  }()
}
