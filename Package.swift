// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Every floor is a module of its own, so that the compiler refuses an upward import.
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

/// What is built only with the trait that needs libpq.
let postgres = TargetDependencyCondition.when(traits: ["Postgres"])

func floor(_ name: String, on floors: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: floors, swiftSettings: strict)
}

func program(_ name: String, on floors: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: floors, swiftSettings: strict)
}

func tests(_ name: String, of floors: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(name: name, dependencies: floors, resources: resources, swiftSettings: strict)
}

// The macros need SwiftSyntax. A toolchain for Linux brings its modules along, so nothing is fetched; where it does not,
// or the trait asks, the package swift-syntax is used.

/// The toolchain's folder of SwiftSyntax, found from where this manifest's own library lies; nil where there is none.
let toolchainSyntax: String? = {
  #if os(Linux)
    guard let maps = fopen("/proc/self/maps", "r") else { return nil }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 8192)
    while fgets(&line, Int32(line.count), maps) != nil {
      let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let library = "/pm/ManifestAPI/libPackageDescription.so"
      guard let path = text.firstIndex(of: "/"), text.hasSuffix(library) else { continue }
      let host = text[path...].dropLast(library.count) + "/host"
      return access(host + "/SwiftSyntaxMacros.swiftmodule", R_OK) == 0 ? String(host) : nil
    }
  #endif
  return nil
}()

let syntaxModules = [
  "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion", "SwiftIfConfig",
  "SwiftOperators", "SwiftDiagnostics", "SwiftParser", "SwiftCompilerPluginMessageHandling",
]

/// Named in any case, and fetched only where it is used.
let syntaxPackages: [Package.Dependency] = [
  .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.0")
]
let syntaxFloors: [Target.Dependency] = syntaxModules.map { module in
  // One module's product has another name.
  .product(
    name: module == "SwiftCompilerPluginMessageHandling" ? "_" + module : module, package: "swift-syntax",
    condition: toolchainSyntax == nil ? nil : .when(traits: ["SwiftSyntaxPackage"]))
}
// Who asks for the other trait does without this one, which is there by default. The modules of both would be mixed up.
let syntaxSearch: [SwiftSetting] =
  toolchainSyntax.map { [.unsafeFlags(["-I", $0], .when(traits: ["ToolchainSyntax"]))] } ?? []
let syntaxLinking: [LinkerSetting] =
  toolchainSyntax.map {
    [.unsafeFlags(["-L", $0, "-Xlinker", "-rpath", "-Xlinker", $0], .when(traits: ["ToolchainSyntax"]))]
  } ?? []

func syntaxFloor(_ name: String) -> Target {
  .target(
    name: name, dependencies: syntaxFloors, swiftSettings: strict + syntaxSearch, linkerSettings: syntaxLinking)
}

func plugin(_ name: String, on floors: [Target.Dependency]) -> Target {
  .macro(
    name: name, dependencies: floors + syntaxFloors, swiftSettings: strict + syntaxSearch,
    linkerSettings: syntaxLinking)
}

func syntaxTests(_ name: String, of floors: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: floors + syntaxFloors, swiftSettings: strict + syntaxSearch,
    linkerSettings: syntaxLinking)
}

/// The targets of tests that are built, where `ROOST_TESTS` names some. An optimised build can have those alone that need nothing
/// of a module but what it shows to others. `RoostTests/Questions` is a part of a target: this folder, and the models that its suites share.
let wantedTests = Context.environment["ROOST_TESTS"].map { $0.split(separator: ",").map(String.init) }

