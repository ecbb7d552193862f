import RoostKV

/// The result of `compact`.
struct CompactReport: Encodable {
  var path: String
  var pagesBefore: Int
  var pages: Int
  var freePages: Int
  var movedPages = 0
  var steps = 0
  var seconds: Double
  private let pageBytes: Int

  private enum CodingKeys: String, CodingKey {
    case path, pagesBefore, pages, freePages, movedPages, steps, seconds
  }

  init(_ path: String, _ console: Console) throws {
    let store = try Looking.openTrees(path, isReading: false)
    let began = ContinuousClock.now
    let before = try store.statistics(samples: 0)
    self.path = store.path
    pagesBefore = before.pages
    pageBytes = before.pageBytes
    var bar = Progress("moving", of: before.freePages, on: console)
    var last: Compaction
    repeat {
      last = try store.compact()
      movedPages += last.movedPages
      steps += 1
      bar.advance(to: max(0, pagesBefore - last.pages))
    } while !last.isDone
    bar.end()
    pages = last.pages
    freePages = last.freePages
    // Closing makes a checkpoint, so that the file stays short.
    try store.close()
    seconds = ReadableNumber.seconds(ContinuousClock.now - began)
  }

  func write(to console: Console) {
    let gained = max(0, pagesBefore - pages)
    let now = "the file has \(ReadableNumber.count(pages, "page")) now, \(ReadableNumber.count(freePages)) of them free"
    if gained == 0 { return console.line(console.styled("compact", .good) + "  nothing to give back; \(now)") }
    console.line(
      console.styled("compact", .good) + "  \(ReadableNumber.bytes(gained * pageBytes)) given back, "
        + "\(ReadableNumber.count(movedPages, "page")) moved, in \(ReadableNumber.time(.seconds(seconds))); \(now)")
  }
}
