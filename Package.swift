// swift-tools-version: 6.2
import PackageDescription

// Every floor is its own module, so that the compiler refuses an upward import.
// `HouseTests` holds the rest of the table in Docs/ARCHITECTURE.md.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func floor(_ name: String, on floors: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: floors, swiftSettings: strict)
}

func program(_ name: String, on floors: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: floors, swiftSettings: strict)
}

func tests(_ name: String, of floors: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: floors, swiftSettings: strict)
}

let package = Package(
  name: "roost",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RoostKV", targets: ["RoostKV"]),
    // For the benchmarks alone: nothing in it is public but the error, so nobody else can call it.
    .library(name: "RoostRecords", targets: ["RoostQuery", "RoostRecords", "RoostPages", "RoostFile"]),
    .executable(name: "roost", targets: ["RoostTool"]),
    .executable(name: "roost-torture", targets: ["RoostTorture"]),
  ],
  targets: [
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4",
      providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),

    floor("RoostBytes", on: ["CLZ4"]),
    floor("RoostFile"),
    floor("RoostPages", on: ["RoostFile", "RoostBytes"]),
    floor("RoostTrees", on: ["RoostPages", "RoostBytes"]),
    floor("RoostKV", on: ["RoostTrees", "RoostPages"]),
    floor("RoostRecords", on: ["RoostTrees", "RoostPages", "RoostFile", "RoostBytes"]),

    floor("RoostQuery", on: ["RoostRecords", "RoostFile", "RoostBytes"]),

    floor(
      "RoostTestSupport",
      on: ["RoostFile", "RoostBytes", "RoostPages", "RoostTrees", "RoostKV", "RoostRecords", "RoostQuery"]),
    program("RoostTool", on: ["RoostKV", "RoostRecords", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes"]),
    program(
      "RoostTorture",
      on: ["RoostTestSupport", "RoostKV", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes"]),

    tests("HouseTests", of: []),
    tests("BytesTests", of: ["RoostBytes", "RoostTestSupport"]),
    tests("FileTests", of: ["RoostFile", "RoostTestSupport"]),
    tests("PagesTests", of: ["RoostPages", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests("TreesTests", of: ["RoostTrees", "RoostPages", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests("ToolTests", of: ["RoostTool", "RoostKV", "RoostRecords", "RoostPages", "RoostFile", "RoostTestSupport"]),
    tests(
      "RecordsTests",
      of: ["RoostRecords", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests(
      "QueryTests",
      of: ["RoostQuery", "RoostRecords", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests("KVTests", of: ["RoostKV", "RoostTrees", "RoostPages", "RoostFile", "RoostTestSupport"]),
  ]
)
