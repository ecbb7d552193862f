import Foundation
import RoostImport
import SwiftData
import Testing

@Model final class Concert {
  @Attribute(.unique) var name: String
  var seats: Int
  @Relationship(deleteRule: .deny, inverse: \Booking.concert) var bookings: [Booking] = []

  init(_ name: String, seats: Int) {
    self.name = name
    self.seats = seats
  }
}

@Model final class Booking {
  @Attribute(.unique) var code: String
  var concert: Concert?

  init(_ code: String) { self.code = code }
}

struct ConcertView: Codable, Hashable, Sendable {
  var name: String
  var free: Int
}

enum BookingError: Error, Equatable { case unknownConcert, soldOut }

@Suite struct OnAServerGuideTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")

  func openStore(in folder: URL) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: folder.appending(path: "concerts.roost"))
    configuration.lockTimeout = .seconds(30)
    configuration.writeTimeout = .seconds(10)
    return try ModelContainer(for: Concert.self, configurations: configuration)
  }

  func concerts(in container: ModelContainer) throws -> [ConcertView] {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Concert>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 100
    return try context.fetch(descriptor).map { ConcertView(name: $0.name, free: $0.seats - $0.bookings.count) }
  }

  func book(_ name: String, code: String, in container: ModelContainer) async throws -> PersistentIdentifier {
    try await container.write { context in
      let known = try context.fetch(FetchDescriptor<Booking>(predicate: #Predicate { $0.code == code }))
      if let booking = known.first { return booking.persistentModelID }
      let found = try context.fetch(FetchDescriptor<Concert>(predicate: #Predicate { $0.name == name }))
      guard let concert = found.first else { throw BookingError.unknownConcert }
      guard concert.bookings.count < concert.seats else { throw BookingError.soldOut }
      let booking = Booking(code)
      booking.concert = concert
      context.insert(booking)
      return booking.persistentModelID
    }
  }

  func status(of error: any Error) -> Int {
    switch error {
    case BookingError.unknownConcert: return 404
    case BookingError.soldOut: return 409
    case let error as RoostError where error.code == .closed: return 503
    case let error as RoostError where error.storeError?.code == .timedOut: return 503
    case let error as RoostError where error.storeError?.code == .diskFull: return 503
    case let error as RoostError where error.code == .conflict || error.code == .notUnique: return 409
    default: return 500
    }
  }

  func shutDown(_ requests: Task<Void, any Error>, _ container: ModelContainer) async throws {
    requests.cancel()
    _ = await requests.result
    try container.close()
  }

  func load(_ file: URL, into container: ModelContainer) async throws {
    try await container.importer(for: Concert.self).run(.file(file))
  }

  private func status(_ body: () async throws -> Void) async -> Int {
    do { try await body() } catch { return status(of: error) }
    return 200
  }

  @Test func `no seat is sold twice, and a repeated request books once`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try openStore(in: folder)
    let file = folder.appending(path: "concerts.csv")
    try Data("name,seats\nBlue,20\nHejira,5\n".utf8).write(to: file)
    try await load(file, into: container)

    let statuses = await withTaskGroup(of: Int.self) { group in
      for request in 0..<60 {
        group.addTask {
          // Each code is used twice.
          await status { _ = try await book("Blue", code: "\(request / 2)", in: container) }
        }
      }
      return await group.reduce(into: [:]) { counts, status in counts[status, default: 0] += 1 }
    }
    #expect(statuses == [200: 40, 409: 20])
    #expect(try concerts(in: container) == [ConcertView(name: "Blue", free: 0), ConcertView(name: "Hejira", free: 5)])
    #expect(await status { _ = try await book("Low", code: "x", in: container) } == 404)
  }

  @Test func `a server that was shut down leaves one file, and late requests get an error`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try openStore(in: folder)
    try await container.write { $0.insert(Concert("Blue", seats: 1)) }
    let requests = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try concerts(in: container)
    }
    try await shutDown(requests, container)
    try await requests.value
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["concerts.roost"])
    #expect(await status { _ = try await book("Blue", code: "x", in: container) } == 503)
    #expect(await status { _ = try concerts(in: container) } == 503)
  }

  @Test func `a full disk is an error, and the store continues when there is space`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let faults = StoreFaults()
    var configuration = ModelConfiguration(url: folder.appending(path: "concerts.roost"))
    configuration.faults = faults
    let container = try ModelContainer(for: Concert.self, configurations: configuration)
    try await container.write { $0.insert(Concert("Blue", seats: 1)) }
    faults.fail(.diskFull)
    #expect(await status { _ = try await book("Blue", code: "x", in: container) } == 503)
    faults.heal()
    #expect(await status { _ = try await book("Blue", code: "x", in: container) } == 200)
  }
}
