internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The templates of a container's predicates, by the types of their expressions.
///
/// Unchecked because the lock guards `shapes`.
final class TemplateShelf: @unchecked Sendable {
  private final class Shape {
    let type: ObjectIdentifier
    let layout: LeafLayout
    // Guarded by the shelf's lock.
    @exclusivity(unchecked) var templates: [PredicateTemplate] = []

    init(_ type: ObjectIdentifier, _ layout: LeafLayout) {
      self.type = type
      self.layout = layout
    }
  }

  private let lock = Lock()
  private var shapes: [ObjectIdentifier: Shape] = [:]
  /// The shapes of expressions that evaluate others, by the types of all of them.
  private var wholes: [[Int]: Shape] = [:]
  /// Some of the shapes, each at an index computed from its type, so that no hash is needed.
  @exclusivity(unchecked) private var recent = [Shape?](repeating: nil, count: 64)

  /// The limit of types and of templates for one type. Beyond it, the oldest templates are dropped,
  /// or all types.
  private static let mostShapes = 512
  private static let mostTemplates = 16

  /// The number of usable templates, for tests.
  var count: Int {
    lock.withLock {
      (Array(shapes.values) + wholes.values).reduce(0) { $0 + $1.templates.count { $0.isUsable } }
    }
  }

  /// Like `prepared`, but returns nil if something must be prepared first.
  func known(
    _ expression: any PredicateExpression<Bool>, _ variable: PredicateExpressions.VariableID, map: EntityMap,
    graph: GraphContext, edition: any AnyObject & Sendable
  ) -> PreparedCondition? {
    func open<Whole: PredicateExpression>(_ expression: Whole) -> PreparedCondition? {
      guard let shape = knownShape(ObjectIdentifier(Whole.self)), shape.layout.isKnown else { return nil }
      let inquiry = Inquiry(map: map, edition: edition, root: unsafeBitCast(variable, to: UInt.self))
      return withUnsafePointer(to: expression) { place in
        withBases(UnsafeRawPointer(place), Whole.self, shape: shape) { bases, shape in
          guard let finding = find(bases, shape, inquiry: inquiry), let template = finding.template, template.isUsable,
            template.isTrusted
          else { return nil }
          return PreparedCondition(
            template: template, values: template.values(finding.values, bases, layout: shape.layout, graph: graph))
        }
      }
    }
    return open(expression)
  }

