import RoostTransfer

/// Completion scripts for shells, made from the syntax of the commands.
struct Completion {
  let commands: [Command]

  private var names: [String] { commands.map(\.name) + ["help"] }

  /// The completions after a command: its options and files, but no names from a store.
  private func options(_ command: Command) -> [String] {
    command.syntax.options.map { "--\($0.name)" } + ["--help"]
  }

  private func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  // MARK: bash

  var bash: [String] {
    var lines = [
      "# Completes roost; for ~/.bashrc: source <(roost completion bash)",
      "_roost() {",
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"",
      "  COMPREPLY=()",
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
      "    COMPREPLY=($(compgen -W \(shellQuoted((names + ["--help", "--version"]).joined(separator: " "))) -- \"$word\"))",
      "    return",
      "  fi",
      "  case \"${COMP_WORDS[1]} $before\" in",
    ]
    for command in commands {
      for option in command.syntax.options where !option.choices.isEmpty {
        lines.append(
          "    \(shellQuoted("\(command.name) --\(option.name)"))) "
            + "COMPREPLY=($(compgen -W \(shellQuoted(option.choices.joined(separator: " "))) -- \"$word\")); return ;;")
      }
    }
    lines += ["  esac", "  case \"$word\" in", "    -*) ;;", "    *)"]
    lines += [
      "      case \"${COMP_WORDS[1]}\" in",
      "        help) COMPREPLY=($(compgen -W \(shellQuoted((names + HelpTopic.all.map(\.name) + ["errors"]).joined(separator: " "))) -- \"$word\")) ;;",
      "        completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;",
      "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;", "      esac", "      return ;;", "  esac",
      "  case \"${COMP_WORDS[1]}\" in",
    ]
    for command in commands {
      lines.append(
        "    \(command.name)) COMPREPLY=($(compgen -W \(shellQuoted(options(command).joined(separator: " "))) -- \"$word\")) ;;"
      )
    }
    return lines + ["  esac", "}", "complete -o filenames -F _roost roost"]
  }

  // MARK: zsh

  /// Escapes a text for a specification of `_arguments`, in which some characters have a meaning.
  private func zshText(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if "[]:\\".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }

  var zsh: [String] {
    var lines = [
      "#compdef roost",
      "# Completes roost; put this as _roost into a folder of $fpath, or: source <(roost completion zsh)",
      "_roost() {", "  local -a commands=(",
    ]
    lines += commands.map { "    " + shellQuoted("\($0.name):\(zshText($0.summary))") }
    lines += [
      "    'help:Show help, or explain an error.'", "  )", "  if (( CURRENT == 2 )); then",
      "    _describe 'command' commands", "    return", "  fi", "  case $words[2] in",
      "    help) _describe 'command' commands ;;",
      "    completion) _values 'shell' bash zsh fish ;;",
    ]
    for command in commands where command.name != "completion" {
      lines.append("    \(command.name)) _arguments \\")
      for option in command.syntax.options {
        var text = "--\(option.name)[\(zshText(option.help))]"
        if let value = option.value {
          text += ":\(value):" + (option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
        }
        lines.append("      " + shellQuoted(text) + " \\")
      }
      lines.append("      '--help[Show help information.]' '*:file:_files' ;;")
    }
    return lines + [
      "  esac", "}", "if [ \"$funcstack[1]\" = _roost ]; then _roost \"$@\"; else compdef _roost roost; fi",
    ]
  }

  // MARK: fish

  private func fishQuoted(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if character == "'" || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return "'\(escaped)'"
  }

  var fish: [String] {
    var lines = ["# Completes roost; for config.fish: roost completion fish | source"]
    let isFirst = "-n __fish_use_subcommand"
    for command in commands {
      lines.append("complete -c roost \(isFirst) -f -a \(command.name) -d \(fishQuoted(command.summary))")
    }
    lines.append("complete -c roost \(isFirst) -f -a help -d 'Show help, or explain an error.'")
    lines.append("complete -c roost \(isFirst) -f -l version -d 'Show the version.'")
    for command in commands {
      let isHere = "-n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.syntax.options {
        var line = "complete -c roost \(isHere) -l \(option.name) -d \(fishQuoted(option.help))"
        if let letter = option.letter { line += " -s \(letter)" }
        if option.value != nil {
          line += option.choices.isEmpty ? " -r" : " -x -a '\(option.choices.joined(separator: " "))'"
        }
        lines.append(line)
      }
    }
    lines.append("complete -c roost -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'")
    return lines + ["complete -c roost -l help -s h -d 'Show help information.'"]
  }
}

extension Command {
  static var completion: Command {
    Command(
      name: "completion", summary: "Print a completion script for a shell.",
      discussion: [
        "For bash: source <(roost completion bash). For zsh: source <(roost completion zsh). For fish:",
        "roost completion fish | source.",
      ],
      syntax: Syntax(operands: [Syntax.Operand(name: "shell", help: "bash, zsh or fish.")])
    ) { arguments, console in
      let completion = Completion(commands: shown)
      let lines: [String]
      switch arguments.operands[0] {
      case "bash": lines = completion.bash
      case "zsh": lines = completion.zsh
      case "fish": lines = completion.fish
      case let other:
        throw UsageError(
          sentence: "There is no shell '\(other)'" + Spelling.hint(other, among: ["bash", "zsh", "fish"]))
      }
      for line in lines { console.line(text: line) }
      return .good
    }
  }
}
