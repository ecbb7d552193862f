import Foundation

/// The texts of a file or of all files in a folder, in pieces of about 300 words.
struct TextFiles: TextSource {
  private var pieces: [(title: String, body: String)] = []
  /// The words that occur in several pieces, the most frequent first.
  private var words: [String] = []

  var count: Int { pieces.count }
  var wordCount: Int { words.count }
  var isMade: Bool { false }

  /// - Parameter most: the most pieces to read.
  init(_ path: String, most: Int) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw FTS5.Failure(text: "there is no corpus at \(path)")
    }
    var paths = [path]
    if isFolder.boolValue {
      let found = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
      paths = found.sorted().map { path + "/" + $0 }
    }
    for path in paths where pieces.count < most {
      guard let data = FileManager.default.contents(atPath: path), !data.prefix(4096).contains(0) else { continue }
      // In a folder, a file that is not UTF-8 is no text. One file that was asked for is read with U+FFFD for bad bytes.
      let text =
        String(data: data, encoding: .utf8) ?? (isFolder.boolValue ? "" : String(decoding: data, as: UTF8.self))
      add(text, name: URL(filePath: path).lastPathComponent, most: most)
    }
    guard count > 0 else { throw FTS5.Failure(text: "no text was found at \(path)") }
    var counts: [String: Int] = [:]
    for piece in pieces { for word in Set(Self.words(piece.body)) { counts[word, default: 0] += 1 } }
    words = counts.filter { $0.value > 1 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  private mutating func add(_ text: String, name: String, most: Int) {
    var (body, number) = ("", 0)
    func title() -> String { "\(name) part \(number)" }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      body += line + "\n"
      if body.utf8.count < 1800 { continue }
      if pieces.count == most { return }
      number += 1
      pieces.append((title(), body))
      body = ""
    }
    if body.utf8.count > 20, pieces.count < most {
      number += 1
      pieces.append((title(), body))
    }
  }

  /// Words of plain letters. Both engines make the same terms of them.
  static func words(_ text: String) -> [String] {
    text.split { !($0.isASCII && $0.isLetter) }.filter { $0.count > 2 }.map { $0.lowercased() }
  }

  func word(_ rank: Int) -> String { words[rank % max(words.count, 1)] }
  func title(_ number: Int) -> String { pieces[number % pieces.count].title }
  func body(_ number: Int) -> String { pieces[number % pieces.count].body }

  func phrase(_ random: inout Random) -> String? {
    let body = pieces[random.below(pieces.count)].body
    let all = body.split(separator: " ")
    guard all.count > 1 else { return nil }
    let place = random.below(all.count - 1)
    let pair = all[place...place + 1].map(String.init)
    // Only words of letters, which are adjacent in both engines.
    guard pair.allSatisfy({ $0.count > 1 && $0.allSatisfy { $0.isASCII && $0.isLetter } }) else { return nil }
    return "\"\(pair[0]) \(pair[1])\""
  }
}
