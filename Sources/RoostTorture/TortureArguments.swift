/// The words after a subcommand: `--name value`.
struct TortureArguments {
  private var values: [String: String] = [:]
  private(set) var complaint: String?

  init(_ words: some Sequence<String>) {
    var iterator = words.makeIterator()
    while let word = iterator.next() {
      guard word.hasPrefix("--"), let value = iterator.next() else {
        complaint = "\(word) is not understood"
        return
      }
      values[String(word.dropFirst(2))] = value
    }
  }

  func text(_ name: String) -> String? { values[name] }
  func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  func seed(_ name: String = "seed") -> UInt64? { values[name].flatMap { UInt64($0) } }
  func seconds(_ name: String) -> Double? { values[name].flatMap { Double($0) } }
  func numbers(_ name: String) -> [Int]? { values[name].map { $0.split(separator: ",").compactMap { Int($0) } } }
}
