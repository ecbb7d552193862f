import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

enum Coin: String, Codable, CaseIterable { case euro = "EUR", dollar = "USD" }
enum Stage: Int, Codable { case draft = 1, done = 2 }
enum Tone: Codable { case high, low }

struct Price: Codable, Hashable {
  var amount: Double
  var coin: Coin
}

@Model final class Bill {
  @Attribute(.unique) var code: Int
  var name = ""
  var day: Date
  var paid = false
  var amount = 0.0
  var count: Int8?
  var coin = Coin.euro
  var stage: Stage?
  var coins: [Coin] = []
  var price: Price?
  var prices: [Price] = []
  var days: [Date] = []
  var page: URL?
  var tone = Tone.high

  init(_ code: Int, day: Date = Date(timeIntervalSinceReferenceDate: 0)) {
    self.code = code
    self.day = day
  }
}

/// Regression: the importer refused or misread files of other programs.
@Suite struct ImportFormTests {
  private let container: ModelContainer
  private let noon = Date(timeIntervalSinceReferenceDate: 736_259_400)

  init() throws {
    container = try ModelContainer(for: Bill.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func bills() throws -> [Int: Bill] {
    let found = try ModelContext(container).fetch(FetchDescriptor<Bill>())
    return Dictionary(uniqueKeysWithValues: found.map { ($0.code, $0) })
  }

  @discardableResult
  private func run(
    _ text: String, _ format: ImportSource.Format, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var importer = try container.importer(for: Bill.self)
    change(&importer.options)
    return try importer.run(.text(text, format))
  }

  private func fault(
    _ text: String, _ format: ImportSource.Format, _ change: (inout ImportOptions) -> Void = { _ in }
  ) -> ImportFault? {
    #expect(throws: RoostError.self) { try run(text, format, change) }?.importFault
  }

  // MARK: Dates

  /// Guides for users of other stores recommend JSON Lines. `JSONEncoder` writes dates as numbers.
  @Test func `the default output of JSONEncoder is imported`() throws {
    struct Record: Codable {
      var code: Int
      var day: Date
      var paid: Bool
      var days: [Date]
      var price: Price
    }
    let dates = [noon, noon + 0.25, Date.distantPast, Date.distantFuture, Date(timeIntervalSince1970: 0)]
    var lines = Data()
    for (code, date) in dates.enumerated() {
      lines += try JSONEncoder().encode(
        Record(code: code, day: date, paid: true, days: [date], price: Price(amount: 1.5, coin: .dollar)))
      lines += Data("\n".utf8)
    }
    try container.importer(for: Bill.self).run(.data(lines, .jsonLines))
    let found = try bills()
    for (code, date) in dates.enumerated() {
      #expect(found[code]?.day == date && found[code]?.days == [date] && found[code]?.paid == true)
      #expect(found[code]?.price == Price(amount: 1.5, coin: .dollar))
    }
  }

  /// The output of `sqlite3 -csv -header` for a database of GRDB or SQLiteData, as the guides
  /// recommend.
  @Test func `the table output of sqlite3 is imported`() throws {
    let table = """
      id,name,day,paid,amount,count,coin,stage
      1,"a ""b"" c","2024-05-01 12:30:00.000",1,12.5,,EUR,2
      2,"",2024-05-01T12:30:00Z,0,0.0,7,USD,

      """
    try run(table, .csv) { $0.columns = ["id": "code"] }
    let (one, two) = (try #require(try bills()[1]), try #require(try bills()[2]))
    #expect(one.name == "a \"b\" c" && one.day == noon && one.paid && one.amount == 12.5 && one.count == nil)
    #expect(two.name == "" && one.stage == .done && two.stage == nil && two.day == noon && !two.paid && two.count == 7)
    // Core Data's own file counts seconds since 2001.
    try run("id,day,paid\n3,736259400.0,1\n", .csv) {
      $0.columns = ["id": "code"]
      $0.dates = .secondsSince2001
    }
    #expect(try bills()[3]?.day == noon)
  }

  @Test(arguments: [
    (ImportOptions.DateForm.automatic, "736259400"), (.automatic, "\"2024-05-01T12:30:00Z\""),
    (.secondsSince2001, "736259400"), (.secondsSince1970, "1714566600"), (.secondsSince1970, "\"1714566600\""),
    (.secondsSince1970, "\"2024-05-01T12:30:00Z\""), (.millisecondsSince1970, "1714566600000"),
    (.iso8601, "\"2024-05-01 12:30\""), (.format("dd.MM.yyyy HH:mm"), "\"01.05.2024 12:30\""),
    (.format("M/d/yy h:mm a"), "\"5/1/24 12:30 PM\""), (.format("yyyyMMddHHmm"), "202405011230"),
    (.format("EEE, d MMM yyyy HH:mm:ss Z"), "\"Wed, 1 May 2024 14:30:00 +0200\""),
    (.format("yyyy-MM-dd'T'HH:mm:ss.SSSXXX"), "\"2024-05-01T12:30:00.000Z\""),
    (.format("d. MMMM y 'um' HH.mm"), "\"1. May 2024 um 12.30\""),
  ])
  func `dates in the named form`(_ form: ImportOptions.DateForm, _ written: String) throws {
    try run("{\"code\": 1, \"day\": \(written), \"days\": [\(written)]}", .jsonLines) { $0.dates = form }
    #expect(try bills()[1]?.day == noon && bills()[1]?.days == [noon])
    // Also in a table, except for forms that only JSON can express.
    if form == .automatic, !written.hasPrefix("\"") { return }
    try run("code;day\n2; \(written) \n".replacing("\"", with: ""), .csv(delimiter: ";")) { $0.dates = form }
    #expect(try bills()[2]?.day == noon)
  }

  @Test(arguments: [
    // Milliseconds, which would be a date far beyond all calendars.
    (ImportOptions.DateForm.automatic, "1714566600000", ImportFault.Reason.outOfRange),
    (.automatic, "\"1714566600\"", .wrongType), (.iso8601, "736259400", .wrongType),
    (.secondsSince1970, "\"soon\"", .wrongType), (.secondsSince1970, "\"nan\"", .wrongType),
    (.format("dd.MM.yyyy"), "\"31.02.2024\"", .wrongType), (.format("dd.MM.yyyy"), "\"2024-05-01\"", .wrongType),
    (.format("dd.MM.yyyy"), "\"01.05.2024 x\"", .wrongType), (.format("h y a"), "\"13 2024 am\"", .wrongType),
    (.format("yyyy HH"), "\"2024 24\"", .wrongType),
  ])
  func `dates in another form`(
    _ form: ImportOptions.DateForm, _ written: String, _ reason: ImportFault.Reason
  ) throws {
    let found = fault("{\"code\": 1, \"day\": \(written)}", .jsonLines) { $0.dates = form }
    #expect(found?.reason == reason && found?.field == "day" && found?.line == 1)
    #expect(found?.detail.contains("found \(written)") == true, "\(found as Any)")
  }

  @Test(arguments: ["dd.MM", "yyyy qq", "yyyy 'x", "yyyyy", ""])
  func `an invalid date format is refused before a record is read`(_ format: String) throws {
    let error = #expect(throws: RoostError.self) { try run("code,day\n", .csv) { $0.dates = .format(format) } }
    #expect(error?.code == .badValue && error?.description.contains("the date format '\(format)'") == true)
  }

  // MARK: Tables

  @Test(arguments: ["Code,NAME,day", " code , name,day ", "code,\" Name \",Day"])
  func `column names in any case and with blanks around them`(_ header: String) throws {
    try run("\(header)\n 1 , a b ,2024-05-01 \n", .csv)
    // Blanks around a text belong to it.
    #expect(try bills()[1]?.name == " a b ")
    let twice = fault("code,Code,day\n1,1,2024-05-01\n", .csv)
    #expect(twice?.reason == .duplicate)
    try run("[{\"CODE\": 2, \"day\": 0, \"Price\": {\"Amount\": 2, \"Coin\": \"EUR\"}}]", .json)
    #expect(try bills()[2]?.price == Price(amount: 2, coin: .euro))
    try run("Nr,Day\n3,2024-05-01\n", .csv) { $0.columns = ["nr": "code"] }
    #expect(try bills().count == 3)
  }

  @Test(arguments: [
    "code;name;day\n1;a,b;2024-05-01\n", "code\tname\tday\r\n1\ta,b\t2024-05-01", "code,name,day\n1,\"a,b\",2024-05-01",
    "\n\"code\";\"name\";\"day\"\n1;\"a,b\";2024-05-01\n", "\u{FEFF}code;name;day\n1;a,b;2024-05-01\n",
  ])
  func `the first line tells the delimiter`(_ text: String) throws {
    try run(text, .csv)
    #expect(try bills()[1]?.name == "a,b")
    // A given delimiter is not guessed.
    if !text.contains("code,") { #expect(fault(text, .csv(delimiter: ","))?.reason != nil) }
    try run("2;a,b,c,d;2024-05-01\n", .csv(columns: ["code", "name", "day"]))
    #expect(try bills()[2]?.name == "a,b,c,d")
  }

  /// A quote in the middle of a cell makes its record invalid, and hides no delimiter.
  @Test func `a stray quote in the first line does not hide the delimiter`() throws {
    let text = "7\";a,b;2024-05-01\n8;c,d;2024-05-01\n"
    let report = try run(text, .csv(columns: ["code", "name", "day"])) { $0.badRecords = .skip(upTo: 1) }
    #expect(try report.progress.inserted == 1 && bills()[8]?.name == "c,d")
  }

  @Test func `invalid records of a table keep their delimiter`() throws {
    let folder = try Folder()
    let report = try run("code;name;day\nx;a;2024-05-01\n2;b;2024-05-01\n", .csv) {
      $0.badRecords = .skip(upTo: 1)
      $0.rejects = folder.file("rejects.csv")
    }
    #expect(report.progress.inserted == 1)
    let rejects = try String(contentsOf: folder.file("rejects.csv"), encoding: .utf8)
    #expect(rejects == "code;name;day\nx;a;2024-05-01\n")
  }

  // MARK: Values

  @Test func `Booleans are also 0 and 1 in JSON`() throws {
    try run("[{\"code\": 1, \"day\": 0, \"paid\": 1}, {\"code\": 2, \"day\": 0, \"paid\": 0}]", .json)
    #expect(try bills().mapValues(\.paid) == [1: true, 2: false])
    for wrong in ["2", "1.0", "-1", "\"on\""] {
      let found = fault("{\"code\": 1, \"day\": 0, \"paid\": \(wrong)}", .jsonLines)
      #expect(found?.reason == .wrongType && found?.detail == "true or false is expected, found \(wrong)")
    }
  }

  @Test func `a message shows the wrong value, shortened`() throws {
    let cell = fault("code,amount,day\n1,\"12,50\",2024-05-01\n", .csv)
    #expect(cell?.detail == "a number is expected, found \"12,50\"" && cell?.line == 2 && cell?.column == 3)
    #expect(fault("code,count,day\n1,300,2024-05-01\n", .csv)?.detail.hasSuffix(", found \"300\"") == true)
    #expect(fault("{\"code\": true}", .jsonLines)?.detail == "an integer is expected, found true")
    #expect(fault("{\"code\": [1, 2]}", .jsonLines)?.detail == "an integer is expected, found [1, 2]")
    // The element, and not the list.
    #expect(fault("{\"code\": 1, \"days\": [0, \"x\"]}", .jsonLines)?.detail.hasSuffix(", found \"x\"") == true)
    let long = fault("{\"code\": \"\(String(repeating: "é\n", count: 500).replacing("\n", with: "\\n"))\"}", .jsonLines)
    #expect(long?.detail.contains("…") == true && long!.detail.count < 120 && !long!.detail.contains("\n"))
  }

  // MARK: Cases

  /// Regression: a currency that the enum does not have was imported, read as the first case, and
  /// the row could not be saved or deleted.
  @Test(arguments: [
    ("coin", "\"GBP\"", "a case of Coin is expected (\"EUR\", \"USD\"), found \"GBP\""),
    ("stage", "3", "a case of Stage is expected (cases unknown), found 3"),
    ("coins", "[\"EUR\", \"GBP\"]", "a case of Coin is expected (\"EUR\", \"USD\"), found [\"EUR\", \"GBP\"]"),
    (
      "prices", "[{\"amount\": 1, \"coin\": \"x\"}]",
      "a case of Coin is expected (\"EUR\", \"USD\"), found [{\"amount\": 1, \"coin\": \"x\"}]"
    ),
    ("price", "{\"amount\": 1, \"coin\": \"x\"}", "a case of Coin is expected (\"EUR\", \"USD\"), found \"x\""),
    ("tone", "\"high\"", "the bytes of a value of type Tone are expected, found \"high\""),
    ("page", "\"http://[\"", "a value of type URL is expected, found \"http://[\""),
  ])
  func `an enum value outside its cases is an invalid record`(
    _ field: String, _ value: String, _ detail: String
  ) throws {
    let good =
      "{\"code\": 1, \"day\": 0, \"coin\": \"USD\", \"coins\": [\"USD\"], \"stage\": 2, \"page\": \"https://a.b\"}"
    let text =
      good + "\n{\"code\": 2, \"day\": 0, \"\(field)\": \(value)}\n{\"code\": 3, \"day\": 0, \"\(field)\": \(value)}\n"
    let report = try run(text, .jsonLines) { $0.badRecords = .skip(upTo: 2) }
    #expect(report.progress.inserted == 1 && report.faults.map(\.line) == [2, 3])
    for fault in report.faults {
      #expect(fault.reason == .wrongType && fault.detail == detail)
      #expect(fault.field == (field == "price" ? "price.coin" : field))
    }
    let bill = try #require(try bills()[1])
    #expect(bill.coin == .dollar && bill.coins == [.dollar] && bill.stage == .done)
  }

  @Test func `an enum's cases in a table, and nil`() throws {
    try run("code,day,coin,stage\n1,2024-05-01, USD ,2\n2,2024-05-01,EUR,\n", .csv)
    #expect(try bills()[1]?.coin == .dollar && bills()[1]?.stage == .done && bills()[2]?.stage == nil)
    let found = fault("code,day,coin\n1,2024-05-01,EUR\n2,2024-05-01,GBP\n3,2024-05-01,USD\n", .csv)
    #expect(found?.line == 3 && found?.column == 14 && found?.field == "coin")
    // By the name of the class too.
    let error = #expect(throws: RoostError.self) {
      try container.importer(forEntity: "Bill").run(.text("code,day,coin\n2,2024-05-01,GBP\n", .csv))
    }
    #expect(error?.importFault?.field == "coin")
  }
}
