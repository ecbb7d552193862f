#if Postgres
  /// The address of a server, for libpq. It may contain a password, so nothing prints it.
  struct ServerAddress: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { "an address" }
    var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
