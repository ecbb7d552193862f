// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SharedModels",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // In your package: the folder of your clone of Roost, or its address.
    .package(name: "roost", path: "../../..")
  ],
  targets: [
    .target(
      name: "LibraryModels",
      dependencies: [
        // On Apple's platforms `import SwiftData` is Apple's, and Roost is not built.
        .product(name: "SwiftData", package: "roost", condition: .when(platforms: [.linux]))
      ]),
    .executableTarget(name: "catalogue", dependencies: ["LibraryModels"]),
  ]
)
