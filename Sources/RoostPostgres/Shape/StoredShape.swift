#if Postgres
  internal import Roost

  /// The tables as Roost programs made them. The table `roost_store` contains it as JSON.
  ///
  /// It records the field of the models for each column, so that a later program finds it under
  /// another name. It distinguishes Roost's tables and columns from those of other programs.
  struct StoredShape: Codable, Equatable {
    /// The version of the newest models that opened the store; nil if none of them had a version.
    var version: Schema.Version?
    var tables: [StoredTable] = []
    /// Whether Citus distributes the tables by zone. It does so if the database had the extension when the store was made.
    var isDistributed: Bool?
    var links: [StoredLink] = []

    /// The part that a program without a migration plan needs.
    var withoutNotesForPlans: StoredShape {
      var shape = self
      shape.version = nil
      for number in tables.indices { (shape.tables[number].outlines, shape.tables[number].isParked) = (nil, nil) }
      return shape
    }

    func table(of entity: String) -> Int? { tables.firstIndex { $0.entity == entity } }
    func table(named name: String) -> Int? { tables.firstIndex { $0.name == name } }
  }

  struct StoredTable: Codable, Equatable {
    var name: String
    /// The base class.
    var entity: String
    var classes: [String]
    /// The field that determines the zone of a row; nil if all rows are in one zone.
    var zone: String?
    var columns: [StoredColumn] = []
    var uniques: [StoredIndex] = []
    /// The indexes of `#Index`; nil if no models had any.
    var indexes: [StoredIndex]?
    /// The forms of the models' indexes, the newest last. An index is not part of ``forms``,
    /// because a program works without it.
    var indexForms: [String]?
    /// Fingerprints of the models that had the table, the newest last: see
    /// ``DatabaseShape/isOlder``.
    var forms: [String] = []
    /// Groups of properties that exchanged their names. The names alone do not show whether they
    /// have been exchanged.
    var exchanged: [String] = []
    /// The outline of each class in the newest models, by its name: its properties, each with its
    /// type in words. A migration plan finds its version by it. Nil in a database that no program
    /// has changed since Roost stores outlines.
    var outlines: [String: [String: String]]?
    /// Whether the version that was stored last does not have the class.
    var isParked: Bool?

    func column(of field: String) -> Int? { columns.firstIndex { $0.field == field } }
    func column(named name: String) -> Int? { columns.firstIndex { $0.name == name } }
  }

  struct StoredColumn: Codable, Equatable {
    var name: String
    /// The engine's name for the field; nil for the place in a list.
    var field: String?
    var type: String
    /// The kind of Swift values in it, such as `int8`. It distinguishes types that have the same
    /// column type.
    var values: String
    /// Whether the models require a value. A column of a subclass is nullable even then.
    var isRequired: Bool
    var reference: StoredReference?
    /// The column of the reference to whose list the place belongs.
    var placeOf: String?
    /// Whether the newest models do not have it. Then it is nullable. It is used again if models
    /// have it again.
    var isLeft = false
  }

  struct StoredReference: Codable, Equatable {
    /// The name of the table that it references.
    var table: String
    var rule: String
    /// The field of the other side; nil if it has none.
    var inverse: String?
    var constraint: String
    var index: String
  }

  struct StoredIndex: Codable, Equatable {
    var index: String
    /// Fields, or paths into a field's JSON.
    var paths: [String]
    /// The condition of a uniqueness rule, in the words of the models.
    var condition: String?
    /// The fields that the condition tests.
    var tested: [String]?

    func isOver(_ field: String) -> Bool {
      (paths + (tested ?? [])).contains { $0 == field || $0.hasPrefix(field + ".") }
    }

    /// Whether both have the same paths and condition.
    func isSameRule(as other: StoredIndex) -> Bool { paths == other.paths && condition == other.condition }
  }

  struct StoredLink: Codable, Equatable {
    var name: String
    var owner: StoredSide
    var member: StoredSide
    var isLeft = false

    var sides: Set<StoredSide> { Set([owner, member].filter { $0.field != nil }) }
  }

  /// A side of a relationship: a table and a field. The field is nil on the side that has no property.
  struct StoredSide: Codable, Hashable {
    var table: String
    var field: String?
  }
#endif
