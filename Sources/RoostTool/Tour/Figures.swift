import Foundation
import Roost

/// The four numbers by which guides compare object stores, measured on this machine.
///
/// - Inserting: 50,000 new objects, inserted one by one and saved once, until they are synced.
/// - Asking: a predicate without an index over 10,000 stored objects, with every property of the
///   results read.
/// - Memory: the memory of 10,000 objects while they are held, with all properties read.
/// - Launch: a new process, from its start until it has twenty objects of a store of 50,000 in the
///   order of an index.
struct Figures {
  let console: Console
  let folder: String
  let program: String

  func run() throws {
    let (inserted, path) = try inserting(50_000, "inserted.roost")
    let (_, small) = try inserting(10_000, "asked.roost")
    let asked = try asking(small)
    let (held, _) = try answer(of: "memory", small)
    let (first, launch) = try answer(of: "launch", path)
    try check(first == 20, "the new process did not find its objects")
    console.facts([
      ("50,000 objects inserted and saved", ReadableNumber.time(inserted)),
      ("10,000 objects asked by a predicate", ReadableNumber.time(asked)),
      ("10,000 objects held in memory", held > 0 ? ReadableNumber.bytes(held) : "not known here"),
      ("a new process with its first objects", ReadableNumber.time(launch)),
    ])
  }

  private func inserting(_ count: Int, _ name: String) throws -> (Duration, String) {
    let path = folder + "/" + name
    let context = ModelContext(try Tour.container(path))
    let began = ContinuousClock.now
    for number in 0..<count { context.insert(Self.track(number)) }
    try context.save()
    let time = ContinuousClock.now - began
    let stored = try ModelContext(context.container).fetchCount(FetchDescriptor<Track>())
    try check(stored == count, "\(stored) of \(count) are there")
    return (time, path)
  }

  private static func track(_ number: Int) -> Track {
    Track(
      number, title: Library.title(number), year: Library.year(number), seconds: Library.seconds(number), on: nil)
  }

  private func asking(_ path: String) throws -> Duration {
    let context = ModelContext(try Tour.container(path))
    let count = try context.fetchCount(FetchDescriptor<Track>())
    let long = #Predicate<Track> { $0.seconds >= 270 }
    var right = 0
    let began = ContinuousClock.now
    for track in try context.fetch(FetchDescriptor(predicate: long)) where Library.isRight(track, track.number) {
      right += 1
    }
    let time = ContinuousClock.now - began
    let wanted = (0..<count).count { Library.seconds($0) >= 270 }
    try check(right == wanted, "\(right) answers are right where \(wanted) were expected")
    return time
  }

  /// The answer of a new process, and its time.
  private func answer(of figure: String, _ path: String) throws -> (Int, Duration) {
    let began = ContinuousClock.now
    let child = try ChildProcess(program, [Witness.command, "--figure", figure, path])
    let answer = child.read(timeoutMilliseconds: 10_000)
    let time = ContinuousClock.now - began
    let signal = child.wait()
    guard signal == 0, let number = Int(String(decoding: answer, as: UTF8.self)) else {
      throw CheckFailure(sentence: "a new process did not answer")
    }
    return (number, time)
  }

  // MARK: In the new process

  static func run(_ figure: String, _ path: String) throws -> Ending {
    let context = ModelContext(try Tour.container(path, allowsSave: false))
    let number = figure == "memory" ? try hold(context) : try launch(context)
    return writeToOutput(Array("\(number)".utf8)) ? .good : .failed
  }

  /// The growth of the process while all objects are held, in bytes; 0 if it is unknown.
  private static func hold(_ context: ModelContext) throws -> Int {
    var one = FetchDescriptor<Track>()
    one.fetchLimit = 1
    _ = try context.fetch(one)
    let before = residentBytes
    let all = try context.fetch(FetchDescriptor<Track>())
    let isRight = all.allSatisfy { Library.isRight($0, $0.number) }
    let after = residentBytes
    try check(isRight && !all.isEmpty, "a track is wrong")
    return after - before
  }

  /// The resident memory of the process in bytes; 0 if it is unknown.
  private static var residentBytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  private static func launch(_ context: ModelContext) throws -> Int {
    var first = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.year)])
    first.fetchLimit = 20
    let tracks = try context.fetch(first)
    try check(tracks.allSatisfy { Library.isRight($0, $0.number) }, "a track is wrong")
    return tracks.count
  }
}
