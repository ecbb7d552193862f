import Foundation
import Testing

/// Checks that a file uses only types of its own folder and of lower ones.
///
/// The compiler refuses upward imports between modules, but does not check folders. A file uses a
/// folder if it names a type that only files of that folder declare, also in an extension. A file
/// at the root of a module belongs to the folder `.`.
@Suite struct FolderTests {
  /// The folders of each module, the lowest first, with their purpose. `.` is the module's root.
  static let floors: [String: String] = [
    "Roost": """
    Values                  stored forms of Foundation's values, identifiers of models, and what a type's metadata tells
    Rules                   rules for values, and what a model's own check refuses
    Errors                  errors, and warnings that are printed once
    Testing                 devices that fail on demand, for a program's own tests
    Tracing                 trace events, and the tracer of a store
    Models                  model classes, their values, and the schema that is made of them
    KeyPaths                finds the stored property that a key path names
    Searching/Texts         the texts of a model, questions to them, and what a person types
    Predicates              what an expression becomes: a condition of the engine, a step in memory, a text, a template
    Predicates/Computing    computes expressions in memory
    Predicates/Wording      expressions as text
    Predicates/Expressions  translates Foundation's expressions to conditions
    Predicates/Templates    keeps the translation of a predicate for the next one of its shape
    History                 tokens, changes and transactions of the history
    Fetching/Sorting        sort descriptors as orders of the engine
    Stores                  configurations, and the stores that are open
    Context                 containers, their contexts, saving, migration plans
    Fetching                fetch descriptors and fetches
    Snapshots               models as values
    DataStores              stores of a program's own, and the working sets that hold what they returned
    Undo                    undo and redo of a context's changes
    Selecting/Rows          reads rows without models, and joins them
    Aggregates              sums, averages and groups
    Selecting               values of models without the models, ranks
    Searching               full text searches with ranks and snippets
    Live                    results that follow what is committed, and observers of a context's results
    History/Reading         fetches, streams and consumers of the history
    Importing               imports of models and snapshots
    Actors                  model actors
    Bulk                    changes and deletions without objects
    Foundation              parts of Foundation that Linux lacks
    .                       the macros
    """,
    "RoostGraph": """
    Rules      rules for values, and the check of a row that is put together
    .          the error type of objects
    Rows       the bytes of a row: where each value is, and what writes and reads it there
    Forms      how each Swift type is stored: its coder
    Objects    a model's class and its objects, as @Model makes them: properties, state, slots
    Contents   all slots of an object at once: into a row and out of it, emptied, filled, printed
    Accessors  what getters and setters do, and the observers that they tell
    Store      the store of a container, which class of models has which rows, and what the store's history means
    History    what a commit changed, told by models and properties
    Session    the lock and the snapshot of a context, and the end of its calls
    Identity   the objects of a context by their rows, and their loading
    Changes    what waits for a save
    Links      the relationships of a context's objects
    Snapshots  copies of objects that no context owns
    Following  takes over what other contexts commit
    Saving     writes the changes of a context in one transaction
    Bulk       writes of many rows without objects
    Context    the context: the entry to its owners; and the notice of rows that are stored without objects
    """,
    "RoostExpansion": """
    Predicates  the expansion of #Predicate
    .           the other macros
    """,
    "RoostQuery": """
    Expressions  conditions as trees, the kinds of their values, their text
    Searching    the answers of full text indexes, and sets of rows
    Checking     an expression and a catalog become checked terms
    Text         comparing, folding and searching text
    Interpreter  computes any term, slowly and plainly
    Constraints  what a condition requires of single fields, and the key ranges of indexes that follow from it
    Program      compiles a term to instructions and runs them over a row
    Plans        a query, the ways to find its rows, what they cost, and the chosen plan
    Execution    runs a plan: goes through indexes and rows, and sorts
    Planning     finds the cheapest plan for a query, and keeps plans for the next one
    Aggregates   counts, sums and groups in one pass
    Writing      changes and deletes the rows that a query finds
    """,
    "RoostRecords": """
    .              numbers that name entities, fields and rows; the error; a buffer of bytes
    Values         values of fields, their types and their bytes
    Rows           the layout of a row's bytes: reading, building and comparing them
    Keys           values as bytes that sort as the values do
    Catalog        the entities, fields, indexes and relationships of a store
    Indexes        entries of an index: made from rows, kept until they are sorted, put into the tree
    FullText       full text indexes: their trees, their changes with each row, and questions to them
    Reading        rows and entries of indexes, as a snapshot or a transaction reads them
    Derived        changes of derived fields, and their values computed from members
    Links          the lists of relationships: their trees, orders and members
    History        entries, tokens and consumers of the history, and what a transaction notes for it
    Tables         all rows of a store while one transaction changes them, and the log's records
    Store          the store, its snapshots and its write transactions
    Relationships  changes of links, and delete rules
    Importing      what an import keeps in the store until it is done
    Care           verifies rows, indexes, links and history
    Salvage        makes a damaged store agree, and replays its log
    Witness        reads a store beside the process that owns it
    """,
    "RoostTestSupport": """
    .                   seeds, temporary folders, what the compiler says
    Simulation          a file system in memory that crashes and fails on demand
    Torture             plays of random work on a store, their judges, and ways to spoil a store
    Torture/Conditions  random conditions and rows, compared with a plain judge
    Torture/Rows        plays of random work on rows
    Golden              stores that each version of the file format wrote
    Torture/Trials      the numbered trials over all of it, and what they sabotage
    """,
    "RoostTool": """
    Command   arguments, the console, errors and exit codes
    Terminal  the line editor, keys, raw mode, and the pager
    Rows      commands that show rows and their history
    Bench     the command bench
    Inspect   commands that show a store's structure and verify it
    Care      commands that back up, compact and salvage
    Tour      the command tour
    Transfer  commands that import, export, dump, load and compare
    Shell     the interactive shell, and completions for other shells
    Serve     a page that shows a store in a browser
    """,
    "RoostPostgres": """
    Wire       connections, statements, answers, and what the server refuses
    Mapping    tables, columns, keys and places in lists, and the forms of values
    Shape      brings the tables of a database to the form that the models need
    Following  waits for what other programs save, and reads it
    Store      the store: which rows are selected, and saves
    Importing  chunks of imports: rows that are copied into tables
    Asking     fetches: conditions and orders as SQL
    History    what all programs saved
    Moving     copies all models between a file and a database, and compares both sides
    """,
    "RoostText": """
    .          the entries that an index reads and writes, and its counts
    Analysis   texts become terms; the definition of an index
    Questions  the query language
    Segments   the bytes of segments, posting lists and waiting rows
    Reading    searches and ranks
    Writing    adds, removes and merges
    Snippets   the part of a text that shows a match
    Care       verifies an index
    """,
    "RoostTransfer": """
    .          bounds of a text
    Input      bytes of a text, unpacked
    Reading    texts as records of tokens
    Values     values as text, and text as values
    Importing  records become rows
    Asking     a question in words becomes a condition
    Exporting  rows become text
    """,
  ]

