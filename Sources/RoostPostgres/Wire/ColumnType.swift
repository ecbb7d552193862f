#if Postgres
  /// The type of a column.
  enum ColumnType: String, Hashable, Sendable, CaseIterable {
    case boolean, smallint, integer, bigint, numeric, real, double = "double precision", text, bytea, uuid, jsonb

    /// The server's number of the type. It never changes.
    var oid: UInt32 {
      switch self {
      case .boolean: 16
      case .bytea: 17
      case .bigint: 20
      case .smallint: 21
      case .integer: 23
      case .text: 25
      case .real: 700
      case .double: 701
      case .numeric: 1700
      case .uuid: 2950
      case .jsonb: 3802
      }
    }

    var arrayOID: UInt32 {
      switch self {
      case .boolean: 1000
      case .bytea: 1001
      case .bigint: 1016
      case .smallint: 1005
      case .integer: 1007
      case .text: 1009
      case .real: 1021
      case .double: 1022
      case .numeric: 1231
      case .uuid: 2951
      case .jsonb: 3807
      }
    }
  }
#endif
