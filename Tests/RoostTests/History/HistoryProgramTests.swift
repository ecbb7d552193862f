import Foundation
import SwiftData
import Testing

/// The program that wrote a transaction, in `bundleIdentifier` and `processIdentifier`.
@Suite(.timeLimit(.minutes(30))) struct HistoryProgramTests {
  private static var own: (program: String, process: String) {
    let process = ProcessInfo.processInfo
    return (Bundle.main.bundleIdentifier ?? process.processName, "\(process.processIdentifier)")
  }

  private static func open(_ file: URL, saves: Bool = true) throws -> ModelContainer {
    try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: file, allowsSave: saves))
  }

  /// The work of a child process; it prints its process number.
  private static func save(in folder: URL) throws {
    let container = try open(folder.appending(path: "store.roost"))
    let context = ModelContext(container)
    context.insert(Artist("child \(own.process)"))
    try context.save()
    try container.close()
    print("PROCESS \(own.process)")
    fflush(nil)
  }

  private static func saveInChild(_ folder: URL) async throws -> String {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      [folder = folder as URL] in
      try HistoryProgramTests.save(in: folder)
    }
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("PROCESS ") })
    return String(line.dropFirst(8))
  }

  @Test func `a transaction names the program and the process that wrote it`() async throws {
    let folder = try Folder()
    let children = [try await Self.saveInChild(folder.url), try await Self.saveInChild(folder.url)]
    let container = try Self.open(folder.file())
    let context = ModelContext(container)
    context.insert(Artist("parent"))
    try context.save()
    let all = try context.all()
    // The earlier transactions made the models' tables.
    let told = all.suffix(3)
    #expect(told.map(\.processIdentifier) == children + [Self.own.process] && Set(children).count == 2)
    #expect(Set(all.map(\.bundleIdentifier)) == [Self.own.program] && !Self.own.program.isEmpty)
    let child = children[1]
    let found = try context.all(#Predicate { $0.processIdentifier == child && $0.author == nil })
    #expect(found.map(\.token) == [told[told.startIndex + 1].token])
    // A container for reading and one of a past state find the same.
    try container.close()
    let reader = try Self.open(folder.file(), saves: false)
    #expect(try ModelContext(reader).all().map(\.processIdentifier) == all.map(\.processIdentifier))
  }

  @Test func `every way of writing is recorded`() throws {
    let folder = try Folder()
    let container = try Self.open(folder.file())
    let context = ModelContext(container)
    context.insert(Artist("one"))
    try context.save()
    try context.update(model: Artist.self) { $0.name += "!" }
    try context.save()
    try context.delete(model: Artist.self)
    try context.save()
    let all = try context.all()
    #expect(all.count >= 3)
    #expect(all.allSatisfy { $0.bundleIdentifier == Self.own.program && $0.processIdentifier == Self.own.process })
    let memory = ModelContext(
      try ModelContainer(for: Artist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    memory.insert(Artist("two"))
    try memory.save()
    #expect(try memory.all().allSatisfy { $0.processIdentifier == Self.own.process })
  }

  @Test func `predicates on program and process equal a test of each transaction`() throws {
    let container = try makeHarbor()
    let context = ModelContext(container)
    for number in 0..<5 {
      context.author = number % 2 == 0 ? "even" : nil
      context.insert(Ship("\(number)"))
      try context.save()
    }
    let (program, process) = Self.own
    let all = try context.all()
    let token = all[2].token
    func check(_ predicate: Predicate<Transaction>, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation)
      throws
    {
      let found = try context.all(predicate)
      #expect(try found == all.filter { try predicate.evaluate($0) }, sourceLocation: sourceLocation)
      #expect(found.count == count, sourceLocation: sourceLocation)
    }
    try check(#Predicate { $0.bundleIdentifier == program }, all.count)
    try check(#Predicate { process == $0.processIdentifier }, all.count)
    try check(#Predicate { $0.bundleIdentifier == program && $0.author == "even" }, 3)
    try check(#Predicate { $0.token > token && $0.processIdentifier == process }, all.count - 3)
    try check(#Predicate { $0.bundleIdentifier == "" }, 0)
    try check(#Predicate { $0.processIdentifier == "0" }, 0)
    try check(#Predicate { $0.bundleIdentifier == program && $0.bundleIdentifier == "another" }, 0)
    try check(#Predicate { $0.bundleIdentifier != program || $0.processIdentifier == process }, all.count)
    var descriptor = HistoryDescriptor<Transaction>(predicate: #Predicate { $0.bundleIdentifier == program })
    descriptor.sortBy = [SortDescriptor(\.processIdentifier), SortDescriptor(\.token, order: .reverse)]
    #expect(try context.fetchHistory(descriptor) == all.reversed())
    // History is removed from the oldest transaction on, whichever program wrote it.
    #expect(throws: SwiftDataError.self) { try context.deleteHistory(descriptor) }
  }
}
