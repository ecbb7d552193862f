#if Postgres && os(Linux)
  import Foundation
  import RoostTestSupport
  import Testing

  /// Processes that move money while some of them, and the server, are killed.
  @Suite(.server, .enabled(if: BankTask.own == nil)) struct BankTests {
    /// How many processes, and how many transfers each makes.
    private struct Size {
      var tellers = 3
      var count = 30
      /// A process is killed after about this many transfers.
      var life: Int { max(10, count / 10) }

      /// `ROOST_BANK=8x1000` runs the large test.
      static let wanted: Size = {
        let words = (ProcessInfo.processInfo.environment["ROOST_BANK"] ?? "").split(separator: "x").compactMap {
          Int($0)
        }
        return words.count == 2 ? Size(tellers: words[0], count: words[1]) : Size()
      }()
    }

    /// A child process, and the transfer after which it is killed.
    private final class Child {
      let task: BankTask
      var process = Process()
      var isKilled = false
      /// It is killed after this number.
      var end = 0

      init(_ task: BankTask) { self.task = task }

      func start(life: Int) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", "BankWorker"]
        var environment = ProcessInfo.processInfo.environment
        environment[BankTask.variable] = task.words
        environment["ROOST_PG_URL"] = task.bank.address
        process.environment = environment
        let log = URL(fileURLWithPath: task.file + ".log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = FileHandle.nullDevice
        try process.run()
        isKilled = false
        end = (task.lines.last?.number ?? 0) + Int.random(in: 1...2 * life)
      }

      func kill() {
        isKilled = true
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
    }

    @Test func `no transfer is lost when processes and the server are killed`() throws {
      let size = Size.wanted
      let server = try PostgresServer.given == nil ? PostgresServer.start(isDurable: true) : .shared()
      let bank = Bank(address: server.address, namespace: PostgresServer.freshNamespace())
      try bank.fill(tellers: size.tellers)
      let folder = try ScratchFolder()
      let children = (1...size.tellers).map { number in
        Child(BankTask(bank: bank, teller: number, count: size.count, file: folder.file("\(number)")))
      }
      defer {
        for child in children where child.process.isRunning { child.kill() }
      }
      let begin = ContinuousClock.now
      for child in children { try child.start(life: size.life) }
      var kills = 0
      var serverKills = 0
      var busy = children
      while !busy.isEmpty {
        usleep(.random(in: 1000...10_000))
        for child in busy {
          if !child.process.isRunning {
            busy.removeAll { $0 === child }
            let log = (try? String(contentsOfFile: child.task.file + ".log", encoding: .utf8)) ?? ""
            #expect(
              child.process.terminationStatus == 0, "teller \(child.task.teller) ended by itself: \(log.suffix(2000))")
          } else if child.task.lines.count >= child.end {
            child.kill()
            kills += 1
            try child.start(life: size.life)
          }
        }
        let done = children.reduce(0) { $0 + $1.task.lines.count }
        // The server ends all its processes when one of them is killed, and recovers from its log.
        // The test does not kill processes of a server that it did not start.
        if serverKills == 0, PostgresServer.given == nil, done >= size.tellers * size.count / 2 {
          serverKills += try killServerProcess(bank) ? 1 : 0
        }
      }
      let time = begin.duration(to: .now)
      let lines = children.map(\.task.lines)
      let acknowledged = Dictionary(
        uniqueKeysWithValues: children.map { ($0.task.teller, $0.task.lines.map(\.number)) })
      #expect(try bank.complaints(acknowledged: acknowledged) == [])
      #expect(lines.map(\.count) == children.map { _ in size.count })
      #expect(kills > 0)
      let runs = lines.joined().reduce(0) { $0 + $1.runs }
      print(
        "bank: \(size.tellers) processes, \(lines.joined().count) transfers, \(kills) processes killed, "
          + "\(serverKills) server processes killed, \(runs - lines.joined().count) runs again, \(time)")
    }

    /// Kills one process of the server that a child is connected to.
    private func killServerProcess(_ bank: Bank) throws -> Bool {
      let processes = try Ground.texts(
        "SELECT pid::text FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        at: bank.address)
      guard let process = processes.randomElement().flatMap({ pid_t($0) }) else { return false }
      return kill(process, SIGKILL) == 0
    }
  }
#endif
