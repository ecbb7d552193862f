package import RoostRecords

/// The plans of a class's rows.
extension RowPlan {
  /// A plan for rows of `layout`, which must be one of the entity's. Throws if the entity lacks the
  /// field of a value.
  ///
  /// - Parameters:
  ///   - type: the class.
  ///   - entity: the entity.
  ///   - layout: the layout of the rows.
  ///   - classNumber: the class number that rows store; nil if all are of one class.
  ///   - initial: the values of fields that rows of older layouts lack; nil for the entity's newest
  ///     layout, for which they are made from the fields.
  package convenience init(
    _ type: _ModelType, _ entity: Entity, layout: Layout, classNumber: UInt32? = nil, initial: InitialRow? = nil
  ) throws(RecordFault) {
    let mark = classNumber.flatMap { number in Family.position(entity, layout).map { ($0, number.littleEndian) } }
    try self.init(type.name, Self.nodes(type), entity: entity, layout: layout, mark: mark, initial: initial)
  }

  /// Plans for rows of all layouts of an entity, by version.
  static func all(
    _ type: _ModelType, _ entity: Entity, layouts: [Layout], classNumber: UInt32?
  ) throws(RecordFault) -> [RowPlan] {
    guard let last = layouts.last else { return [] }
    let newest = try RowPlan(type, entity, layout: last, classNumber: classNumber)
    var plans: [RowPlan] = []
    for layout in layouts.dropLast() {
      plans.append(try RowPlan(type, entity, layout: layout, initial: newest.initial))
    }
    return plans + [newest]
  }

  private static func nodes(_ type: _ModelType) throws(RecordFault) -> [Node] {
    var nodes: [Node] = []
    for (number, property) in type.properties.enumerated() {
      let (field, isAdded) = (type.fieldName(number), type.isAdded(number))
      switch property.storage {
      case .value(let coder):
        var node = Node(property.name, property.keyPath, field: field, isAdded: isAdded, coder: try coder.coder())
        node.isByHand = property.isByHand
        nodes.append(node)
      case .toOne(let link):
        nodes.append(
          Node(
            property.name, property.keyPath, field: field, isAdded: isAdded, isOptionalReference: link.isOptional))
      case .toMany, .none:
        nodes.append(Node(property.name, property.keyPath, field: field, isAdded: isAdded, coder: nil))
      }
    }
    return nodes
  }
}