  /// Returns a module's folders from the lowest to the highest.
  static func order(_ module: String) -> [String] {
    floors[module, default: ""].split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  struct File {
    var path: String
    var folder: String
    var names: SourceNames
  }

  /// The files of each module that has folders.
  static let modules: [String: [File]] = {
    let files = HouseTests.sources.map { source in
      let folders = source.path.split(separator: "/").dropFirst().dropLast()
      return (
        source.floor,
        File(
          path: source.path, folder: folders.isEmpty ? "." : folders.joined(separator: "/"),
          names: SourceNames(source.text))
      )
    }
    return Dictionary(grouping: files, by: \.0).mapValues { $0.map(\.1) }
      .filter { $0.value.contains { $0.folder != "." } }
  }()

  /// A use of a type that a file of a higher folder declares.
  struct UpwardUse {
    var place: String
    var name: String
    var step: String
  }

  /// Returns the upward uses among files. `order` names the folders from the lowest to the highest.
  static func upwardUses(_ files: [File], _ order: [String]) -> [UpwardUse] {
    var owners: [String: [File]] = [:]
    for file in files { for name in file.names.declared { owners[name, default: []].append(file) } }
    let floors = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    var found: [UpwardUse] = []
    for file in files {
      for use in file.names.uses {
        guard let owner = owners[use.name], owner.count == 1, let floor = floors[file.folder] else { continue }
        guard let other = floors[owner[0].folder], floor < other else { continue }
        let step = "\(file.folder) > \(owner[0].folder)"
        found.append(UpwardUse(place: "\(file.path):\(use.line)", name: use.name, step: step))
      }
    }
    return found
  }

  @Test func `the table names every folder`() {
    #expect(Set(Self.floors.keys) == Set(Self.modules.keys))
    for (module, files) in Self.modules {
      let named = Self.order(module)
      #expect(Set(named) == Set(files.map(\.folder)), "the folders of \(module)")
      #expect(Set(named).count == named.count, "a folder of \(module) is listed twice in the table")
    }
  }

  @Test func `no file uses a higher folder`() {
    for (module, files) in Self.modules {
      for use in Self.upwardUses(files, Self.order(module)) {
        Issue.record("\(use.place) uses \(use.name) of a higher folder: \(use.step)")
      }
    }
  }

  @Test(arguments: [
    ("struct A { struct B {} }\nenum C {}", ["A", "C"]), ("/* struct A {} */ // struct B {}\nactor C {}", ["C"]),
    ("let a = \"struct A {\"\nprotocol B {}", ["B"]), ("#if os(Linux)\n  typealias A = Int\n#endif", ["A"]),
    ("let a = \"\\(b(\"}\"))}\"\nclass A {}", ["A"]), ("let a = #\"\\(}\"\"#\nclass A {}", ["A"]),
    ("let a = \"\"\"\n  \"}\\(b)\\\"}\n  \"\"\"\nclass A {}", ["A"]),
  ])
  func `what a file declares`(text: String, names: [String]) { #expect(SourceNames(text).declared == Set(names)) }

  @Test(arguments: [
    ("extension A {\n  func b(_ c: [B]) { C() }\n}", ["A1", "B2", "C2"]), ("a.B\nA.B", ["A2"]),
    ("let a = \"A\" // A\n/* A\n/* A */ A */ B", ["B3"]),
    ("let a = \"A\\(B.c)A\"\nC", ["B1", "C2"]), ("struct A { enum B {}; var b: B; var c: C }", ["C1"]), ("`A`", ["A1"]),
  ])
  func `what a file uses`(text: String, uses: [String]) {
    #expect(SourceNames(text).uses.map { "\($0.name)\($0.line)" } == uses)
  }

  @Test func `upward uses are found`() {
    func file(_ folder: String, _ text: String) -> File {
      File(path: folder + ".swift", folder: folder, names: SourceNames(text))
    }
    let files = [
      file("Low", "struct Low {}\nextension High { func a(_ b: Both) {} }"),
      file("High", "struct High { var low: Low }\nenum Both {}"),
      file("Top", "enum Both {}"),
    ]
    let found = Self.upwardUses(files, ["Low", "High", "Top"])
    #expect(
      found.map(\.place) == ["Low.swift:2"] && found.map(\.name) == ["High"] && found.map(\.step) == ["Low > High"])
    #expect(Self.upwardUses(files, ["High", "Low", "Top"]).map(\.name) == ["Low"])
  }
}
