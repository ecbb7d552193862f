#if Postgres
  internal import Foundation
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// Determines the zone of an object.
  ///
  /// ## Invariants
  /// 1. The zone of a row is the text of the value that its rule names, or the zone of the row that it references there.
  /// 2. A row and all rows of its relationships are in one zone.
  struct Zones {
    /// By table, the member that determines the zone of its rows; empty if all rows are in one
    /// zone.
    private let rules: [Int: Rule]

    struct Rule {
      /// A value, or a relationship to one.
      let member: TableClass.Member
      /// The engine's name of the property.
      let field: String
    }

    init(_ zone: PostgresZone, _ tables: TableMap) throws {
      var rules: [Int: Rule] = [:]
      for rule in zone.rules {
        let name = "\(rule.model).\(rule.property)"
        guard let (table, place) = tables.places[rule.model],
          let property = tables.tables[table].classes[place].type.number(ofPath: rule.property)
        else { throw RoostError(.unknownModel, "the rule of zones names \(name), which is not stored") }
        let root = tables.tables[table].root
        if property >= root.properties.count {
          throw RoostError(
            .badValue, "\(name) cannot tell the zone, because a \(root.name) has none: use a property of \(root.name)")
        }
        if rules[table] != nil {
          throw RoostError(.badValue, "two rules tell the zone of \(root.name): remove one of them")
        }
        guard let member = tables.tables[table].classes[0].members[property], Self.tells(member, tables.tables[table])
        else {
          throw RoostError(
            .badValue,
            "\(name) cannot tell the zone: it must be a text, an integer, a Bool, a UUID or a URL, or a relationship to one"
          )
        }
        rules[table] = Rule(member: member, field: root.fieldName(property))
      }
      self.rules = rules
      if rules.isEmpty { return }
      for (number, table) in tables.tables.enumerated() {
        guard rules[number] != nil else {
          throw RoostError(
            .badValue,
            "no rule tells the zone of \(table.root.name): add one with .properties(…), because relationships stay in a zone"
          )
        }
        try checkEnd(number, tables)
      }
    }

    /// Whether a member can determine the zone. Two values that are equal must have one text.
    private static func tells(_ member: TableClass.Member, _ table: Table) -> Bool {
      switch member {
      case .reference, .found: return true
      case .value(let column):
        guard case .value(let form) = table.columns[column].kind else { return false }
        switch form.plainType {
        case .string, .url, .uuid, .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return true
        default: return false
        }
      case .list, .links: return false
      }
    }

    /// Follows the references that determine a zone, to the value at their end.
    private func checkEnd(_ start: Int, _ tables: TableMap) throws {
      var (table, names) = (start, [String]())
      while let rule = rules[table] {
        let next: Int
        switch rule.member {
        case .reference(let column):
          guard case .reference(let target, _) = tables.tables[table].columns[column].kind else { return }
          next = target
        case .found(let holder, _): next = holder
        case .value, .list, .links: return
        }
        names.append("\(tables.tables[table].root.name).\(rule.field)")
        if names.count > tables.tables.count {
          throw RoostError(
            .badValue,
            "the rules of zones form a circle (\(Set(names).sorted().joined(separator: ", "))): one of them must name a value"
          )
        }
        table = next
      }
    }

    /// The rule for a table's objects; nil if there is one zone.
    subscript(table: Int) -> Rule? { rules[table] }

    /// Whether all objects are in one zone.
    var isOne: Bool { rules.isEmpty }
  }

  extension RoostRecords.Value {
    /// The zone that a value names: one text for all values that are equal. Nil if it cannot name a
    /// zone.
    var zoneText: String? {
      switch self {
      case .string(let text), .url(let text):
        if text.utf8.contains(0) { return nil }
        var text = text
        return text.withUTF8 { String(decoding: NormalForm.composed(UnsafeRawBufferPointer($0)), as: UTF8.self) }
      case .int(let number): return "\(number)"
      case .uint(let number): return "\(number)"
      case .uuid(let number): return number.text
      case .bool(let flag): return "\(flag)"
      default: return nil
      }
    }
  }
#endif
