import RoostFile
import RoostRecords
import RoostTransfer

/// An entity that `import --create` makes of a text's columns.
struct ImportCreation {
  let entity: String
  let records: Int
  /// The names of the properties, by column.
  private(set) var names: [String: String] = [:]
  private let columns: [ColumnTypes.Column]

  init(_ file: String, _ format: TextFormat, options: TextImportOptions) throws {
    entity = options.entity
    guard Self.isName(entity), entity.first?.isLetter == true else {
      throw UsageError(sentence: "'\(entity)' cannot be the name of a class: write letters and digits, as in 'Track'")
    }
    guard file != "-" else {
      throw UsageError(sentence: "'--create' reads the text twice, so it needs a file and not standard input")
    }
    var types = ColumnTypes(
      ignoring: Set(options.renames.filter { $0.value == nil }.keys), limits: options.limits)
    try types.read(try InputFile.open(file).input, format)
    guard !types.columns.isEmpty else { throw CheckFailure(sentence: "\(file) has no columns") }
    (columns, records) = (types.columns, types.records)
    var taken: Set<String> = []
    for column in columns {
      if let given = options.renames[column.name] ?? nil {
        guard Self.isName(given), taken.insert(given).inserted else {
          throw UsageError(sentence: "'\(given)' cannot be the name of a property, or two columns have it")
        }
        names[column.name] = given
      }
    }
    for column in columns where names[column.name] == nil {
      let name = Self.property(column.name)
      var unique = name
      var number = 2
      while !taken.insert(unique).inserted { (unique, number) = (name + "\(number)", number + 1) }
      names[column.name] = unique
    }
  }

  /// Adds the entity to a catalog.
  func add(to catalog: inout Catalog) throws {
    guard catalog.entity(entity) == nil else {
      throw CheckFailure(sentence: "the store has '\(entity)' already: import without '--create'")
    }
    try catalog.add(entity: entity) { (made) throws(RecordFault) in
      for column in columns {
        try made.add(names[column.name] ?? column.name, column.type, isOptional: column.values < records)
      }
    }
  }

  /// The class as Swift code.
  var text: [String] {
    get throws {
      var catalog = Catalog()
      try add(to: &catalog)
      return SchemaText(catalog).lines
    }
  }

  // MARK: Names

  /// Names that every model has already.
  private static let reserved: Set<String> = [
    "persistentModelID", "modelContext", "hasChanges", "isDeleted", "persistentBackingData", "self", "init", "Type",
  ]

  private static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" else { return false }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && !reserved.contains(text)
  }

  /// `Release Date` becomes `releaseDate`, `2nd` becomes `column2nd`.
  static func property(_ column: String) -> String {
    let words = column.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    var name = ""
    for word in words {
      if name.isEmpty {
        let isShout = word.allSatisfy { !$0.isLowercase }
        name = isShout ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
      } else {
        name += word.prefix(1).uppercased() + word.dropFirst()
      }
    }
    if name.isEmpty { return "column" }
    if let first = name.first, !first.isLetter, first != "_" { name = "column" + name }
    return isName(name) ? name : name + "Value"
  }
}
