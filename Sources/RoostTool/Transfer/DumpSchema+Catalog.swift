import Foundation
import RoostFile
import RoostRecords
import RoostTransfer

extension DumpSchema {
  private static let rules: [(Relationship.DeleteRule, String)] = [
    (.nullify, "nullify"), (.cascade, "cascade"), (.deny, "deny"), (.noAction, "noAction"),
  ]
  private static let traits: [(Relationship.Traits, String)] = [
    (.hidden, "hidden"), (.ordered, "ordered"), (.repeating, "repeating"), (.single, "single"),
    (.unchecked, "unchecked"), (.ownsIndex, "ownsIndex"), (.torn, "torn"),
  ]
  private static let modes: [(HistoryMode, String)] = [(.off, "off"), (.changes, "changes"), (.full, "full")]

  // MARK: From a store

  init(_ reader: RecordReader) throws {
    let catalog = reader.catalog
    (dump, form) = ("roost", Self.form)
    let mode = try reader.historyMode
    history = Self.modes.first { $0.0 == mode }?.1 ?? "off"
    let numbers = catalog.nextNumbers
    next = NextForm(entity: numbers.entity, index: numbers.index, relationship: numbers.relationship)
    entities = try catalog.entities.map { entity in
      EntityForm(
        number: entity.id.number, name: entity.name, nextField: entity.nextFieldNumber,
        nextRow: try reader.nextRow(entity.id), rows: try reader.table(entity.id).count,
        fields: entity.fields.map(FieldForm.init))
    }
    indexes = catalog.indexes.map { index in
      let fields = catalog.entity(index.entity)?.fields ?? []
      return IndexForm(
        number: index.id.number, entity: index.entity.number, name: index.name, isUnique: index.isUnique,
        parts: index.parts.map { part in
          .init(
            field: part.field.number, isDescending: part.isDescending,
            form: part.form == .value ? nil : part.form.word)
        },
        tests: index.tests.map { IndexForm.Test($0, fields) })
    }
    relationships = catalog.relationships.map(RelationshipForm.init)
    textIndexes = catalog.textIndexes.map { index in
      TextIndexForm(
        number: index.id.number, entity: index.entity.number, name: index.name, fields: index.fields.map(\.number),
        options: index.options, analyzer: Data(index.analyzerBytes))
    }
    formulas = catalog.derivations.map { one in
      FormulaForm(
        entity: one.entity.number, field: one.field.number, kind: one.kind.word, relationship: one.relationship?.number,
        value: one.value?.number, key: one.key?.number, text: one.text)
    }
    version = catalog.version.map(VersionForm.init)
  }

  // MARK: Into a store

  var historyMode: HistoryMode { Self.modes.first { $0.1 == history }?.0 ?? .off }

  /// The catalog of the schema, with the numbers of the dumped store.
  func catalog() throws -> Catalog {
    guard dump == "roost" else { throw TransferFault(.syntax, "this is no dump of a store", line: 1) }
    guard form == Self.form else {
      throw TransferFault(
        .unknown, "the dump has form \(form), and this version knows form \(Self.form): use a newer roost", line: 1)
    }
    let entities = try self.entities.map { entity in
      Entity(
        EntityID(entity.number), entity.name, fields: try entity.fields.map { try $0.field() },
        nextField: entity.nextField)
    }
    let indexes = try self.indexes.map { index in
      let fields = entities.first { $0.id.number == index.entity }?.fields ?? []
      return Index(
        IndexID(index.number), of: EntityID(index.entity), index.name,
        parts: try index.parts.map { try $0.part },
        isUnique: index.isUnique, tests: try index.tests.map { try $0.test(fields) })
    }
    let derivations = try formulas.map { one in
      guard let kind = Derivation.Kind.allCases.first(where: { $0.word == one.kind }) else {
        throw TransferFault(.unknown, "a field is derived as '\(one.kind)', which this version does not know", line: 1)
      }
      return Derivation(
        EntityID(one.entity), FieldID(one.field), kind: kind, relationship: one.relationship.map { RelationshipID($0) },
        value: one.value.map { FieldID($0) }, key: one.key.map { FieldID($0) }, text: one.text)
    }
    do throws(StoreError) {
      var texts: [FullTextIndex] = []
      for index in textIndexes {
        texts.append(
          try FullTextIndex(
            IndexID(index.number), of: EntityID(index.entity), index.name, fields: index.fields.map { FieldID($0) },
            analyzerBytes: Array(index.analyzer)))
      }
      return try Catalog(
        entities: entities, indexes: indexes, relationships: relationships.map(\.relationship), textIndexes: texts,
        derivations: derivations, version: version?.version, next: (next.entity, next.index, next.relationship))
    } catch { throw TransferFault(.syntax, "the schema contradicts itself: \(error.detail)", line: 1) }
  }

