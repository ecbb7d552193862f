#if Postgres
  internal import RoostRecords

  /// A part of a condition in SQL.
  ///
  /// ## Invariants
  /// 1. In rows where none of the doubts is true, the text has the value that the engine computes, and computing it is no fault.
  /// 2. The text is NULL only where `isOptional` says so, or where a doubt is true. A doubt that is NULL says the same as false: it is about
  ///    a branch of `if let` that is not taken.
  /// 3. The server computes the text and the doubts of every row without an error.
  struct Written {
    var text: String
    /// Whether its value is NULL if the Swift value is nil.
    var isOptional = false
    /// The value, where it is known without a row.
    var constant: Value?
    var doubts: [Doubt] = []
    /// What an index has of the text's value; nil without an index.
    var indexed: String?
    /// Whether the text is true for each row in doubt. Then it needs no `OR` with the doubts.
    var includesDoubts = false

    init(_ text: String, isOptional: Bool = false, doubts: [Doubt] = []) {
      (self.text, self.isOptional, self.doubts) = (text, isOptional, doubts)
    }

    /// What is true for at least all rows for which a condition is true or at fault.
    var wider: String {
      doubts.isEmpty || includesDoubts ? text : SQLText.any([text] + doubts.map(\.text))
    }

    var byteCount: Int { doubts.reduce(text.utf8.count) { $0 + $1.text.utf8.count } }
  }

  /// A condition in SQL for the rows whose value the server may get wrong. The program tests these rows itself.
  struct Doubt {
    var text: String
    /// Whether the engine may raise a fault there.
    var isFault: Bool
  }

  enum SQLText {
    static func any(_ conditions: [String]) -> String {
      conditions.count == 1 ? conditions[0] : "(\(conditions.joined(separator: " OR ")))"
    }

    static func all(_ conditions: [String]) -> String {
      conditions.isEmpty ? "true" : conditions.count == 1 ? conditions[0] : "(\(conditions.joined(separator: " AND ")))"
    }

    /// The same test of a named row, compared with something true that the planner does not know.
    ///
    /// A test that the planner finds to be false for all rows drops joins with the zone, and Citus refuses a statement in which it does not
    /// see them.
    static func opaque(_ test: String, of alias: String) -> String {
      "((\(test)) IS TRUE) = (\(Table.key.of(alias)) IS NOT NULL)"
    }
  }

  extension SQLName {
    /// The name behind that of a table in a statement.
    func of(_ alias: String) -> String { "\(alias).\(self)" }
  }
#endif
