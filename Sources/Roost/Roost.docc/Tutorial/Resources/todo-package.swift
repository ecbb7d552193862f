// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TodoList",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    // In your package: the folder of your clone of Roost, or its address.
    .package(name: "roost", path: "../../..")
  ],
  targets: [
    .executableTarget(name: "todo", dependencies: [.product(name: "SwiftData", package: "roost")])
  ]
)
