#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The torture of the store. Docs/TESTING.md explains each trial.

exit(TortureCommand.run(Array(CommandLine.arguments.dropFirst())))
