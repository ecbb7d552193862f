// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses Roost fetches or links a peer.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "roost-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "roost", path: "..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),

    .executableTarget(
      name: "RoostBenchmarks",
      dependencies: ["CSQLite", "CLMDB", .product(name: "RoostKV", package: "roost")],
      swiftSettings: strict),

    // Without the peers: it needs nothing but Roost.
    .executableTarget(
      name: "ColdScan", dependencies: [.product(name: "RoostKV", package: "roost")], swiftSettings: strict),
  ]
)
