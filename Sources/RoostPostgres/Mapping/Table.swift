#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// The table of a class: a row for each of its objects, and for each object of its subclasses.
  struct Table {
    var name: SQLName
    let root: _ModelType
    var columns: [Column] = []
    /// The class itself, then its subclasses.
    var classes: [TableClass] = []
    var uniques: [UniqueRule] = []
    /// Columns that have an index together.
    var indexes: [[Int]] = []
    /// The former names of fields, by their present names.
    var formerNames: [String: String] = [:]
    /// Whether a column stores the class of a row.
    var hasClassColumn: Bool { classes.count > 1 }
    /// The columns of a new row that get values, in the order in which they are copied.
    var copiedColumns: [String] {
      ([Table.zone, Table.key] + (hasClassColumn ? [Table.className] : []) + columns.map(\.name)).map(\.description)
    }

    /// The columns that every table has, before those of the properties.
    static let zone = SQLName(exactly: "zone")
    static let key = SQLName(exactly: "pk")
    static let version = SQLName(exactly: "version")
    static let className = SQLName(exactly: "class")
    static let reserved = Set(
      [zone, key, version, className]
        + ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].map { SQLName(exactly: $0) })

    /// Distributes a table by its zone over the workers of Citus. Rows of a zone are on the same
    /// worker as those of the table `other`; its name may be `default`.
    static func distribution(of name: SQLName, in namespace: SQLName, with other: String) -> Statement {
      Statement(
        "SELECT create_distributed_table(($1::text)::regclass, 'zone', colocate_with => $2)",
        [.text("\(namespace).\(name)"), .text(other)])
    }

    /// Whether an index helps to find a column's texts.
    func hasIndexedTexts(_ column: Int) -> Bool {
      columns[column].type == .text && indexes.contains { $0.contains(column) }
    }

    func column(_ field: String) -> Int? { columns.firstIndex { $0.field == field } }

    /// The column with a row's place in the list of the row that another column references.
    func placeColumn(of reference: Int) -> Int? {
      columns.firstIndex { if case .place(reference) = $0.kind { true } else { false } }
    }
  }

  struct Column {
    var name: SQLName
    /// The engine's name of the field; nil for a place in a list.
    let field: String?
    let kind: Kind
    /// Whether it may be null.
    let isOptional: Bool
    /// Whether objects of the class that declares it always have a value. Rows of other classes may
    /// still have null.
    var isNeeded = true

    enum Kind {
      case value(ValueForm)
      /// The key of a row of the table with this number.
      case reference(table: Int, onDeletion: DeletionRule)
      /// The place of the row in the list of the row that another column references.
      case place(of: Int)
    }

    /// The action of the database on a row when the row that it references is deleted.
    enum DeletionRule { case delete, setNull, refuse }

    var type: ColumnType {
      switch kind {
      case .value(let form): form.column
      case .reference: .uuid
      case .place: .bigint
      }
    }
  }

  /// A class whose objects are rows of a table.
  struct TableClass {
    let type: _ModelType
    let form: ImageForm
    /// By property; nil for one that is not stored.
    var members: [Member?] { didSet { properties = Self.properties(of: members) } }
    /// The property of each member.
    private(set) var properties: [Member: Int]

    init(type: _ModelType, form: ImageForm, members: [Member?]) {
      (self.type, self.form, self.members) = (type, form, members)
      properties = Self.properties(of: members)
    }

    private static func properties(of members: [Member?]) -> [Member: Int] {
      var found: [Member: Int] = [:]
      for (property, member) in members.enumerated() { if let member { found[member] = property } }
      return found
    }

    /// The place where a property is stored.
    enum Member: Hashable, Sendable {
      case value(column: Int)
      /// The key of another row, in this one.
      case reference(column: Int)
      /// The row of a table whose column references this one.
      case found(table: Int, column: Int)
      /// All such rows, in the order of the column with their places.
      case list(table: Int, column: Int, place: Int)
      /// Rows of the table of links with this number. If both sides have a property, the flag says
      /// which side this is.
      case links(Int, isFirst: Bool)
    }
  }

  /// A table of pairs for a list whose members can be in other lists too.
  struct LinkTable {
    var name: SQLName
    /// Numbers of tables.
    var first: Int
    var second: Int

    static let firstKey = SQLName(exactly: "owner")
    static let secondKey = SQLName(exactly: "member")
    /// The member's place in the owner's list, and the owner's place in the member's list.
    static let firstPlace = SQLName(exactly: "owner_place")
    static let secondPlace = SQLName(exactly: "member_place")
  }
#endif
