internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Variables, what stands behind a point, and values from outside.
extension PredicateExpressions.Variable: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { try translator.binding(key) }
}

extension PredicateExpressions.Value: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { translator.piece(captured: value) }
}

extension PredicateExpressions.NilLiteral: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { TranslatedPart(captured: Wrapped?.none) }
}

extension PredicateExpressions.KeyPath: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let base = try translator.piece(root)
    switch base.meaning {
    case .captured(let captured):
      guard let value = captured.value as? Root.Output else { throw Untranslatable(self) }
      return TranslatedPart(captured: value[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>])
    case .row(let map): return try property(of: base.expression, map, translator)
    case .parts(let parts):
      guard let name = PartNames.name(of: keyPath, among: parts.coder), let part = parts.coder.part(name) else {
        throw Untranslatable(self)
      }
      return try Self.stored(parts.base, parts.map, name: parts.path + "." + name, coder: part, translator: translator)
    case .structure(let coder):
      guard let name = PartNames.name(of: keyPath, among: coder),
        let number = coder.parts.firstIndex(where: { $0.name == name })
      else { throw Untranslatable(self) }
      let part = coder.parts[number].coder
      return TranslatedPart(.part(base.expression, number), part.parts.isEmpty ? .value : .structure(part))
    case .rows, .value:
      switch kind {
      case .collectionCount?: return TranslatedPart(.count(base.expression))
      case .collectionIsEmpty?: return TranslatedPart(.isEmpty(base.expression))
      case .collectionFirst?: return TranslatedPart(.first(base.expression), base.rows.map { .row($0) } ?? .value)
      case .bidirectionalCollectionLast?:
        return TranslatedPart(.last(base.expression), base.rows.map { .row($0) } ?? .value)
      case nil: break
      }
      // The raw value of an enum is what stands in the row.
      guard base.rows == nil, RawValues.isRawValue(keyPath) else { throw Untranslatable(self) }
      return base
    }
  }

  /// A property of a row.
  private func property(of base: Condition, _ map: EntityMap, _ translator: Translator) throws -> TranslatedPart {
    guard let number = map.type.number(of: keyPath) else {
      if Identity.isIdentifier(keyPath, of: map.type.model) { return TranslatedPart(base, .row(map)) }
      throw Untranslatable(self)
    }
    if let (lead, target) = translator.graph.store.lead(map, number) {
      translator.passes(target)
      switch lead {
      case .reference(let field):
        return TranslatedPart(translator.reference(base, field, map: map, property: number), .row(target))
      case .found(let relationship): return TranslatedPart(.first(.many(base, relationship)), .row(target))
      case .many(let relationship): return TranslatedPart(.many(base, relationship), .rows(target))
      }
    }
    let property = map.type.properties[number]
    guard case .value(let coder) = property.storage else { throw Untranslatable(self) }
    return try Self.stored(base, map, name: map.type.fieldName(number), coder: coder.coder(), translator: translator)
  }

  /// A property, or a part of one, by its name.
  private static func stored(
    _ base: Condition, _ map: EntityMap, name: String, coder: AnyCoder, translator: Translator
  ) throws -> TranslatedPart {
    if !coder.parts.isEmpty {
      return TranslatedPart(TranslatedPart.Parts(base: base, map: map, path: name, coder: coder))
    }
    guard let field = map.entity.field(name) else { throw Untranslatable(name) }
    // Only rows of other classes have no value there.
    let isNeeded = field.isOptional && coder.field?.isOptional == false
    return TranslatedPart(
      isNeeded && translator.isThere(base) ? .unwrap(.field(base, field.id)) : .field(base, field.id))
  }
}

extension AnyCoder {
  func part(_ name: String) -> AnyCoder? { parts.first { $0.name == name }?.coder }
}
