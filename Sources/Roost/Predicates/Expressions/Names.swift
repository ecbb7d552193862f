internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Properties after a dot.
extension Translator {
  func piece(_ property: PropertyAccess) throws -> TranslatedPart {
    let (base, keyPath) = (try piece(property.root), property.keyPath)
    switch base.meaning {
    case .captured(let captured):
      guard let value = captured.value[keyPath: keyPath] else { throw Untranslatable(keyPath) }
      return TranslatedPart(captured: value, type(of: keyPath).valueType)
    case .row(let map): return try self.property(keyPath, of: base.expression, map)
    case .parts(let parts):
      guard let name = PartNames.name(of: keyPath, among: parts.coder), let part = parts.coder.part(name) else {
        throw Untranslatable(keyPath)
      }
      return try stored(parts.base, parts.map, name: parts.path + "." + name, coder: part)
    case .structure(let coder):
      guard let name = PartNames.name(of: keyPath, among: coder),
        let number = coder.parts.firstIndex(where: { $0.name == name })
      else { throw Untranslatable(keyPath) }
      let part = coder.parts[number].coder
      return TranslatedPart(.part(base.expression, number), part.parts.isEmpty ? .value : .structure(part))
    case .moment:
      guard case .datePart(let part)? = ComputedPart(keyPath) else { throw Untranslatable(keyPath) }
      return TranslatedPart(.datePart(part, base.expression))
    case .rows, .value:
      switch property.ofCollection() {
      case .count?: return TranslatedPart(.count(base.expression))
      case .isEmpty?: return TranslatedPart(.isEmpty(base.expression))
      case .first?: return TranslatedPart(.first(base.expression), base.rows)
      case .last?: return TranslatedPart(.last(base.expression), base.rows)
      case nil: break
      }
      if base.rows == nil, let found = computed(keyPath, of: base) { return found }
      // Rows store the raw value of an enum.
      guard base.rows == nil, RawValues.isRawValue(keyPath) else { throw Untranslatable(keyPath) }
      return base
    }
  }

  /// Translates a property of a row.
  private func property(_ keyPath: AnyKeyPath, of base: Condition, _ map: EntityMap) throws -> TranslatedPart {
    guard let number = map.type.number(of: keyPath) else {
      if Identity.isIdentifier(keyPath, of: map.type.model) { return TranslatedPart(base, .row(map)) }
      throw Untranslatable(keyPath)
    }
    if let (lead, target) = graph.store.lead(map, number) {
      passes(target)
      switch lead {
      case .reference(let field):
        return TranslatedPart(reference(base, field, map: map, property: number), .row(target))
      case .found(let relationship): return TranslatedPart(.first(.many(base, relationship)), .row(target))
      case .many(let relationship): return TranslatedPart(.many(base, relationship), .rows(target))
      }
    }
    let property = map.type.properties[number]
    guard case .value(let coder) = property.storage else { throw Untranslatable(keyPath) }
    return try stored(base, map, name: map.type.fieldName(number), coder: coder.coder())
  }

  /// Translates a property, or a property of a struct, by its name.
  private func stored(
    _ base: Condition, _ map: EntityMap, name: String, coder: AnyCoder
  ) throws -> TranslatedPart {
    if coder.isOfOneProperty { throw Untranslatable(name) }
    if !coder.parts.isEmpty {
      return TranslatedPart(TranslatedPart.Parts(base: base, map: map, path: name, coder: coder))
    }
    guard let field = map.entity.field(name) else { throw Untranslatable(name) }
    // Only rows of other classes have no value there.
    let isNeeded = field.isOptional && coder.field?.isOptional == false
    return TranslatedPart(
      isNeeded && isThere(base) ? .unwrap(.field(base, field.id)) : .field(base, field.id))
  }
}

extension AnyCoder {
  func part(_ name: String) -> AnyCoder? { parts.first { $0.name == name }?.coder }
}
