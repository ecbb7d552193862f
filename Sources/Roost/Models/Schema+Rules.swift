internal import RoostGraph
internal import RoostRecords

extension Schema.Attribute {
  /// Adds the rules of one `@Validate`. For generated code.
  public func _validated(_ rules: ValidationRule..., message: String? = nil) -> Self {
    self.rules += [ValidationRule](rules, message: message)
    return self
  }
}

extension Schema.Relationship {
  /// Adds the rules of one `@Validate`. For generated code.
  public func _validated(_ rules: ValidationRule..., message: String? = nil) -> Self {
    self.rules += [ValidationRule](rules, message: message)
    return self
  }

  /// Converts `.length` rules into the least and the greatest number of models in the relationship.
  func takeLengths(_ place: String) -> [SchemaFault] {
    rules.compactMap { rule in
      guard case .length(let lower, let upper) = rule.stored.kind, !isToOneRelationship else {
        return SchemaFault("\(place) is a relationship, which cannot have the rule \(rule): remove it")
      }
      if upper == 0 { return SchemaFault("\(place) can have no model by its rule \(rule): remove one of the two") }
      minimumModelCount = max(minimumModelCount ?? 0, lower)
      if let upper { maximumModelCount = min(maximumModelCount.flatMap { $0 > 0 ? $0 : nil } ?? .max, upper) }
      return nil
    }
  }
}

extension Schema.Entity {
  /// The rules for each property's values, including inherited properties.
  var valueRules: [String: [ValueRule]] {
    var found: [String: [ValueRule]] = [:]
    for ancestor in lineage {
      for property in ancestor.storedProperties {
        guard let attribute = property.asAttribute, !attribute.rules.isEmpty, !attribute.isTransient else { continue }
        found[attribute.name, default: []] += attribute.rules.map(\.stored)
      }
    }
    return found
  }
}

extension AnyCoder {
  /// Returns the faults of rules for a property with this coder, each as a clause.
  func faults(of rules: [ValidationRule]) -> [String] {
    if rules.isEmpty { return [] }
    guard let type = field?.type, parts.isEmpty, !isTransformed, isPlain || isRaw else {
      return ["the rule \(rules[0]) is for values of the language and of Foundation, and it is \(valueType)"]
    }
    return rules.compactMap { rule in
      do throws(CompiledRule.Unfit) { _ = try CompiledRule(rule.stored, for: type) } catch { return error.description }
      return nil
    }
  }
}
