#if Postgres
  import RoostPostgres
  import SwiftData
  import Testing

  /// `RoleTests` runs the SQL of the guide.
  @Suite struct PostgreSQLRolesGuideTests {
    @Test func `the addresses of the guide`() {
      let writer = PostgresConfiguration("postgresql://shop_writer@host/db", namespace: "shop")
      let tenant = PostgresConfiguration(
        "postgresql://shop_acme@host/db?options=-c%20roost.zone%3Dacme",
        zone: .properties(.property(\Customer.name), .property(\Order.customer)), namespace: "shop")
      #expect(writer.namespace == tenant.namespace)
      #expect(tenant.zone != .single)
    }

    private typealias Customer = PostgreSQLGuide.Customer
    private typealias Order = PostgreSQLGuide.Order
  }
#endif
