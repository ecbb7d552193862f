import Observation
import RoostFile
import RoostQuery
import SwiftData
import Testing

@testable import RoostGraph

/// A context that two threads use at once reports it.
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

  /// Runs a closure on another thread and waits for it.
  private func elsewhere(_ body: @escaping @Sendable () -> Void) throws { try RoostFile.Thread(body).join() }

  @Test func `a call during another thread's call throws and names both`() throws {
    let (context, _) = try filled()
    // Unsafe, because the test shares a context between two threads.
    nonisolated(unsafe) let shared = context
    try elsewhere { _ = shared.session.lock.take(.saving) }
    let fault = #expect(throws: GraphFault.self) { try context.fetchStored(Query("School"), as: School.self) }
    #expect(fault?.code == .twoThreads)
    #expect(fault?.detail.contains("was fetching while thread") == true)
    #expect(fault?.detail.contains("was saving") == true)
    let other = #expect(throws: GraphFault.self) { try context.save() }
    #expect(other?.code == .twoThreads)
    context.session.lock.give()
    #expect(try context.fetchStored(Query("School"), as: School.self).count == 1)
    context.close()
  }

  @Test func `a getter waits, and the next call that can throw names the property`() throws {
    let (context, school) = try filled()
    nonisolated(unsafe) let (shared, model) = (context, school)
    _ = context.session.lock.take(.saving)
    let started = Shelf()
    let thread = try RoostFile.Thread {
      started.put(model)
      #expect(model.pupils.count == 5)
    }
    _ = started.takeOne()
    while !shared.session.lock.hasWaiting {}
    context.session.lock.give()
    thread.join()
    let fault = #expect(throws: GraphFault.self) { try context.fetchStored(Query("School"), as: School.self) }
    #expect(fault?.code == .twoThreads && fault?.detail.contains("was reading School.pupils while") == true)
    // The error was thrown already.
    #expect(try context.fetchStored(Query("School"), as: School.self).count == 1)
    context.close()
  }

  @Test func `threads that take turns cause no error`() throws {
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

  @Test func `two threads at once get a result or an error, and no trap`() throws {
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

  @Test func `an observer finds the context unlocked`() throws {
    let (context, school) = try filled()
    context.objects.observe(true)
    nonisolated(unsafe) let shared = context
    let held = Shelf()
    /// Reads on another thread, because the thread that has the lock always may.
    func watch(_ read: () -> Void) {
      withObservationTracking(read) {
        let thread = try? RoostFile.Thread {
          do {
            if try shared.session.lock.takeOrThrow(.reading) { shared.session.lock.give() }
          } catch { held.put(shared) }
        }
        thread?.join()
      }
    }
    let pupil = school.pupils[0]
    watch { _ = school.pupils.count }
    pupil.school = nil
    watch { _ = school.name }
    context.rollback()
    watch { _ = school.pupils.count }
    school.pupils.removeAll()
    watch { _ = pupil.school }
    context.reset()
    held.finish()
    #expect(!held.takeOne())
    context.close()
  }

  @Test func `a getter that waits too long returns a value, and the next call throws the reason`() throws {
    let (context, school) = try filled()
    nonisolated(unsafe) let (shared, model) = (context, school)
    context.session.lock.patience = 20_000_000
    _ = context.session.lock.take(.saving)
    let thread = try RoostFile.Thread {
      #expect(model.pupils.isEmpty && model.head == nil)
      model.name = "Lake"
      #expect(!shared.quietly(.reading, otherwise: false) { true })
    }
    thread.join()
    context.session.lock.give()
    let fault = #expect(throws: GraphFault.self) { try context.fetchStored(Query("School"), as: School.self) }
    #expect(fault?.code == .twoThreads && fault?.detail.contains("was saving") == true)
    #expect(fault?.detail.contains("waited too long") == true, "\(fault?.detail ?? "")")
    // The value in its place is not kept.
    #expect(try context.fetchStored(Query("School"), as: School.self).count == 1)
    #expect(school.pupils.count == 5)
    context.close()
  }
}