  /// Returns the predicate's condition as a template with values; nil if it must be translated by
  /// itself.
  func prepared<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ map: EntityMap, graph: GraphContext
  ) throws -> PreparedCondition? {
    guard let edition = try graph.session.ground().edition else { return nil }
    func open<Whole: PredicateExpression>(_ expression: Whole) throws -> PreparedCondition? {
      let shape = withUnsafePointer(to: expression) { self.shape(of: Whole.self, at: UnsafeRawPointer($0)) }
      if !shape.layout.isKnown { return nil }
      let inquiry = Inquiry(
        map: map, edition: edition, root: unsafeBitCast(predicate.variable.key, to: UInt.self))
      return try withUnsafePointer(to: expression) { place in
        try withBases(UnsafeRawPointer(place), Whole.self, shape: shape) { bases, shape in
          try prepared(predicate, bases, shape: shape, inquiry: inquiry, graph: graph)
        }
      }
    }
    return try open(predicate.expression)
  }

  /// Calls a closure with the addresses of an expression and of those that it evaluates, and with
  /// their shape. Returns nil if they have none.
  private func withBases<Result>(
    _ expression: UnsafeRawPointer, _ type: any PredicateExpression.Type, shape: Shape,
    body: (LeafLayout.Bases, Shape) throws -> Result?
  ) rethrows -> Result? {
    if shape.layout.nested.isEmpty { return try withUnsafePointer(to: expression) { try body($0, shape) } }
    guard let tree = NestedTree(expression, type, layout: { self.shape(of: $0, at: $1).layout }) else { return nil }
    let whole = wholeShape(expression, type, of: tree)
    return whole.layout.isKnown ? try tree.withBases { try body($0, whole) } : nil
  }

  private func wholeShape(
    _ expression: UnsafeRawPointer, _ type: any PredicateExpression.Type, of tree: NestedTree
  ) -> Shape {
    if let known = lock.withLock({ wholes[tree.key] }) { return known }
    let made = Shape(ObjectIdentifier(type), LeafLayout(of: type, at: expression, isWhole: true))
    return lock.withLock {
      if let known = wholes[tree.key] { return known }
      if wholes.count >= Self.mostShapes { wholes = [:] }
      wholes[tree.key] = made
      return made
    }
  }

  /// The input of a look-up.
  private struct Inquiry {
    let map: EntityMap
    let edition: any AnyObject & Sendable
    /// The variable of the model.
    let root: UInt
  }

  private struct Finding {
    var values: [Value] = []
    var nils: UInt64 = 0
    var template: PredicateTemplate?
  }

  /// Returns nil if a value cannot be stored.
  private func find(_ bases: LeafLayout.Bases, _ shape: Shape, inquiry: Inquiry) -> Finding? {
    var finding = Finding()
    finding.values.reserveCapacity(shape.layout.values.count)
    for own in shape.layout.values {
      guard let value = own.leaf.value(in: bases[own.place.base]) else { return nil }
      if case .null = value { finding.nils |= 1 << UInt64(finding.values.count) }
      finding.values.append(value)
    }
    lock.acquire()
    let templates = shape.templates
    lock.release()
    for template in templates
    where template.fits(
      bases, shape.layout, nils: finding.nils, map: inquiry.map, root: inquiry.root, edition: inquiry.edition)
    {
      finding.template = template
      break
    }
    return finding
  }

  private func prepared<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ bases: LeafLayout.Bases, shape: Shape, inquiry: Inquiry,
    graph: GraphContext
  ) throws -> PreparedCondition? {
    guard let finding = find(bases, shape, inquiry: inquiry) else { return nil }
    if let known = finding.template {
      guard known.isUsable else { return nil }
      let prepared = PreparedCondition(
        template: known, values: known.values(finding.values, bases, layout: shape.layout, graph: graph))
      if known.isOnTrial, try !isRight(prepared, predicate, map: inquiry.map, graph: graph) {
        known.refuse()
        return nil
      }
      return prepared
    }
    let key = PredicateTemplate.Key(
      bases, shape.layout, nils: finding.nils, map: inquiry.map, root: inquiry.root, edition: inquiry.edition)
    let (made, leaves) = try make(predicate, key, layout: shape.layout, graph: graph)
    keep(made, shape)
    guard made.isUsable else { return nil }
    let prepared = PreparedCondition(
      template: made, values: made.values(finding.values, bases, layout: shape.layout, graph: graph))
    // The translation itself is right, so the values that were read from the expression's memory
    // are compared with its values. It notes no identifiers and no ranges.
    let isRead = leaves.values.allSatisfy { $1.isSame(finding.values[$0]) }
    #if !DEBUG
      if isRead, leaves.values.count == finding.values.count { return prepared }
    #endif
    if isRead, try isRight(prepared, predicate, map: inquiry.map, graph: graph) { return prepared }
    made.refuse()
    return nil
  }

  private func shape(of type: any PredicateExpression.Type, at address: UnsafeRawPointer) -> Shape {
    let key = ObjectIdentifier(type)
    if let known = knownShape(key) { return known }
    let made = Shape(key, LeafLayout(of: type, at: address))
    lock.withLock {
      if shapes.count >= Self.mostShapes {
        shapes = [:]
        recent = Array(repeating: nil, count: recent.count)
      }
      if shapes[key] == nil { shapes[key] = made }
    }
    return made
  }

  private func knownShape(_ type: ObjectIdentifier) -> Shape? {
    lock.acquire()
    defer { lock.release() }
    // Types are in memory, at least sixteen bytes apart.
    let place = (Int(bitPattern: type) >> 4) & (recent.count - 1)
    if let known = recent[place], known.type == type { return known }
    guard let known = shapes[type] else { return nil }
    recent[place] = known
    return known
  }

  private func keep(_ template: PredicateTemplate, _ shape: Shape) {
    lock.withLock {
      if shape.templates.count >= Self.mostTemplates { shape.templates.removeFirst() }
      shape.templates.append(template)
    }
  }

  private func make<Model: PersistentModel>(
    _ predicate: Predicate<Model>, _ key: PredicateTemplate.Key, layout: LeafLayout, graph: GraphContext
  ) throws -> (PredicateTemplate, TemplateLeaves) {
    let leaves = TemplateLeaves(layout)
    let translation = try Translation(predicate, key.map, graph: graph, leaves: leaves)
    guard translation.tests.isEmpty, leaves.isOpen else {
      return (PredicateTemplate(key, nil, passesThrough: []), leaves)
    }
    let made = PredicateTemplate(
      key, translation.condition, passesThrough: translation.passesThrough, rows: leaves.rows)
    return (made, leaves)
  }

  /// Whether a new translation of the predicate gives the same condition.
  private func isRight<Model: PersistentModel>(
    _ prepared: PreparedCondition, _ predicate: Predicate<Model>, map: EntityMap, graph: GraphContext
  ) throws -> Bool {
    let translation = try Translation(predicate, map, graph: graph)
    guard translation.tests.isEmpty, let condition = translation.condition else { return false }
    // NaN is not equal to itself, so conditions are compared as text too.
    let isSame = condition == prepared.condition || "\(condition)" == "\(prepared.condition)"
    assert(isSame, "a template makes \(prepared.condition) of \(condition)")
    return isSame
  }
}

extension Value {
  /// NaN is not equal to itself, so values are compared as text too.
  fileprivate func isSame(_ other: Value) -> Bool { self == other || "\(self)" == "\(other)" }
}

extension PredicateTemplate.Key {
  init(
    _ bases: LeafLayout.Bases, _ layout: LeafLayout, nils: UInt64, map: EntityMap, root: UInt,
    edition: any AnyObject & Sendable
  ) {
    self.map = map
    self.edition = edition
    self.nils = nils
    keyPaths = layout.keyPaths.map { $0.address(bases).assumingMemoryBound(to: AnyKeyPath.self).pointee }
    signs = layout.signs.map { $0.address(bases).load(as: UInt8.self) }
    var known = [root]
    variables = layout.variables.map { place in
      let variable = place.address(bases).load(as: UInt.self)
      known.append(variable)
      return known.firstIndex(of: variable) ?? 0
    }
  }
}
