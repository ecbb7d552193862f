#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Maps the values of a class in an import to the columns of its table.
  final class BulkClass {
    /// The source of a column's value.
    enum Source {
      case value(property: Int, form: ValueForm)
      case reference(slot: Int)
      case place(slot: Int)
      /// The class does not have the property.
      case nothing
    }

    let type: _ModelType
    let table: Int
    let kind: TableClass
    /// By column of the table.
    private(set) var sources: [Source] = []
    /// By column of the table, whether it may be null.
    let optional: [Bool]
    /// By column of the table, the number of its reference among the table's; -1 for a value.
    private(set) var slots: [Int] = []
    private(set) var slotCount = 0
    /// The relationships: their places among the class's, their properties, and the columns or
    /// tables that store them.
    private(set) var links: [(place: Int, property: Int, member: TableClass.Member)] = []

    init(_ type: _ModelType, _ tables: TableMap) throws {
      let (table, place) = try tables.place(type)
      self.type = type
      self.table = table
      kind = tables.tables[table].classes[place]
      optional = tables.tables[table].columns.map(\.isOptional)
      for (column, shape) in tables.tables[table].columns.enumerated() {
        switch shape.kind {
        case .value(let form):
          slots.append(-1)
          sources.append(kind.properties[.value(column: column)].map { .value(property: $0, form: form) } ?? .nothing)
        case .reference:
          slots.append(slotCount)
          sources.append(.reference(slot: slotCount))
          slotCount += 1
        case .place(let reference):
          slots.append(slots[reference])
          sources.append(.place(slot: slots[reference]))
        }
      }
      for (place, property) in kind.form.links.enumerated() {
        if let member = kind.members[property] { links.append((place, property, member)) }
      }
    }
  }
#endif
