internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A condition of the engine. Foundation has an `Expression` too.
typealias Condition = RoostQuery.Expression

/// A ``PropertyPath`` in a store, as a condition of the engine.
struct PlacedPath {
  let condition: Condition
  /// The entities on the way, without the first one.
  let passes: [EntityMap]
  /// The model at the end, if the path references one.
  let row: EntityMap?
  /// How the value is stored; nil for a model.
  let coder: AnyCoder?
  let kind: Kind

  /// Makes the path of a value that the engine computes.
  init(computed condition: Condition, kind: Kind, passes: [EntityMap]) {
    (self.condition, self.kind, self.passes) = (condition, kind, passes)
    (row, coder) = (nil, nil)
  }

  /// Returns nil if the engine cannot express it: for a list, or for a value without an order.
  init?(_ path: PropertyPath, _ map: EntityMap, store: GraphStore) {
    var base = Condition.row
    var place = map
    var passes: [EntityMap] = []
    var isSure = true
    func lead(_ number: Int) -> Bool {
      guard let (lead, target) = store.lead(place, number) else { return false }
      switch lead {
      case .reference(let field): base = .field(base, field)
      case .found(let relationship): base = .first(.many(base, relationship))
      case .many: return false
      }
      if place.type.mayBeNil(number) || place.type.isAdded(number) { isSure = false }
      place = target
      passes.append(target)
      return true
    }
    for number in path.references where !lead(number) { return nil }
    switch path.end {
    case .model:
      if path.references.isEmpty { isSure = true }
      row = place
      coder = nil
    case .property(let number):
      switch place.type.properties[number].storage {
      case .toOne:
        guard lead(number) else { return nil }
        row = place
        coder = nil
      case .value(let own):
        guard let own = try? own.coder(), own.parts.isEmpty, !own.isOfOneProperty, let field = place.field(number)
        else { return nil }
        condition = .field(base, field.id)
        kind = isSure ? Kind(field) : Kind(field).optional
        (row, coder, self.passes) = (nil, own, passes)
        return
      case .toMany, .none: return nil
      }
    case .part(let number, let parts):
      guard case .value(let own) = place.type.properties[number].storage, let whole = try? own.coder(),
        let part = Self.part(base, place, name: place.type.fieldName(number), coder: whole, path: parts[...])
      else { return nil }
      condition = part.condition
      kind = isSure && !part.mayBeNil ? Kind(part.field) : Kind(part.field).optional
      (row, coder, self.passes) = (nil, part.coder, passes)
      return
    }
    condition = base
    let own = Kind.plain(.reference(place.entity.id))
    kind = isSure ? own : own.optional
    self.passes = passes
  }

  private struct Part {
    var condition: Condition
    var field: Field
    var coder: AnyCoder
    var mayBeNil: Bool
  }

  /// Returns a property of a struct. If the struct is nil, its fields have other values, so that is
  /// tested first.
  private static func part(
    _ base: Condition, _ map: EntityMap, name: String, coder: AnyCoder, path: ArraySlice<Int>
  ) -> Part? {
    guard let first = path.first else {
      guard coder.parts.isEmpty, let field = map.entity.field(name) else { return nil }
      return Part(condition: .field(base, field.id), field: field, coder: coder, mayBeNil: false)
    }
    guard coder.parts.indices.contains(first),
      var part = part(
        base, map, name: name + "." + coder.parts[first].name, coder: coder.parts[first].coder, path: path.dropFirst())
    else { return nil }
    if coder.field != nil {
      guard let presence = map.entity.field(name) else { return nil }
      let isThere = Condition.compare(
        .notEqual, .field(base, presence.id), .constant(.null, .optional(.plain(.presence))))
      part.condition = .conditional(isThere, part.condition, .constant(.null, Kind(part.field).optional))
      part.mayBeNil = true
    }
    return part
  }
}