let package = Package(
  name: "roost",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "RoostKV", targets: ["RoostKV"]),
    // For the benchmarks alone: nothing in it is public but the error, so nobody else can call it.
    .library(name: "RoostRecords", targets: ["RoostGraph", "RoostQuery", "RoostRecords", "RoostPages", "RoostFile"]),
    .library(name: "Roost", targets: ["Roost"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "RoostImport", targets: ["RoostImport"]),
    // Empty without the trait `Postgres`.
    .library(name: "RoostPostgres", targets: ["RoostPostgres"]),
    .executable(name: "roost", targets: ["RoostProgram"]),
    .executable(name: "roost-torture", targets: ["RoostTorture"]),
  ],
  traits: [
    .default(enabledTraits: ["ToolchainSyntax"]),
    .trait(
      name: "ToolchainSyntax",
      description: "Builds the macros with the modules that the toolchain brings along, where it does."),
    .trait(
      name: "SwiftSyntaxPackage",
      description: "Builds the macros with the package swift-syntax, also where the toolchain brings it along."),
    .trait(name: "Postgres", description: "Builds RoostPostgres, which keeps models in PostgreSQL. It needs libpq."),
  ],
  dependencies: syntaxPackages,
  targets: [
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4",
      providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),

    floor("RoostBytes", on: ["CLZ4"]),
    floor("RoostFile"),
    floor("RoostText", on: ["RoostFile", "RoostBytes"]),
    floor("RoostPages", on: ["RoostFile", "RoostBytes"]),
    floor("RoostTrees", on: ["RoostPages", "RoostBytes"]),
    floor("RoostCare", on: ["RoostTrees", "RoostPages", "RoostFile", "RoostBytes"]),
    floor("RoostKV", on: ["RoostCare", "RoostTrees", "RoostPages"]),
    floor(
      "RoostRecords", on: ["RoostCare", "RoostText", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes"]),

    floor("RoostQuery", on: ["RoostRecords", "RoostFile", "RoostBytes"]),

    floor("RoostTransfer", on: ["RoostQuery", "RoostRecords", "RoostPages", "RoostFile", "RoostBytes"]),

    syntaxFloor("RoostExpansion"),
    plugin("RoostMacros", on: ["RoostExpansion"]),
    .target(name: "CRetain"),
    floor("RoostGraph", on: ["CRetain", "RoostQuery", "RoostRecords", "RoostText", "RoostPages", "RoostFile"]),
    floor(
      "Roost",
      on: [
        "RoostMacros", "RoostGraph", "RoostQuery", "RoostRecords", "RoostText", "RoostCare", "RoostPages", "RoostFile",
      ]),
    floor("SwiftData", on: ["Roost"]),
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    floor(
      "RoostPostgres",
      on: [
        "Roost", "RoostGraph", "RoostQuery", "RoostRecords", "RoostFile",
        .target(name: "CPostgres", condition: postgres),
      ]),
    floor("RoostImport", on: ["Roost", "RoostTransfer", "RoostGraph", "RoostQuery", "RoostRecords", "RoostFile"]),

    .target(
      name: "RoostTestSupport",
      dependencies: [
        "RoostFile", "RoostBytes", "RoostText", "RoostPages", "RoostTrees", "RoostKV", "RoostRecords", "RoostQuery",
      ],
      resources: [.copy("Golden/Versions")], swiftSettings: strict),
    floor(
      "RoostDoorTrials",
      on: ["Roost", "RoostTestSupport", "RoostGraph", "RoostRecords", "RoostPages", "RoostFile"]),
    floor(
      "RoostTool",
      on: [
        "Roost", "RoostImport", "RoostGraph", "RoostTransfer", "RoostQuery", "RoostKV", "RoostCare", "RoostRecords",
        "RoostTrees", "RoostPages", "RoostFile", "RoostBytes",
      ]),
    program("RoostProgram", on: ["RoostTool"]),
    program(
      "RoostTorture",
      on: [
        "RoostDoorTrials", "RoostTestSupport", "RoostKV", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes",
      ]),

    tests("HouseTests", of: []),
    tests("BytesTests", of: ["RoostBytes", "RoostTestSupport"]),
    tests("FileTests", of: ["RoostFile", "RoostTestSupport"]),
    tests("TextTests", of: ["RoostText", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests("PagesTests", of: ["RoostPages", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests("TreesTests", of: ["RoostTrees", "RoostPages", "RoostFile", "RoostBytes", "RoostTestSupport"]),
    tests(
      "ToolTests",
      of: [
        "RoostTool", "Roost", "RoostTransfer", "RoostQuery", "RoostKV", "RoostRecords", "RoostPages", "RoostFile",
        "RoostBytes", "RoostTestSupport",
      ]),
    tests(
      "RecordsTests",
      of: [
        "RoostRecords", "RoostText", "RoostCare", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes",
        "RoostTestSupport",
      ]),
    tests(
      "QueryTests",
      of: [
        "RoostQuery", "RoostRecords", "RoostText", "RoostTrees", "RoostPages", "RoostFile", "RoostBytes",
        "RoostTestSupport",
      ]),
    tests(
      "GraphTests",
      of: ["SwiftData", "RoostGraph", "RoostQuery", "RoostRecords", "RoostPages", "RoostFile", "RoostTestSupport"]),
    // Not of the plug-in itself: SwiftPM would compile all tests, and all modules for them, a second time for the compiler's machine.
    syntaxTests("MacroTests", of: ["RoostExpansion"]),
    tests("ModelTests", of: ["SwiftData", "RoostGraph", "RoostRecords", "RoostTestSupport"]),
    tests("RoostTests", of: ["SwiftData", "RoostImport", "RoostGraph", "RoostDoorTrials", "RoostTestSupport"]),
    tests(
      "MigrationTests",
      of: ["SwiftData", "RoostTestSupport", .target(name: "RoostPostgres", condition: postgres)],
      resources: [.copy("Released")]),
    tests("GuideTests", of: ["SwiftData", "RoostImport", "RoostKV", "RoostPostgres", "RoostTestSupport"]),
    tests(
      "TransferTests",
      of: [
        "RoostTransfer", "RoostPages", "RoostQuery", "RoostRecords", "RoostText", "RoostFile", "RoostBytes",
        "RoostTestSupport",
      ]),
    // Its files compile on Apple's platforms too, against SwiftData itself.
    tests(
      "ConformanceTests",
      of: [
        "SwiftData", .target(name: "RoostPostgres", condition: postgres),
        .target(name: "RoostTestSupport", condition: postgres),
      ]),
    // Empty without the trait `Postgres`.
    tests(
      "PostgresTests",
      of: ["SwiftData", "RoostPostgres", "RoostDoorTrials", "RoostTestSupport", "RoostGraph", "RoostRecords"]),
    // As users' packages are set up: everything on the main actor, and the language as it was.
    .testTarget(
      name: "MainActorModelTests", dependencies: ["SwiftData", "Swift5Export"],
      swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "Swift5ModelTests", dependencies: ["SwiftData"],
      // Warnings are none here: the compiler warns of each `let` that a macro gives accessors to.
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // What a package does that adds to SwiftData and passes it on.
    .target(
      name: "Swift5Export", dependencies: ["SwiftData"], path: "Tests/Swift5Export",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    tests(
      "KVTests",
      of: ["RoostKV", "RoostCare", "RoostRecords", "RoostTrees", "RoostPages", "RoostFile", "RoostTestSupport"]),
  ]
)

if let wantedTests {
  package.targets.removeAll { target in
    guard target.type == .test, !wantedTests.contains(target.name) else { return false }
    let folders = wantedTests.filter { $0.hasPrefix(target.name + "/") }.map {
      String($0.dropFirst(target.name.count + 1))
    }
    target.sources = folders + (target.name == "RoostTests" ? ["Models"] : [])
    return folders.isEmpty
  }
}

// The package in `Benchmarks` builds this program for everyone, with other peers as it finds them. `.ci/run` sets the variable, so that the
// modules of its optimised build are the program's too, and are not compiled a second time.
if Context.environment["ROOST_BENCHMARKS"] != nil {
  package.targets += [
    .systemLibrary(
      name: "CSQLite", path: "Benchmarks/Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLMDB", path: "Benchmarks/Sources/CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .executableTarget(
      name: "RoostBenchmarks",
      dependencies: [
        "CSQLite", "CLMDB", "Roost", "RoostImport", "RoostKV", "RoostGraph", "RoostQuery", "RoostRecords", "RoostPages",
        "RoostFile",
      ],
      path: "Benchmarks/Sources/RoostBenchmarks", swiftSettings: strict),
  ]
}