  fileprivate static func name(_ rule: Relationship.DeleteRule) -> String { rules.first { $0.0 == rule }?.1 ?? "" }
  fileprivate static func rule(_ name: String) -> Relationship.DeleteRule {
    rules.first { $0.1 == name }?.0 ?? .nullify
  }
  fileprivate static func names(_ all: Relationship.Traits) -> [String] {
    traits.filter { all.contains($0.0) }.map(\.1)
  }
  fileprivate static func traits(_ names: [String]) -> Relationship.Traits {
    traits.filter { names.contains($0.1) }.reduce(into: []) { $0.formUnion($1.0) }
  }
}

extension DumpSchema.FieldForm {
  fileprivate init(_ field: Field) {
    (number, name, type, isOptional) = (field.id.number, field.name, TypeForm(field.type), field.isOptional)
    isPreserved = field.isPreserved ? true : nil
    isNeeded = field.isNeeded ? true : nil
    initial = field.initial.map { DumpText.text($0, as: field.type) }
    cases = field.cases.map { all in all.map { DumpText.text($0, as: field.caseType) } }
  }

  fileprivate func field() throws -> Field {
    let type = try self.type.type()
    do {
      var field = Field(
        FieldID(number), name, type: type, isOptional: isOptional,
        initial: try initial.map { try DumpText.value($0, as: type) }, isPreserved: isPreserved ?? false)
      field.isNeeded = isNeeded ?? false
      field.cases = try cases.map { all in try all.map { try DumpText.value($0, as: field.caseType) } }
      return field
    } catch let fault as ValueFault { throw TransferFault(fault.code, fault.detail, line: 1, field: name) }
  }
}

extension DumpSchema.RelationshipForm {
  fileprivate init(_ one: Relationship) {
    (number, entity, name, target) = (one.id.number, one.entity.number, one.name, one.target.number)
    (inverse, index) = (one.inverse.number, one.index?.number)
    (deleteRule, traits) = (DumpSchema.name(one.deleteRule), DumpSchema.names(one.traits))
    switch one.shape {
    case .one(let id): (shape, field) = ("one", id.number)
    case .manyByReference(let other, let id): (shape, holder, field) = ("many", other.number, id.number)
    case .links: shape = "links"
    }
  }

  fileprivate var relationship: Relationship {
    let form: Relationship.Shape =
      switch shape {
      case "one": .one(FieldID(field ?? 0))
      case "many": .manyByReference(EntityID(holder ?? 0), FieldID(field ?? 0))
      default: .links
      }
    return Relationship(
      Relationship.Parts(
        RelationshipID(number), name, entity: EntityID(entity), target: EntityID(target), shape: form,
        inverse: RelationshipID(inverse), deleteRule: DumpSchema.rule(deleteRule), traits: DumpSchema.traits(traits),
        index: index.map { IndexID($0) }))
  }
}

extension DumpSchema.VersionForm {
  fileprivate init(_ version: ModelVersion) {
    (number, parked) = (version.number, version.parked)
    parts = version.parts.map { part in
      Part(
        name: part.name, fingerprint: String(part.fingerprint, radix: 16), digest: String(part.digest, radix: 16),
        parked: part.parked, formerNames: part.formerNames)
    }
  }

  fileprivate var version: ModelVersion {
    ModelVersion(
      number,
      parts: parts.map { part in
        ModelVersion.Part(
          part.name, fingerprint: UInt64(part.fingerprint, radix: 16) ?? 0, digest: UInt64(part.digest, radix: 16) ?? 0,
          parked: part.parked, formerNames: part.formerNames)
      }, parked: parked)
  }
}
