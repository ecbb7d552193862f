#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The proof of the store: see Docs/TESTING.md for what each number means.

exit(TortureCommand.run(Array(CommandLine.arguments.dropFirst())))
