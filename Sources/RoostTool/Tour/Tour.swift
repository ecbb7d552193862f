import Foundation
import RoostKV

/// A walk through what Roost does, in a folder of its own. Every answer is checked, and one that is wrong ends it.
struct Tour {
  /// What a step tells when it has passed.
  struct Report {
    var lines: [String]
  }

  let console: Console
  let folder: String
  let flock: Flock
  /// The program that the crash step starts, once more this one.
  let program: String
  /// How many bits are flipped in copies, one after the other.
  var flips = 20

  var path: String { folder + "/tour.roost" }
  var damagedPath: String { folder + "/damaged.roost" }

  /// Carries out all steps; throws where a check fails.
  func run() throws {
    let began = ContinuousClock.now
    console.line(console.styled("A tour of Roost", .strong) + " in \(folder)")
    try step("Fill", fill)
    try step("Read", read)
    try step("Scan", scan)
    try step("Count", count)
    try step("Kill -9", crash)
    try step("Damage", damage)
    console.line()
    let time = Wording.time(.now - began)
    console.line(console.styled("Every check passed", .good) + ", in \(time).")
  }

  private func step(_ title: String, _ body: () throws -> Report) throws {
    let report: Report
    do {
      report = try body()
    } catch {
      console.passing("")
      console.line(console.styled("\n\(title): failed", .bad))
      throw error
    }
    console.line(console.styled("\n\(title)", .strong))
    for line in report.lines { console.line("   " + line) }
  }

  // MARK: Reading and writing

  func fill() throws -> Report {
    let batch = 1000
    let store = try KeyValueStore(path)
    var progress = Progress("filling", of: flock.count, on: console)
    var spent = Duration.zero
    var commits = 0
    for first in stride(from: 0, to: flock.count, by: batch) {
      let pairs = (first..<min(first + batch, flock.count)).map { turn in
        let number = flock.number(at: turn)
        return (key: Flock.key(number), value: Flock.value(number))
      }
      let began = ContinuousClock.now
      try store.write { writer in
        let tree = try writer.tree(Flock.tree)
        for pair in pairs { try tree.put(pair.key, pair.value) }
      }
      spent += .now - began
      commits += 1
      progress.advance(to: first + pairs.count)
    }
    progress.end()
    try store.read { reader in
      let count = try reader.tree(Flock.tree).count
      try check(count == flock.count, "the store counts \(count) pairs where \(flock.count) were put")
    }
    try store.close()
    return Report(lines: [
      "\(Wording.count(flock.count, "pair")) in \(Wording.count(commits, "transaction")), in scattered order, "
        + "each on the disk before the next began.",
      "\(Wording.time(spent)), \(Wording.rate(flock.count, in: spent)) pairs a second.",
    ])
  }

  func read() throws -> Report {
    let store = try KeyValueStore(path)
    let numbers = (0..<min(flock.count, 100_000)).map { _ in Int.random(in: 0..<flock.count) }
    let keys = numbers.map(Flock.key)
    let rings = numbers.map { number in
      Flock.ringBytes(number).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }
    var right = 0
    var spent = Duration.zero
    // The first round fetches pages from the file, the second finds them in memory and is told.
    for _ in 0..<2 {
      right = 0
      let began = ContinuousClock.now
      try store.read { reader in
        let tree = try reader.tree(Flock.tree)
        for (key, ring) in zip(keys, rings) {
          let found = try tree.withValue(key) { value in
            value.withUnsafeBytes { $0.count > 16 && $0.loadUnaligned(as: UInt64.self) == ring }
          }
          if found == true { right += 1 }
        }
      }
      spent = .now - began
      try check(right == keys.count, "\(keys.count - right) of \(keys.count) look-ups gave a wrong answer")
    }
    let absent = try store.read { try $0.tree(Flock.tree).value("bird/none") }
    try check(absent == nil, "a key that was never put has a value")
    try store.close()
    return Report(lines: [
      "\(Wording.count(right, "look-up")) of random keys, every answer right.",
      "\(Wording.time(spent / max(right, 1))) each.",
    ])
  }

  func scan() throws -> Report {
    let store = try KeyValueStore(path)
    var seen = 0
    var bytes = 0
    let began = ContinuousClock.now
    try store.read { reader in
      try reader.tree(Flock.tree).forEach { key, value in
        seen += 1
        bytes += key.byteCount + value.byteCount
        return true
      }
    }
    let spent = ContinuousClock.now - began
    try check(seen == flock.count, "a scan came by \(seen) pairs where there are \(flock.count)")
    try checkAll(store)
    try store.close()
    return Report(lines: [
      "\(Wording.count(seen, "pair")) in the order of their keys, \(Wording.bytes(bytes)), every pair right.",
      "\(Wording.time(spent)), \(Wording.rate(seen, in: spent)) pairs a second.",
    ])
  }

  /// Walks over all pairs and compares each one with what was put.
  func checkAll(_ store: KeyValueStore) throws {
    try store.read { reader in
      var number = 0
      try reader.tree(Flock.tree).forEach { key, value in
        try check(number < flock.count, "there are more pairs than were put")
        let isKeyRight = key.withUnsafeBytes { $0.elementsEqual(Flock.key(number)) }
        let isValueRight = value.withUnsafeBytes { $0.elementsEqual(Flock.value(number)) }
        try check(isKeyRight, "pair \(number) is missing or out of order")
        try check(isValueRight, "pair \(number) has a wrong value")
        number += 1
        return true
      }
      try check(number == flock.count, "\(flock.count - number) pairs are missing at the end")
    }
  }

  func count() throws -> Report {
    let store = try KeyValueStore(path)
    let ranges = (0..<1000).map { _ in
      let low = Int.random(in: 0...flock.count)
      return (low, Int.random(in: low...flock.count))
    }
    let keys = ranges.map { (Flock.key($0), Flock.key($1)) }
    var counts: [Int] = []
    counts.reserveCapacity(keys.count)
    let began = ContinuousClock.now
    try store.read { reader in
      let tree = try reader.tree(Flock.tree)
      for (low, high) in keys { counts.append(try tree.count(from: low, to: high)) }
    }
    let spent = ContinuousClock.now - began
    for (count, range) in zip(counts, ranges) {
      try check(
        count == range.1 - range.0,
        "the range from \(range.0) to \(range.1) is counted as \(count)")
    }
    try store.close()
    return Report(lines: [
      "\(Wording.count(counts.count)) ranges of \(Wording.count(counts.reduce(0, +) / counts.count)) keys on average, "
        + "each counted exactly without walking over it.",
      "\(Wording.time(spent / counts.count)) each.",
    ])
  }
}
