import Foundation
import SwiftData
import Testing

/// Notifications of `NotificationCenter` as a sequence.
@Suite struct NotificationSequenceTests {
  private let name = Notification.Name("test.\(UUID())")

  @Test func `no notification is lost between two elements`() async {
    let center = NotificationCenter()
    let sequence = center.notifications(named: name)
    for number in 0..<100 { center.post(name: name, object: nil, userInfo: ["number": number]) }
    var seen: [Int] = []
    for await notification in sequence {
      seen.append(notification.userInfo?["number"] as? Int ?? -1)
      if seen.count == 50 {
        for number in 100..<200 { center.post(name: name, object: nil, userInfo: ["number": number]) }
      }
      if seen.count == 200 { break }
    }
    #expect(seen == Array(0..<200))
  }

  @Test func `it waits for notifications of another thread`() async {
    let center = NotificationCenter()
    let sequence = center.notifications(named: name)
    let name = name
    let poster = Task.detached {
      for number in 0..<1000 {
        center.post(name: name, object: nil, userInfo: ["number": number])
        if number % 100 == 0 { await Task.yield() }
      }
    }
    var next = 0
    for await notification in sequence {
      #expect(notification.userInfo?["number"] as? Int == next)
      next += 1
      if next == 1000 { break }
    }
    await poster.value
    #expect(next == 1000)
  }

  @Test func `it ends when its task is cancelled`() async {
    let center = NotificationCenter()
    let name = name
    let task = Task { () -> Int in
      var count = 0
      for await _ in center.notifications(named: name) { count += 1 }
      return count
    }
    await Task.yield()
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test func `each iteration has its own elements, and objects are distinguished`() async throws {
    let center = NotificationCenter()
    final class Thing {}
    let (one, other) = (Thing(), Thing())
    let sequence = center.notifications(named: name, object: one)
    var first = sequence.makeAsyncIterator()
    var second = sequence.makeAsyncIterator()
    center.post(name: name, object: other)
    center.post(name: name, object: one, userInfo: ["number": 1])
    #expect(await first.next()?.userInfo?["number"] as? Int == 1)
    #expect(await second.next()?.userInfo?["number"] as? Int == 1)
  }

  @Test func `saves are received`() async throws {
    let context = ModelContext(try makeContainer())
    let saves = NotificationCenter.default.notifications(named: ModelContext.didSave, object: context)
    context.insert(Artist("Ella"))
    try context.save()
    for await save in saves {
      #expect((save.userInfo?["inserted"] as? [PersistentIdentifier])?.count == 1)
      break
    }
  }
}
