internal import RoostQuery
internal import RoostRecords

/// The leaves of a condition: fields, variables, constants.
extension ConditionMaker {
  mutating func leaf(_ kind: Kind) -> Expression {
    if generator.chance(3, in: 4), let name = name(kind) { return name }
    return constant(kind)
  }

  mutating func constant(_ kind: Kind) -> Expression { .constant(pool.draw(kind, &generator), kind) }

  /// A field, a variable or a part of one with this kind.
  mutating func name(_ kind: Kind) -> Expression? {
    for _ in 0..<3 {
      let (variable, bound) = pickBound()
      if bound == kind, !one(in: 4) { return .variable(variable) }
      if case .structure(let parts) = bound.whole {
        let fit = parts.indices.filter { partKind(bound, parts[$0]) == kind }
        if !fit.isEmpty { return .part(.variable(variable), generator.pick(fit)) }
      }
      if let found = field(of: .variable(variable), bound, kind, hops: 0) { return found }
    }
    return nil
  }

  /// The newest variable is taken most often, because a test of elements should use it.
  private mutating func pickBound() -> (variable: Int, kind: Kind) {
    one(in: 2) ? scope[scope.count - 1] : generator.pick(scope)
  }

  private func partKind(_ base: Kind, _ part: ElementType.Part) -> Kind {
    base.isOptional ? Kind(part.type).optional : Kind(part.type)
  }

  private mutating func field(of base: Expression, _ kind: Kind, _ wanted: Kind, hops: Int) -> Expression? {
    guard let entity = kind.entity.flatMap({ catalog.entity($0) }) else { return nil }
    func own(_ inner: Kind) -> Kind { kind.isOptional ? inner.optional : inner }
    if hops < 3, one(in: 3) {
      let references = entity.fields.filter { if case .reference = $0.type { true } else { false } }
      if !references.isEmpty {
        let reference = generator.pick(references)
        var next = Expression.field(base, reference.id)
        var nextKind = own(Kind(reference))
        if nextKind.isOptional, one(in: 6) {
          next = .unwrap(next)
          nextKind = nextKind.whole
        }
        if let found = field(of: next, nextKind, wanted, hops: hops + 1) { return found }
      }
    }
    if case .rows(let target) = wanted.whole {
      let fit = manies.filter {
        $0.entity == entity.id && $0.target == target && own(.rows(target)) == wanted
      }
      return fit.isEmpty ? nil : .many(base, generator.pick(fit).id)
    }
    let fit = entity.fields.filter { own(Kind($0)) == wanted }
    return fit.isEmpty ? nil : .field(base, generator.pick(fit).id)
  }
}
