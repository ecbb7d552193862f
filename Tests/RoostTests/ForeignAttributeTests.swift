import SwiftData
import Testing

#if os(Linux)
  import RoostTestSupport
#endif

/// An attribute that `@Model` does not know, as another package declares it. It adds nothing.
@attached(peer) macro RemoteKey(_ name: String) = #externalMacro(module: "RoostMacros", type: "AttributeMacro")

/// A program as it was compiled before: its property with a foreign attribute was not stored.
private enum Before {
  @Model final class Contact {
    var name: String
    @Transient var key = ""

    init(_ name: String) { self.name = name }
  }
}

private enum Now {
  @Model final class Contact {
    var name: String
    @RemoteKey("contact_key") var key = "none"

    init(_ name: String) { self.name = name }
  }

  @Model final class Account {
    @RemoteKey("account_id") @Attribute(.unique) var number: String = ""
    @RemoteKey("owner") @Relationship var holders: [Contact] = []

    init(_ number: String) { self.number = number }
  }
}

/// Regression: every stored `var` is stored, whatever its attributes. A property with an attribute
/// that `@Model` did not know was silently left out, and had its default when it was read.
@Suite struct ForeignAttributeTests {
  @Test func `a property with an attribute of another package is stored`() throws {
    let container = try ModelContainer(
      for: Now.Account.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let account = Now.Account("12-34")
    account.holders = [Now.Contact("a")]
    account.holders[0].key = "one"
    context.insert(account)
    try context.save()
    let reader = ModelContext(container)
    let accounts = try reader.fetch(FetchDescriptor<Now.Account>())
    #expect(accounts.map(\.number) == ["12-34"] && accounts.first?.holders.map(\.key) == ["one"])
    // The number must be unique.
    reader.insert(Now.Account("12-34"))
    try reader.save()
    #expect(try reader.fetchCount(FetchDescriptor<Now.Account>()) == 1)
    let entity = container.schema.entitiesByName["Account"]
    #expect(entity?.attributesByName["number"]?.isUnique == true && entity?.relationshipsByName["holders"] != nil)
  }

  @Test func `in a store that lacks the property it has its default, and set values stay`() throws {
    let folder = try Folder()
    let configuration = ModelConfiguration(url: folder.file())
    do {
      let context = ModelContext(try ModelContainer(for: Before.Contact.self, configurations: configuration))
      for name in ["a", "b"] {
        let contact = Before.Contact(name)
        contact.key = "lost"
        context.insert(contact)
      }
      try context.save()
    }
    let byName = FetchDescriptor<Now.Contact>(sortBy: [SortDescriptor(\.name)])
    do {
      let context = ModelContext(try ModelContainer(for: Now.Contact.self, configurations: configuration))
      let contacts = try context.fetch(byName)
      #expect(contacts.map(\.name) == ["a", "b"] && contacts.map(\.key) == ["none", "none"])
      contacts[1].key = "kept"
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: Now.Contact.self, configurations: configuration))
    #expect(try context.fetch(byName).map(\.key) == ["none", "kept"])
    #expect(try context.fetchCount(FetchDescriptor<Now.Contact>(predicate: #Predicate { $0.key == "none" })) == 1)
  }

  #if os(Linux)
    /// A property wrapper stores the value itself, which a model cannot store. As in SwiftData, the
    /// compiler reports it.
    @Test func `the compiler refuses a property wrapper`() throws {
      let outcome = try CompilerCheck.types([
        "Check.swift": """
        import SwiftData

        @propertyWrapper struct Clamped {
          var wrappedValue: Int { didSet { wrappedValue = min(wrappedValue, 10) } }
          init(wrappedValue: Int) { self.wrappedValue = wrappedValue }
        }

        @Model final class Score {
          @Clamped var points: Int = 1
          @Transient @Clamped var shown: Int = 1
          var name = ""
          init() {}
        }
        """
      ])
      #expect(!outcome.isGood)
      #expect(outcome.text.contains("property wrapper cannot be applied to a computed property"), "\(outcome.text)")
    }
  #endif
}
