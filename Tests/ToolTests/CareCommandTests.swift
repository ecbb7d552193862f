import Foundation
import RoostFile
import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

/// `backup`, `compact` and `salvage`.
@Suite struct CareCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func fill(_ store: KeyValueStore, _ count: Int = 3000) throws {
    try store.write { writer in
      let tree = try writer.tree("names")
      for index in 0..<count { try tree.put("name \(index)", "value \(index)") }
      try writer.table("rows").put(7, [UInt8](repeating: 7, count: 30_000))
    }
  }

  private func makeStore(_ name: String) throws -> String {
    let path = folder.file(name)
    let store = try KeyValueStore(path)
    try fill(store)
    try store.close()
    return path
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  private func json(_ transcript: Transcript) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(transcript.output.utf8)) as? [String: Any])
  }

  // MARK: Backup

  @Test func `a backup holds everything and leaves the source as it was`() throws {
    let (path, target) = (try makeStore("a.roost"), folder.file("b.roost"))
    let before = try bytes(path)
    let text = Transcript.of("backup", path, target)
    #expect(text.ending == .good)
    #expect(text.output.hasPrefix("saved  3,001 entries in 2 trees, "), "\(text)")
    #expect(text.output.contains("as of commit 1, in "))
    #expect(text.errors == "")
    #expect(try bytes(path) == before)
    #expect(Transcript.of("verify", target).ending == .good)
    let copy = try KeyValueStore(target)
    #expect(try copy.read { try $0.tree("names").string("name 2999") } == "value 2999")
    try copy.close()

    let again = folder.file("c.roost")
    let figures = try json(Transcript.of("backup", "--json", path, again))
    #expect(figures["entries"] as? Int == 3001)
    #expect((figures["target"] as? String)?.hasSuffix("c.roost") == true)
    #expect(figures["bytes"] as? Int == (try bytes(again).count))
  }

  /// Before the fix, the error was "resolve failed", and its advice was to create the store first.
  @Test func `a backup into a missing folder names the folder`() throws {
    let found = Transcript.of("backup", try makeStore("a.roost"), folder.file("none/b.roost"))
    #expect(found.ending == .failed && found.errors.contains("this folder does not exist"), "\(found)")
    #expect(found.errors.contains("/none]"), "\(found)")
  }

  @Test func `a backup of an open store has its newest commit`() throws {
    let path = folder.file("a.roost")
    let store = try KeyValueStore(path)
    try fill(store)
    try store.write { try $0.tree("names").put("last", "one") }
    let target = folder.file("b.roost")
    #expect(Transcript.of("backup", path, target).output.contains("3,002 entries in 2 trees"))
    try store.write { try $0.tree("names").put("later", "one") }
    try store.close()
    #expect(Transcript.of("verify", target).ending == .good)
  }

  @Test(arguments: ["backup", "salvage"]) func `an existing target is not changed`(command: String) throws {
    let path = try makeStore("a.roost")
    for target in [folder.file("b.roost"), path] {
      if target != path { try Data("mine".utf8).write(to: URL(fileURLWithPath: target)) }
      let before = try bytes(target)
      let text = Transcript.of(command, path, target)
      #expect(text.ending == .failed)
      #expect(text.errors.hasPrefix("Error: alreadyExists: "), "\(text)")
      #expect(text.output == "")
      #expect(try bytes(target) == before)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")).sorted() == ["a.roost", "b.roost"])
  }

  @Test func `a damaged source makes no backup`() throws {
    let path = try makeStore("a.roost")
    try damage(path)
    let target = folder.file("b.roost")
    let text = Transcript.of("backup", path, target)
    #expect(text.ending == .failed)
    #expect(text.errors.hasPrefix("Error: damaged: "), "\(text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")) == ["a.roost"])
  }

  @Test(arguments: ["backup", "salvage", "compact"])
  func `a missing source is not created`(command: String) throws {
    let (path, target) = (folder.file("absent"), folder.file("b.roost"))
    let text = command == "compact" ? Transcript.of(command, path) : Transcript.of(command, path, target)
    #expect(text.ending == .failed)
    #expect(text.errors.hasPrefix("Error: notFound: "), "\(text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")) == [])
    #expect(Transcript.of(command).ending == .usage)
    #expect(
      Transcript.of("help", command).output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
        "with 1"))
  }

  // MARK: Compact

  /// Before the fixes, these commands raised the format of an old store silently.
  @Test func `a raised format is reported`() throws {
    let old = try #require(GoldenVersion.all.first { $0.version == 2 }).sample("rows closed")
    let (path, target) = (folder.file("old.roost"), folder.file("new.roost"))
    try old.place(in: DiskFileSystem.shared, at: path)
    let copied = Transcript.of("backup", path, target)
    #expect(copied.output.contains("\nformat  raised from version 2 to 3"), "\(copied)")
    #expect(SuperblockSlot.version(of: path) == 2 && SuperblockSlot.version(of: target) == 3)
    #expect(Transcript.of("compact", path).output.contains("\nformat  raised from version 2 to 3"))
    #expect(!Transcript.of("compact", path).output.contains("format"))
    let wanted = "\nformat  raised from version 2 to 3"
    for words in [["set", path, "Owner", "name = \"x\"", "--all"], ["delete", path, "Owner", "--all"]] {
      try FileManager.default.removeItem(atPath: path)
      try old.place(in: DiskFileSystem.shared, at: path)
      // A dry run opens the store for writing too.
      let tried = Transcript.run(words + ["--dry-run"])
      #expect(tried.output.hasPrefix("Not done: ") && tried.output.contains(wanted), "\(tried)")
      try old.place(in: DiskFileSystem.shared, at: path)
      let done = Transcript.run(words + ["--yes"])
      #expect(done.output.hasPrefix("Done: ") && done.output.contains(wanted), "\(done)")
    }
  }

  @Test func `compacting returns the freed pages once`() throws {
    let path = try makeStore("a.roost")
    // The close leaves free pages in the file, as in a file that is too large for the store.
    var options = StoreOptions()
    options.closingStep = 0
    let store = try KeyValueStore(path, options: options, fileSystem: DiskFileSystem.shared)
    try store.write { writer in
      let tree = try writer.tree("more")
      for index in 0..<4000 { try tree.put("key \(index)", [UInt8](repeating: 1, count: 300)) }
    }
    try store.checkpoint()
    try store.write { try $0.drop("more") }
    try store.write { try $0.tree("names").put("last", "one") }
    try store.close()
    let before = try bytes(path).count
    let text = Transcript.of("compact", path)
    #expect(text.ending == .good)
    #expect(text.output.hasPrefix("compact  "), "\(text)")
    #expect(text.output.contains("given back"), "\(text)")
    #expect(try bytes(path).count < before / 4)
    #expect(Transcript.of("verify", path).ending == .good)
    let figures = try json(Transcript.of("compact", "--json", path))
    #expect(figures["pages"] as? Int == (try bytes(path).count / 4096))
    #expect(figures["pagesBefore"] as? Int == figures["pages"] as? Int)
    #expect(!FileManager.default.fileExists(atPath: path + "-log"))
  }

  // MARK: Salvage

  /// Damages a leaf: of "names", or of a table.
  private func damage(_ path: String, _ kind: Page.Kind = .byteLeaf) throws {
    var whole = try bytes(path)
    let store = try KeyValueStore(path)
    let free = try freePlaces(store)
    try store.close()
    let leaf = try #require(
      (2..<whole.count / Page.size).first { place in
        let start = place * Page.size
        return !free.contains(place) && whole[start] == kind.rawValue && whole[start + 4] != 0
      })
    whole[leaf * Page.size + 2000] ^= 3
    try whole.write(to: URL(fileURLWithPath: path))
  }

  private func freePlaces(_ store: KeyValueStore) throws -> Set<Int> {
    let examination = try store.store.examine()
    return Set((0..<Int(examination.pageCount)).filter { examination.free.contains(UInt32($0)) })
  }

  @Test func `losses are reported, and the rest is saved`() throws {
    let path = try makeStore("a.roost")
    try damage(path)
    let before = try bytes(path)
    let target = folder.file("b.roost")
    let text = Transcript.of("salvage", path, target)
    #expect(text.ending == .failed)
    #expect(text.output.hasPrefix("lost  page "), "\(text)")
    #expect(text.output.contains("in \"names\""))
    #expect(text.output.contains("entries in 2 trees, "), "\(text)")
    #expect(text.output.hasSuffix(" of them unverified; 1 loss\n"), "\(text)")
    #expect(text.errors == "")
    #expect(try bytes(path) == before)
    #expect(Transcript.of("verify", target).ending == .good)

    let figures = try json(Transcript.of("salvage", "--json", path, folder.file("c.roost")))
    #expect(figures["isComplete"] as? Bool == false)
    let loss = try #require((figures["losses"] as? [[String: Any]])?.first)
    #expect(loss["tree"] as? String == "names")
    let lost = try #require(loss["entries"] as? Int)
    // The damaged leaf has only one wrong byte. So its entries exist, and are counted as
    // unverified.
    let unverified = try #require(figures["unverified"] as? Int)
    #expect(unverified > 0)
    #expect(figures["entries"] as? Int == 3001 - lost + unverified)
  }

  /// Before the fix, entries of all trees were reported as rows.
  @Test func `the report on a store of rows says which entries it counts`() throws {
    let path = folder.file("a.roost")
    _ = try RowsFixture.make(path, tracks: 500)
    try damage(path, .integerLeaf)
    let text = Transcript.of("salvage", path, folder.file("b.roost"))
    let figures = try json(Transcript.of("salvage", "--json", path, folder.file("c.roost")))
    let entries = try #require(figures["entries"] as? Int)
    let unverified = try #require(figures["unverified"] as? Int)
    #expect(unverified > 0)
    let counted =
      "\(unverified) of \(entries.formatted(.number.locale(Locale(identifier: "en_US")))) entries in the trees unverified"
    #expect(text.output.contains(" rows of 3 entities"), "\(text)")
    #expect(text.output.contains(counted), "\(text)")
  }

  /// Before the fix it printed `in "r4"`, a name that means nothing to the reader.
  @Test func `verify names the entity whose page is damaged`() throws {
    let path = folder.file("a.roost")
    _ = try RowsFixture.make(path, tracks: 500)
    try damage(path, .integerLeaf)
    let text = Transcript.of("verify", path)
    #expect(text.ending == .failed)
    #expect(["Album", "Tag", "Track"].contains { text.output.contains(", in the rows of \($0), page ") }, "\(text)")
    #expect(text.output.contains("with 'roost salvage'"))
    let figures = try json(Transcript.of("verify", "--json", path))
    let finding = try #require((figures["findings"] as? [[String: Any]])?.first)
    #expect((finding["tree"] as? String)?.hasPrefix("the rows of ") == true)
  }

  @Test func `a sound store is saved whole`() throws {
    let path = try makeStore("a.roost")
    let text = Transcript.of("salvage", path, folder.file("b.roost"))
    #expect(text.ending == .good)
    #expect(text.output == "saved  3,001 entries in 2 trees\n")
  }

  @Test func `long work shows its progress on a terminal, and with JSON nothing else is printed`() throws {
    let path = folder.file("a.roost")
    let store = try KeyValueStore(path)
    try fill(store, 20_000)
    try store.close()
    for (command, title) in [("backup", "copying"), ("salvage", "saving")] {
      for json in [false, true] {
        var output = ""
        let console = Console(isTerminal: true, hasColours: false) { _, text in output += text }
        let words = [command] + (json ? ["--json"] : []) + [path, folder.file("\(command) \(json)")]
        #expect(Command.run(words, on: console) == .good)
        #expect(output.contains(title) != json, "\(output)")
      }
    }
  }

  /// Before the fix, a killed store's file was renamed and a backup copied to its name. The next
  /// command then removed the log with the killed store's commits.
  @Test func `a log of another store is reported by info, put aside, and restored by salvage`() throws {
    let name = folder.file("c.roost")
    let killed = try KeyValueStore(folder.file("a.roost"))
    try killed.write { try $0.tree("names").put("only", "in the log") }
    try FileManager.default.copyItem(atPath: killed.path, toPath: folder.file("broken.roost"))
    try FileManager.default.copyItem(atPath: killed.path + "-log", toPath: name + "-log")
    try killed.close()
    try FileManager.default.moveItem(atPath: makeStore("b.roost"), toPath: name)
    let before = Transcript.of("info", name)
    #expect(before.ending == .good)
    #expect(before.output.contains("lost log  the log beside this store belongs to the store "), "\(before)")
    #expect(Transcript.of("compact", name).ending == .good)
    let after = Transcript.of("info", name)
    #expect(after.output.contains("lost log  \(name)-log.lost-"), "\(after)")
    let lost = try #require((try json(Transcript.of("info", "--json", name))["lostLogs"] as? [String])?.first)
    let text = Transcript.of("salvage", "--log", lost, folder.file("broken.roost"), folder.file("back.roost"))
    #expect(text.ending == .good)
    #expect(text.output == "saved  1 entry in 1 tree\n")
    let wrong = Transcript.of("salvage", "--log", lost, name, folder.file("other.roost"))
    #expect(wrong.ending == .failed && wrong.errors.contains("the log belongs to the store "), "\(wrong)")
  }

  @Test func `a store of rows is saved with its log, and refused while it is open`() throws {
    let (path, target) = (folder.file("music.roost"), folder.file("b.roost"))
    var store: RecordStore? = try RowsFixture.make(path, tracks: 20, closes: false)
    let found = Transcript.of("salvage", path, target)
    #expect(found.ending == .inUse && found.errors.contains("is open in"), "\(found)")
    #expect(!FileManager.default.fileExists(atPath: target))
    // The files that a killed process leaves.
    let (copy, log) = (folder.file("c.roost"), folder.file("c.roost-log"))
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.copyItem(atPath: path + "-log", toPath: log)
    store = nil
    _ = store
    let saved = Transcript.of("salvage", copy, target)
    #expect(saved.ending == .good, "\(saved)")
    #expect(saved.output == "saved  24 rows of 3 entities, with 2 commits of the log\n")
    #expect(Transcript.of("verify", target).ending == .good)
    #expect(Transcript.of("query", target, "Track", "--count").output == "20\n")
    #expect(Transcript.of("history", target).output == Transcript.of("history", path).output)
    let figures = try json(Transcript.of("salvage", "--json", copy, folder.file("d.roost")))
    #expect(figures["commits"] as? Int == 2 && (figures["entities"] as? [[String: Any]])?.count == 3)
  }
}
