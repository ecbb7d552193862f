#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The torture of the store. Docs/TESTING.md explains each number.

exit(TortureCommand.run(Array(CommandLine.arguments.dropFirst())))
