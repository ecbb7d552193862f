import Foundation
import RoostFile

extension Command {
  static var serve: Command {
    Command(
      name: "serve", summary: "Show a store in a browser on this machine. Writes nothing.",
      discussion: [
        "Prints a link with a secret token. The page is for this machine alone: the server listens on 127.0.0.1, and answers only",
        "requests with the token. It reads nothing from a network. Ctrl-C ends it.",
      ],
      syntax: Syntax(
        operands: [Syntax.Operand(name: "path", help: "The store. It may be open in another process.")],
        options: [
          Syntax.Option(name: "port", value: "n", help: "The port to listen on (any that is free)."),
          Syntax.Option(name: "json", help: "Print the link as JSON."),
        ])
    ) { arguments, console in
      let port = UInt16(try arguments.number("port", in: 1...65_535) ?? 0)
      let answers = try WebAnswers(arguments.operands[0])
      let server = try WebServer(port: port) { answers.answer($0) }
      server.start()
      if arguments.has("json") {
        try console.jsonLine(["link": server.link])
      } else {
        console.line(text: server.link)
        if console.isTerminal { console.line(console.styled("Ctrl-C ends the server.", .faint)) }
      }
      try console.checkReader()
      while true { sleep(3600) }
    }
  }
}
