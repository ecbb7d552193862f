import RoostFile
import RoostTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The part of a portion that one process runs: every `stride`-th seed, until its share is done.
///
/// A trap of the store ends this process, but not the run. The process writes its results to
/// standard output, one in each line:
/// ```
/// fail TAB seed TAB step TAB image TAB sentence
/// note TAB name TAB count
/// count TAB count TAB last seed
/// ```
struct Worker {
  var trial: Trial
  var first: UInt64
  var stride: UInt64
  /// The number of seeds; nil if the quota ends the work.
  var seeds: Int?
  var quota: Int
  var place: String?

  func run() {
    let record = TortureRecord(test: trial.number)
    let page = place.flatMap { Place($0) }
    if let page { record.onPlace = { page.note($0, $1, image: $2) } }
    var seed = first
    var told = 0
    var tried = 0
    var barren = 0
    while seeds.map({ tried < $0 }) ?? (record.count < quota), !record.isFull, barren < Self.mostBarren {
      record.place(seed, 0, image: "begin")
      let before = record.count
      trial.run(seed, record)
      tried += 1
      barren = record.count == before ? barren + 1 : 0
      for failure in record.failures[told...] {
        let sentence = failure.sentence.split(whereSeparator: \.isNewline).joined(separator: " ")
        print("fail\t\(failure.seed)\t\(failure.step)\t\(failure.image ?? "-")\t\(sentence)")
      }
      if told < record.failures.count { fflush(nil) }
      told = record.failures.count
      seed &+= stride
    }
    for (name, count) in record.notes.sorted(by: { $0.key < $1.key }) { print("note\t\(name)\t\(count)") }
    print("count\t\(record.count)\t\(seed)")
  }

  /// The work ends after this many seeds in a row without an event.
  private static let mostBarren = 200
}
