#if Postgres
  internal import RoostRecords

  /// A part of a condition in SQL.
  ///
  /// ## Invariants
  /// 1. In rows where none of the doubts is true, the text has the value that the engine computes,
  ///    and the engine computes it without an error.
  /// 2. The text is NULL only if `isOptional` is true or a doubt is true. A doubt that is NULL
  ///    counts as false: it belongs to a branch of `if let` that is not taken.
  /// 3. The server computes the text and the doubts of every row without an error.
  struct Written {
    var text: String
    /// Whether its value is NULL if the Swift value is nil.
    var isOptional = false
    /// The value, if it is known without a row.
    var constant: Value?
    var doubts: [Doubt] = []
    /// The SQL of the indexed part of the value; nil without an index.
    var indexed: String?
    /// Whether the text is true for each row in doubt. Then it needs no `OR` with the doubts.
    var includesDoubts = false

    init(_ text: String, isOptional: Bool = false, doubts: [Doubt] = []) {
      (self.text, self.isOptional, self.doubts) = (text, isOptional, doubts)
    }

    /// A condition that is true at least for the rows for which this one is true or raises an
    /// error.
    var wider: String {
      doubts.isEmpty || includesDoubts ? text : SQLText.any([text] + doubts.map(\.text))
    }

    var byteCount: Int { doubts.reduce(text.utf8.count) { $0 + $1.text.utf8.count } }
  }

  /// A condition in SQL for the rows whose value the server may get wrong. The program tests these
  /// rows itself.
  struct Doubt {
    var text: String
    /// Whether the engine may raise an error for these rows.
    var isFault: Bool
  }
#endif
