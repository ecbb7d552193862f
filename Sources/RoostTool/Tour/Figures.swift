import Foundation
import Roost

/// The four figures by which guides compare stores of objects, measured on this machine.
///
/// - Inserting: 50,000 new objects, inserted one by one and saved once, until the device has them.
/// - Asking: a predicate without an index over 10,000 stored objects, every property of what is found read.
/// - Memory: what 10,000 objects add while they are held, all of their properties read.
/// - Launch: a new process, from its start until it has twenty objects of a store of 50,000 in the order of an index.
struct Figures {
  let console: Console
  let folder: String
  let program: String

  func run() throws {
    let (inserted, path) = try inserting(50_000, "inserted.roost")
    let (asked, memory) = try asking(10_000)
    let launch = try launching(path)
    console.facts([
      ("50,000 objects inserted and saved", Wording.time(inserted)),
      ("10,000 objects asked by a predicate", Wording.time(asked)),
      ("10,000 objects held in memory", memory.map { Wording.bytes($0) } ?? "not known here"),
      ("a new process with its first objects", Wording.time(launch)),
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

  private func asking(_ count: Int) throws -> (Duration, Int?) {
    let (_, path) = try inserting(count, "asked.roost")
    let context = ModelContext(try Tour.container(path))
    let long = #Predicate<Track> { $0.seconds >= 270 }
    var right = 0
    let began = ContinuousClock.now
    for track in try context.fetch(FetchDescriptor(predicate: long)) where Library.isRight(track, track.number) {
      right += 1
    }
    let time = ContinuousClock.now - began
    let wanted = (0..<count).count { Library.seconds($0) >= 270 }
    try check(right == wanted, "\(right) answers are right where \(wanted) were expected")

    let other = ModelContext(context.container)
    let before = Self.residentBytes
    let all = try other.fetch(FetchDescriptor<Track>())
    let seconds = all.reduce(0) { $0 + $1.seconds + $1.title.utf8.count }
    let after = Self.residentBytes
    try check(all.count == count && seconds > 0, "\(all.count) objects are held")
    return (time, before.flatMap { before in after.map { max(0, $0 - before) } })
  }

  /// What the process has of the machine's memory, where the system tells.
  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
  }

  private func launching(_ path: String) throws -> Duration {
    let began = ContinuousClock.now
    let child = try ChildProcess(program, [Witness.command, "--launch", path])
    let answer = child.read(timeoutMilliseconds: 10_000)
    let time = ContinuousClock.now - began
    let signal = child.wait()
    try check(signal == 0 && answer == Array("20\n".utf8), "the new process did not find its objects")
    return time
  }

  /// What the new process does.
  static func launch(_ path: String) throws -> Ending {
    var first = FetchDescriptor<Track>(sortBy: [SortDescriptor(\.year)])
    first.fetchLimit = 20
    let context = ModelContext(try Tour.container(path, allowsSave: false))
    let tracks = try context.fetch(first)
    try check(tracks.allSatisfy { Library.isRight($0, $0.number) }, "a track is wrong")
    return writeToOutput(Array("\(tracks.count)\n".utf8)) ? .good : .failed
  }
}
