import RoostKV

/// What `salvage` saved, and what it could not.
struct SalvageReport: Encodable {
  struct Loss: Encodable {
    var tree: String?
    var page: UInt64?
    var sentence: String
    /// As hexadecimal digits, since keys are bytes.
    var low: String?
    var high: String?
    var entries: Int?
  }

  struct Tree: Encodable {
    var name: String
    var entries: Int
    var unverified: Int
  }

  var source: String
  var target: String
  var isComplete: Bool
  var losses: [Loss]
  var trees: [Tree]
  var entries: Int
  var unverified: Int
  var seconds: Double
  private let sentences: [String]

  private enum CodingKeys: String, CodingKey {
    case source, target, isComplete, losses, trees, entries, unverified, seconds
  }

  init(_ source: String, _ target: String, _ console: Console) throws {
    let began = ContinuousClock.now
    var bar: Progress?
    let found = try KeyValueStore.salvage(from: source, to: target) { progress in
      if bar == nil { bar = Progress("saving", of: progress.total, on: console) }
      bar?.advance(to: min(progress.entries, progress.total))
    }
    bar?.end()
    seconds = Wording.seconds(ContinuousClock.now - began)
    self.source = source
    self.target = target
    isComplete = found.isComplete
    losses = found.losses.map {
      Loss(
        tree: $0.tree, page: $0.page, sentence: $0.sentence, low: $0.low.map(Self.hexadecimal),
        high: $0.high.map(Self.hexadecimal), entries: $0.entries)
    }
    sentences = found.losses.map { "\($0)" }
    trees = found.trees.map { Tree(name: $0.name, entries: $0.entries, unverified: $0.unverified) }
    entries = found.entries
    unverified = found.unverified
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  func write(to console: Console) {
    for sentence in sentences { console.line(console.styled("lost", .bad) + "  \(sentence)") }
    var text = "\(Wording.count(entries, "entry", "entries")) in \(Wording.count(trees.count, "tree"))"
    if unverified > 0 { text += ", \(Wording.count(unverified)) of them unverified" }
    if !isComplete { text += "; \(Wording.count(losses.count, "loss", "losses"))" }
    console.line(console.styled("saved", isComplete ? .good : .bad) + "  " + text)
  }
}
