internal import RoostRecords

/// Operations on collections.
extension Interpreter {
  mutating func collection(_ term: Term) throws -> Value {
    let found = try value(term.operands[0])
    switch term.expression {
    case .contains:
      let other = try value(term.operands[1])
      if case .set(let values) = found { return .bool(values.contains(other)) }
      return .bool(elements(found).contains { ValueOrder.holds(.equal, $0, other: other) })
    case .count: return .int(Int64(count(found)))
    case .isEmpty: return .bool(count(found) == 0)
    case .first: return elements(found).first ?? .null
    case .last: return elements(found).last ?? .null
    case .minimum: return elements(found).min { ValueOrder.holds(.less, $0, other: $1) } ?? .null
    case .maximum: return elements(found).max { ValueOrder.holds(.less, $0, other: $1) } ?? .null
    case .element:
      guard case .int(let index) = try value(term.operands[1]), case .array(let values) = found else { return .null }
      guard let index = Int(exactly: index), values.indices.contains(index) else {
        throw fault(.outOfBounds, "there is no element \(index) among \(values.count)", term: term)
      }
      return values[index]
    case .lookup:
      let key = try value(term.operands[1])
      guard case .dictionary(let pairs) = found else { return .null }
      return pairs[key] ?? .null
    case .quantified(let quantifier, let variable, _, _):
      for element in elements(found) {
        let holds = try value(term.operands[1], binding: variable, to: element) == .bool(true)
        if holds == (quantifier == .some) { return .bool(quantifier == .some) }
      }
      return .bool(quantifier == .all)
    case .filter(let variable, _, _):
      let kept = try elements(found).filter {
        try value(term.operands[1], binding: variable, to: $0) == .bool(true)
      }
      if case .set = found { return .set(Set(kept)) }
      return .array(kept)
    default: return .null
    }
  }

  func elements(_ value: Value) -> [Value] {
    switch value {
    case .array(let values): values
    case .set(let values): Array(values)
    default: []
    }
  }

  private func count(_ value: Value) -> Int {
    switch value {
    case .string(let text): text.count
    case .dictionary(let pairs): pairs.count
    default: elements(value).count
    }
  }
}
