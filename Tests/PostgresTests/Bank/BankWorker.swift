#if Postgres && os(Linux)
  import Foundation
  import SwiftData
  import Testing

  /// The task of a child process, and the file in which it records each transfer whose save
  /// returned.
  struct BankTask {
    var bank: Bank
    var teller: Int
    var count: Int
    /// One line for each acknowledged transfer: its number, and how many times the closure ran.
    var file: String

    static let variable = "ROOST_BANK_TASK"

    var words: String {
      [bank.address, bank.namespace, "\(teller)", "\(count)", file].joined(separator: "\n")
    }

    /// The task of this process; nil if it is no child.
    static let own: BankTask? = {
      let words = (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: "\n").map(String.init)
      guard words.count == 5, let teller = Int(words[2]), let count = Int(words[3]) else { return nil }
      return BankTask(
        bank: Bank(address: words[0], namespace: words[1]), teller: teller, count: count, file: words[4])
    }()

    /// The acknowledged transfers.
    var lines: [(number: Int, runs: Int)] {
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ").compactMap { Int($0) }
        return words.count == 2 ? (words[0], words[1]) : nil
      }
    }

    /// The most attempts at a transfer. The server may be down for some seconds.
    private static let mostAttempts = 2000

    /// Makes the transfers that are not acknowledged yet.
    func work() throws {
      let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
      defer { close(descriptor) }
      var container: ModelContainer?
      var number = (lines.last?.number ?? 0) + 1
      while number <= count {
        var runs = 0
        for attempt in 1... {
          do {
            let opened = try container ?? bank.open()
            container = opened
            try Bank.transfer(number, of: teller, in: opened, runs: &runs)
            break
          } catch  where attempt < Self.mostAttempts { usleep(.random(in: 1000...20_000)) }
        }
        let line = Array("\(number) \(runs)\n".utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
          throw CocoaError(.fileWriteUnknown)
        }
        number += 1
      }
    }
  }

  /// Not a test: the test binary runs it as a child process of ``BankTests``.
  @Suite(.enabled(if: BankTask.own != nil, "only child processes of BankTests run it")) struct BankWorker {
    @Test func `the transfers of a child process`() throws {
      let task = try #require(BankTask.own)
      try task.work()
      #expect(task.lines.map(\.number) == Array(1...task.count))
    }
  }
#endif
