// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SharedModels",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // Of your own package: the folder where Roost was cloned, or its address.
    .package(name: "roost", path: "../../..")
  ],
  targets: [
    .target(
      name: "LibraryModels",
      dependencies: [
        // On a Mac or an iPhone `import SwiftData` is Apple's, and nothing of this is built.
        .product(name: "SwiftData", package: "roost", condition: .when(platforms: [.linux]))
      ]),
    .executableTarget(name: "catalogue", dependencies: ["LibraryModels"]),
  ]
)
