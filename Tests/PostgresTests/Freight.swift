#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData

  /// Parcels of several tenants. Each tenant is a zone.
  enum Freight {
    @Model final class Tenant {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Parcel.tenant) var parcels: [Parcel] = []
      @Relationship(deleteRule: .nullify, inverse: \Sticker.tenant) var stickers: [Sticker] = []
      @Relationship(deleteRule: .deny, inverse: \Invoice.tenant) var invoices: [Invoice] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Parcel {
      @Attribute(.unique) var number: Int
      var weight = 0
      var tenant: Tenant?
      var stickers: [Sticker] = []
      @Relationship(deleteRule: .cascade, inverse: \Seal.parcel) var seal: Seal?
      init(_ number: Int, _ tenant: Tenant? = nil) {
        self.number = number
        self.tenant = tenant
      }
    }

    @Model final class Sticker {
      var word: String
      var tenant: Tenant?
      @Relationship(inverse: \Parcel.stickers) var parcels: [Parcel] = []
      init(_ word: String, _ tenant: Tenant? = nil) {
        self.word = word
        self.tenant = tenant
      }
    }

    /// One to one.
    @Model final class Seal {
      var code: String
      var parcel: Parcel?
      init(_ code: String, _ parcel: Parcel? = nil) {
        self.code = code
        self.parcel = parcel
      }
    }

    @Model final class Invoice {
      var sum: Int
      var tenant: Tenant?
      init(_ sum: Int, _ tenant: Tenant? = nil) {
        self.sum = sum
        self.tenant = tenant
      }
    }

    static let schema = Schema([Tenant.self, Parcel.self, Sticker.self, Seal.self, Invoice.self])
    static let zone = PostgresZone.properties(
      .property(\Tenant.name), .property(\Parcel.tenant), .property(\Sticker.tenant), .property(\Seal.parcel),
      .property(\Invoice.tenant))

    static func container(
      _ ground: Ground, address: String? = nil, zone: PostgresZone = zone, schema: Schema = schema
    ) throws -> ModelContainer {
      try ModelContainer(
        for: schema,
        configurations: [
          PostgresConfiguration(address ?? ground.address, zone: zone, schema: schema, namespace: ground.namespace)
        ])
    }

    /// Tenants, each with the parcels 1 to 3, two stickers on each of them, and a seal on the first.
    static func fill(_ context: ModelContext, _ names: [String]) throws {
      for name in names {
        let tenant = Tenant(name)
        context.insert(tenant)
        let stickers = ["red", "blue"].map { Sticker("\($0) \(name)", tenant) }
        for number in 1...3 {
          let parcel = Parcel(number, tenant)
          context.insert(parcel)
          parcel.stickers = stickers
          if number == 1 { parcel.seal = Seal(name) }
        }
      }
      try context.save()
    }
  }
#endif
