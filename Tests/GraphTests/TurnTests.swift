import RoostFile
import RoostQuery
import SwiftData
import Testing

@testable import RoostGraph

/// A context that two threads use at once says so.
@Suite struct TurnTests {
  private func filled() throws -> (GraphContext, School) {
    let store = try SchoolStore.make()
    let writer = GraphContext(store)
    let school = School("Hill")
    for number in 0..<5 { school.pupils.append(Pupil("\(number)")) }
    try writer.insert(school)
    try writer.save()
    writer.close()
    let context = GraphContext(store)
    return (context, try #require(try context.fetchStored(Query("School"), as: School.self).first))
  }

  /// Runs something on another thread and waits for it.
  private func elsewhere(_ body: @escaping @Sendable () -> Void) throws { try RoostFile.Thread(body).join() }

  @Test func `a call while another thread is at it throws, and names both`() throws {
    let (context, _) = try filled()
    // Unsafe, as what is tested is: two threads that share a context.
    nonisolated(unsafe) let shared = context
    try elsewhere { _ = shared.turn.take(.saving) }
    let fault = #expect(throws: GraphFault.self) { try context.fetchStored(Query("School"), as: School.self) }
    #expect(fault?.code == .twoThreads)
    #expect(fault?.detail.contains("was fetching while thread") == true)
    #expect(fault?.detail.contains("was saving") == true)
    let other = #expect(throws: GraphFault.self) { try context.save() }
    #expect(other?.code == .twoThreads)
    context.turn.give()
    #expect(try context.fetchStored(Query("School"), as: School.self).count == 1)
    context.close()
  }

  @Test func `a getter waits, and the next call that can throw names the property`() throws {
    let (context, school) = try filled()
    nonisolated(unsafe) let (shared, model) = (context, school)
    _ = context.turn.take(.saving)
    let started = Shelf()
    let thread = try RoostFile.Thread {
      started.put(model)
      #expect(model.pupils.count == 5)
    }
    _ = started.takeOne()
    while !shared.turn.hasWaiting {}
    context.turn.give()
    thread.join()
    let fault = #expect(throws: GraphFault.self) { try context.fetchStored(Query("School"), as: School.self) }
    #expect(fault?.code == .twoThreads && fault?.detail.contains("was reading School.pupils while") == true)
    // It was said.
    #expect(try context.fetchStored(Query("School"), as: School.self).count == 1)
    context.close()
  }

  @Test func `threads that take turns are nobody's fault`() throws {
    let (context, school) = try filled()
    nonisolated(unsafe) let (shared, model) = (context, school)
    for _ in 0..<20 {
      try elsewhere {
        #expect(model.pupils.count == 5)
        model.name += "!"
        do { try shared.save() } catch { Issue.record(error) }
      }
      #expect(try context.fetchStored(Query("School"), as: School.self).count == 1)
    }
    #expect(school.name == "Hill" + String(repeating: "!", count: 20))
    context.close()
  }

  @Test func `two threads at once get an answer or an error, and no trap`() throws {
    let (context, _) = try filled()
    nonisolated(unsafe) let shared = context
    let threads = try (0..<3).map { number in
      try RoostFile.Thread {
        for _ in 0..<200 {
          do {
            let count = try shared.call(.fetching) {
              try shared.fetchStored(Query("School"), as: School.self).first?.pupils.count
            }
            #expect(count == 5)
          } catch let fault as GraphFault {
            #expect(fault.code == .twoThreads)
          } catch { Issue.record(error) }
        }
      }
    }
    for thread in threads { thread.join() }
    context.close()
  }
}
