// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A separate package, so that no user of Roost fetches or links a peer.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// The rows suite calls a module whose names are visible in Roost's package only, and no name is
// public for its sake. So the target is compiled as if it belonged to that package. The compiler
// derives the package's name from its folder.
let roost = String(Context.packageDirectory.split(separator: "/").dropLast().last ?? "").lowercased()
let roostName = String(
  roost.unicodeScalars.enumerated().map { place, scalar in
    let isLetter = scalar.properties.isXIDContinue && !(place == 0 && scalar.properties.numericType != nil)
    return isLetter ? Character(scalar) : "_"
  })
let inside = strict + [.unsafeFlags(["-package-name", roostName])]

// RocksDB and WiredTiger are included if their headers are found.
let includes = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"]
let rocksDB = includes.map { "\($0)/rocksdb" }.first { FileManager.default.fileExists(atPath: "\($0)/c.h") }
let hasWiredTiger = includes.contains { FileManager.default.fileExists(atPath: "\($0)/wiredtiger.h") }
var optionalPeers: [Target] = []
var optionalSettings: [SwiftSetting] = []

if let rocksDB {
  optionalPeers.append(
    .systemLibrary(
      name: "CRocksDB", pkgConfig: "rocksdb",
      providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]))
  // The C header does not contain the version. The C++ header does, and C cannot include it.
  let header = (try? String(contentsOfFile: "\(rocksDB)/version.h", encoding: .utf8)) ?? ""
  let version = ["MAJOR", "MINOR", "PATCH"].map { part in
    let line = header.split(separator: "\n").first { $0.hasPrefix("#define ROCKSDB_\(part) ") }
    return "-DROCKSDB_\(part)=\(line?.split(separator: " ").last ?? "0")"
  }
  optionalSettings += [.define("RocksDB"), .unsafeFlags(version.flatMap { ["-Xcc", $0] })]
}
if hasWiredTiger {
  optionalPeers.append(
    .systemLibrary(
      name: "CWiredTiger", pkgConfig: "wiredtiger",
      providers: [.apt(["libwiredtiger-dev"]), .brew(["wiredtiger"])]))
  optionalSettings.append(.define("WiredTiger"))
}

// GRDB is included if this variable names a checkout. Without the variable nothing of GRDB is
// resolved or compiled.
let grdb = Context.environment["GRDB_PATH"].flatMap { $0.isEmpty ? nil : $0 }
if grdb != nil { optionalSettings.append(.define("GRDB")) }

// The benchmark of PostgreSQL is included if this variable names a server.
var server: [Target] = []
if Context.environment["ROOST_PG_URL"]?.isEmpty == false {
  server = [
    .systemLibrary(
      name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .executableTarget(
      name: "Serving",
      dependencies: [
        "CPQ", .product(name: "Roost", package: "roost"), .product(name: "RoostPostgres", package: "roost"),
      ], swiftSettings: strict),
  ]
}

let package = Package(
  name: "roost-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "roost", path: "..", traits: server.isEmpty ? [.defaults] : [.defaults, "Postgres"])
  ] + (grdb.map { [.package(name: "GRDB", path: $0)] } ?? []),
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),

    .executableTarget(
      name: "RoostBenchmarks",
      dependencies: [
        "CSQLite", "CLMDB", .product(name: "RoostKV", package: "roost"),
        .product(name: "RoostRecords", package: "roost"), .product(name: "Roost", package: "roost"),
        .product(name: "RoostImport", package: "roost"),
      ] + optionalPeers.map { .target(name: $0.name) } + (grdb == nil ? [] : [.product(name: "GRDB", package: "GRDB")]),
      packageAccess: false, swiftSettings: inside + optionalSettings),

    // Without the peers: it needs only Roost.
    .executableTarget(
      name: "ColdScan", dependencies: [.product(name: "RoostKV", package: "roost")], swiftSettings: strict),
    .executableTarget(
      name: "Asking", dependencies: [.product(name: "Roost", package: "roost")], swiftSettings: strict),
    .executableTarget(
      name: "Following", dependencies: [.product(name: "Roost", package: "roost")], swiftSettings: strict),
    .executableTarget(
      name: "Searching", dependencies: ["CSQLite", .product(name: "Roost", package: "roost")], swiftSettings: strict),
  ] + optionalPeers + server
)
