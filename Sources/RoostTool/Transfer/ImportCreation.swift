import RoostFile
import RoostRecords
import RoostTransfer

/// An entity that `import --create` makes from a text's columns.
struct ImportCreation {
  let entity: String
  let records: Int
  /// The names of the properties, by column.
  private(set) var names: [String: String] = [:]
  private let columns: [ColumnTypes.Column]

  init(_ file: String, _ format: TextFormat, options: TextImportOptions) throws {
    entity = options.entity
    guard Self.isWord(entity), entity.first?.isLetter == true else {
      throw UsageError(sentence: "'\(entity)' cannot be the name of a class: write letters and digits, as in 'Track'")
    }
    if SchemaText.words.contains(entity) || Self.types.contains(entity) {
      throw UsageError(
        sentence:
          "'\(entity)' cannot be the name of a class, because Swift has \(SchemaText.words.contains(entity) ? "a word" : "a type") of this "
          + "name: choose another one, as in '\(entity.prefix(1).uppercased() + entity.dropFirst())Record'")
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
          throw UsageError(
            sentence: Self.isName(given)
              ? "Two columns have the name '\(given)': choose another one with '--rename'"
              : "'\(given)' cannot be the name of a property: choose another one with '--rename'")
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

  /// Names that every model already has.
  private static let reserved: Set<String> = [
    "persistentModelID", "modelContext", "hasChanges", "isDeleted", "persistentBackingData", "self", "Self", "init",
    "Type", "Protocol", "hashValue", "debugDescription", "customMirror",
  ]
  /// Types that a class's properties or its macros use.
  private static let types: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
    "Decimal", "String", "Character", "Data", "Date", "UUID", "URL", "Array", "Set", "Dictionary", "Optional", "Any",
    "AnyObject", "Type", "Protocol", "Self", "Never", "Void", "Error", "Result", "Codable", "Hashable", "Sendable",
    "Identifiable", "Observable", "Schema", "Model", "ModelContext", "ModelContainer", "PersistentModel",
    "PersistentIdentifier", "Predicate", "SortDescriptor", "FetchDescriptor", "Foundation", "SwiftData", "Swift",
    "Roost",
  ]

  private static func isWord(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" else { return false }
    return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  private static func isName(_ text: String) -> Bool {
    isWord(text) && !reserved.contains(text) && !types.contains(text) && !text.hasPrefix("_")
  }

  /// `Release Date` becomes `releaseDate`, `2nd` becomes `column2nd`.
  static func property(_ column: String) -> String {
    // Names that begin with an underscore are reserved for the macros.
    let words = column.drop { $0 == "_" }.split { !($0.isLetter || $0.isNumber || $0 == "_") }
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
