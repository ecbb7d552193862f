import Foundation
import RoostImport
import SwiftData
import Testing

enum Paint: String, Codable { case red, blue }

@Model final class Form {
  @Attribute(.unique) var code: Int
  var flag: Bool?
  var int: Int?
  var small: Int8?
  var double: Double?
  var decimal: Decimal?
  var text: String?
  var date: Date?
  var uuid: UUID?
  var url: URL?
  var data: Data?
  var paint: Paint?
  var list: [Int]?
  var pairs: [String: Int]?

  init(code: Int) { self.code = code }

  /// The property of each type in the guide's table.
  static let properties = [
    "Bool": "flag", "Int": "int", "Int8": "small", "Double": "double", "Decimal": "decimal", "String": "text",
    "Date": "date",
    "UUID": "uuid", "URL": "url", "Data": "data", "an enum": "paint", "[Int]": "list", "[String: Int]": "pairs",
  ]

  /// The imported value, as the guide writes it.
  var shown: [String] {
    let values: [Any?] = [
      flag, int, small, double, decimal, text, date?.ISO8601Format(), uuid, url, data, paint, list, pairs,
    ]
    return values.compactMap { $0.map { "\($0)" } }
  }
}

/// Tries each row of the table in the guide to imports: the values that each type accepts.
@Suite struct AcceptedFormsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var type: String
    var value: String
    var cells: [String]
    var json: [String]
    var refused: [String]

    var testDescription: String { "\(type) \(value)" }
  }

  static let rows: [Row] = {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let guide = tests.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/Roost/Roost.docc/ImportExport.md")
    let page = (try? String(contentsOf: guide, encoding: .utf8)) ?? ""
    let lines = page.components(separatedBy: "\n").drop { !$0.hasPrefix("| Type | Value |") }.dropFirst(2)
    return lines.prefix { $0.hasPrefix("|") }.map { line in
      let columns = line.components(separatedBy: "|").dropFirst().dropLast().map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      func code(_ column: Int) -> [String] {
        columns[column].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      }
      return Row(
        type: code(0).first ?? columns[0], value: code(1).first ?? "", cells: code(2), json: code(3), refused: code(4))
    }
  }()

  private func imported(_ text: String, _ format: ImportSource.Format) throws -> [String] {
    let container = try ModelContainer(for: Form.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try container.importer(for: Form.self).run(.text(text, format))
    return try ModelContext(container).fetch(FetchDescriptor<Form>()).flatMap(\.shown)
  }

  @Test func `the table has a row for each type`() {
    #expect(Set(Self.rows.map(\.type)) == Set(Form.properties.keys))
    #expect(Self.rows.allSatisfy { !$0.cells.isEmpty && !$0.json.isEmpty })
  }

  @Test(arguments: rows) func `a row of the table is right`(_ row: Row) throws {
    let name = try #require(Form.properties[row.type])
    let table = ImportSource.Format.csv(delimiter: "\t")
    for cell in row.cells {
      #expect(try imported("code\t\(name)\n1\t\(cell)\n", table) == [row.value], "the cell \(cell)")
      if row.type == "String" || cell.hasPrefix("\"") { continue }
      #expect(try imported("code\t\(name)\n1\t \(cell) \n", table) == [row.value], "blanks around the cell \(cell)")
    }
    for value in row.json {
      #expect(try imported("{\"code\": 1, \"\(name)\": \(value)}", .jsonLines) == [row.value], "in JSON, \(value)")
    }
    for cell in row.refused {
      let error = #expect(throws: RoostError.self, "the cell \(cell)") {
        try imported("code\t\(name)\n1\t\(cell)\n", table)
      }
      #expect(error?.importFault?.line == 2 && error?.code == .badInput)
    }
    #expect(try imported("code\t\(name)\n1\t\n", table) == [])
    #expect(try imported("{\"code\": 1, \"\(name)\": null}", .jsonLines) == [])
  }
}
