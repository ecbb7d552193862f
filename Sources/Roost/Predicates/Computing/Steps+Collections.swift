internal import Foundation
internal import RoostQuery

extension PredicateExpressions.SequenceContains {
  func step(_ walker: Walker) throws -> AnyStep {
    let (list, element) = (try walker.step(of: sequence), try walker.step(of: element))
    return Step<Bool> { try list.run($0).contains(element.run($0)) }
  }
}

extension PredicateExpressions.SequenceContainsWhere {
  func step(_ walker: Walker) throws -> AnyStep {
    let (list, test, variable) = (
      try walker.step(of: sequence), try walker.step(of: test, binding: variable), variable
    )
    return Step<Bool> { bindings in
      try list.run(bindings).contains { try test.run(bindings.binding(variable, to: $0)) }
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy {
  func step(_ walker: Walker) throws -> AnyStep {
    let (list, test, variable) = (
      try walker.step(of: sequence), try walker.step(of: test, binding: variable), variable
    )
    return Step<Bool> { bindings in
      try list.run(bindings).allSatisfy { try test.run(bindings.binding(variable, to: $0)) }
    }
  }
}

extension PredicateExpressions.Filter {
  func step(_ walker: Walker) throws -> AnyStep {
    let (list, test, variable) = (
      try walker.step(of: sequence), try walker.step(of: filter, binding: variable), variable
    )
    return Step<Output> { bindings in
      try list.run(bindings).filter { try test.run(bindings.binding(variable, to: $0)) }
    }
  }
}

extension PredicateExpressions.SequenceMaximum {
  func step(_ walker: Walker) throws -> AnyStep {
    let elements = try walker.step(of: elements)
    return Step<Output> { try elements.run($0).max() }
  }
}

extension PredicateExpressions.SequenceMinimum {
  func step(_ walker: Walker) throws -> AnyStep {
    let elements = try walker.step(of: elements)
    return Step<Output> { try elements.run($0).min() }
  }
}

extension PredicateExpressions.CollectionIndexSubscript {
  func step(_ walker: Walker) throws -> AnyStep {
    let (list, index, blame) = (try walker.step(of: wrapped), try walker.step(of: index), walker.blame(self))
    return Step<Output> {
      let (list, index) = (try list.run($0), try index.run($0))
      // A comparison with NaN says nothing about an index.
      let isThere =
        Index.Output.self == Int.self ? index >= list.startIndex && index < list.endIndex : list.indices.contains(index)
      guard isThere else { throw blame.fault(.outOfBounds, "there is no element \(index) among \(list.count)") }
      return list[index]
    }
  }
}

extension PredicateExpressions.CollectionRangeSubscript {
  func step(_ walker: Walker) throws -> AnyStep {
    let (list, range, blame) = (try walker.step(of: wrapped), try walker.step(of: range), walker.blame(self))
    return Step<Output> {
      let (list, range) = (try list.run($0), try range.run($0))
      func isThere(_ index: Wrapped.Output.Index) -> Bool {
        if index == list.endIndex { return true }
        return Wrapped.Output.Index.self == Int.self
          ? index >= list.startIndex && index < list.endIndex : list.indices.contains(index)
      }
      guard isThere(range.lowerBound), isThere(range.upperBound) else {
        throw blame.fault(.outOfBounds, "there are no elements \(range) among \(list.count)")
      }
      return list[range]
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript {
  func step(_ walker: Walker) throws -> AnyStep {
    let (table, key) = (try walker.step(of: wrapped), try walker.step(of: key))
    return Step<Value?> { try table.run($0)[key.run($0)] }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript {
  func step(_ walker: Walker) throws -> AnyStep {
    let (table, key) = (try walker.step(of: wrapped), try walker.step(of: key))
    let instead = try walker.step(of: `default`)
    return Step<Output> { try table.run($0)[key.run($0)] ?? instead.run($0) }
  }
}

// MARK: Texts

extension PredicateExpressions.SequenceStartsWith {
  func step(_ walker: Walker) throws -> AnyStep {
    let (base, prefix) = (try walker.step(of: base), try walker.step(of: prefix))
    return Step<Bool> { try base.run($0).starts(with: prefix.run($0)) }
  }
}

extension PredicateExpressions.CollectionContainsCollection {
  func step(_ walker: Walker) throws -> AnyStep {
    let (base, other) = (try walker.step(of: base), try walker.step(of: other))
    return Step<Bool> {
      let (base, other) = (try base.run($0), try other.run($0))
      return try PredicateExpressions.CollectionContainsCollection(
        base: PredicateExpressions.Value(base), other: PredicateExpressions.Value(other)
      ).evaluate($0)
    }
  }
}

extension PredicateExpressions.StringContainsRegex {
  func step(_ walker: Walker) throws -> AnyStep {
    let (subject, regex) = (try walker.step(of: subject), try walker.step(of: regex))
    return Step<Bool> {
      let (subject, regex) = (try subject.run($0), try regex.run($0))
      return try PredicateExpressions.StringContainsRegex(
        subject: PredicateExpressions.Value(subject), regex: PredicateExpressions.Value(regex)
      ).evaluate($0)
    }
  }
}

extension PredicateExpressions.TextEdge {
  func step(_ walker: Walker) throws -> AnyStep {
    let (root, edge, isSuffix) = (try walker.step(of: root), try walker.step(of: edge), isSuffix)
    return Step<Bool> {
      let (text, edge) = (String(try root.run($0)), String(try edge.run($0)))
      return isSuffix ? text.hasSuffix(edge) : text.hasPrefix(edge)
    }
  }
}

extension PredicateExpressions.TextInCase {
  func step(_ walker: Walker) throws -> AnyStep {
    let (root, isUpper) = (try walker.step(of: root), isUpper)
    return Step<String> { isUpper ? try root.run($0).uppercased() : try root.run($0).lowercased() }
  }
}

#if !canImport(Darwin)
  extension PredicateExpressions.StringLocalizedStandardContains {
    func step(_ walker: Walker) throws -> AnyStep {
      let (root, other) = (try walker.step(of: root), try walker.step(of: other))
      return Step<Bool> { try Self.answer(String(root.run($0)), String(other.run($0))) }
    }
  }

  extension PredicateExpressions.StringLocalizedCompare {
    func step(_ walker: Walker) throws -> AnyStep {
      let (root, other) = (try walker.step(of: root), try walker.step(of: other))
      return Step<ComparisonResult> { try Self.answer(String(root.run($0)), String(other.run($0))) }
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare {
    func step(_ walker: Walker) throws -> AnyStep {
      let (root, other) = (try walker.step(of: root), try walker.step(of: other))
      return Step<ComparisonResult> { try Self.answer(String(root.run($0)), String(other.run($0))) }
    }
  }
#endif
