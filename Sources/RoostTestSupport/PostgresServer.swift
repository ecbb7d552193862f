#if Postgres
  internal import Foundation
  internal import RoostFile

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// A PostgreSQL server for tests: the one in `ROOST_PG_URL`, or one in a temporary folder that is
  /// started here and ends with the tests.
  package struct PostgresServer: Sendable {
    package let address: String

    private static let found = find()
    private static let foundForLocks = find()

    private static func find() -> Result<PostgresServer, Missing> {
      Result { () throws(Missing) in
        if let given { return PostgresServer(address: given) }
        return try start()
      }
    }

    /// The address in `ROOST_PG_URL`; nil if the tests start their own server.
    package static let given = ProcessInfo.processInfo.environment["ROOST_PG_URL"]

    /// Why no server is available.
    package struct Missing: Error, CustomStringConvertible { package let description: String }

    /// The server of this test run. The first call starts it.
    package static func shared() throws -> PostgresServer { try found.get() }

    /// The server for tests that hold a transaction open while they wait. A history does not show
    /// transactions newer than the oldest open one of its server. A waiting test may continue
    /// minutes later, after all others of its process.
    package static func forLocks() throws -> PostgresServer { try foundForLocks.get() }

    /// Why tests that need a server are skipped; nil if there is a server.
    package static var missing: String? {
      if case .failure(let missing) = found { missing.description } else { nil }
    }

    private static let lastNamespace = LockedNumber()

    /// A schema name that no other test uses.
    package static func freshNamespace() -> String {
      "roost_test_\(ProcessInfo.processInfo.processIdentifier)_\(lastNamespace.next())"
    }

    /// Starts a server that ends with this process.
    ///
    /// - Parameter isDurable: whether it syncs each commit, so that commits survive a crash of the
    ///   machine.
    package static func start(isDurable: Bool = false) throws(Missing) -> PostgresServer {
      guard let programs = folderOfPrograms() else {
        throw Missing(
          description: "PostgreSQL is not installed: install postgresql, or name a server with ROOST_PG_URL")
      }
      let folder = FileManager.default.temporaryDirectory.path + "/roost-pg-" + UUID().uuidString.prefix(8)
      // The server does not run as root. When this process ends, the server ends too and its folder
      // is removed. It must not keep this process's sockets and pipes open, because a process that
      // waits for their end would wait for the server. Only bash can close descriptors with several
      // digits.
      let script = """
        for OPEN in /proc/$$/fd/*; do
          OPEN="${OPEN##*/}"
          if [ "$OPEN" -gt 2 ]; then eval "exec $OPEN>&-"; fi
        done
        set -e
        mkdir -m 700 "$FOLDER"
        RUN=""
        if [ "$(id -u)" = 0 ]; then chown postgres "$FOLDER"; RUN="runuser -u postgres --"; fi
        cd "$FOLDER"
        $RUN "$PROGRAMS/initdb" -D "$FOLDER/data" -A trust -U roost -E UTF8 --locale=C --no-sync >"$FOLDER/log" 2>&1
        $RUN "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -w -l "$FOLDER/server.log" -o "-k $FOLDER -c listen_addresses= \
          -c fsync=$SAFE -c full_page_writes=$SAFE -c max_connections=400 -c shared_buffers=64MB" start >>"$FOLDER/log" 2>&1
        (
          while kill -0 "$PARENT" 2>/dev/null; do sleep 0.3; done
          $RUN "$PROGRAMS/pg_ctl" -D "$FOLDER/data" -m immediate stop
          rm -rf "$FOLDER"
        ) >/dev/null 2>&1 </dev/null &
        """
      let values = [
        "FOLDER": folder, "PROGRAMS": programs, "PARENT": "\(ProcessInfo.processInfo.processIdentifier)",
        "SAFE": isDurable ? "on" : "off",
      ]
      let settings = values.map { "\($0)='\($1)'\n" }.joined()
      // Not with Foundation's Process, which waits until the watching part ends.
      guard system("exec bash -c \"$(cat <<'END'\n\(settings)\(script)\nEND\n)\"") == 0 else {
        let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
        throw Missing(description: "PostgreSQL did not start: \(log.suffix(500))")
      }
      return PostgresServer(address: "host=\(folder) user=roost dbname=postgres")
    }

    /// The newest of Debian's versions, or the one on the path.
    private static func folderOfPrograms() -> String? {
      let all = "/usr/lib/postgresql"
      let versions = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
      let debian = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(all)/\($0)/bin" }
      let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
      return (debian + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }
  }

  /// Unchecked because the lock protects the number.
  private final class LockedNumber: @unchecked Sendable {
    private let lock = Lock()
    private var number = 0

    func next() -> Int {
      lock.withLock {
        number += 1
        return number
      }
    }
  }
#endif
