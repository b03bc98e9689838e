"""``polhode completion SHELL``: a script that completes commands, options and their values."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator

from .parser import build_parser
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Print the script; it holds all commands and options, and starts no Python."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]
    script = "\n".join(write(_commands()))
    output.say(script)
    output.result({"shell": options.shell, "script": script})
    return 0


def _commands() -> dict[str, ArgumentParser]:
    actions = build_parser()._actions
    return next(a.choices for a in actions if isinstance(a, _SubParsersAction))


def _bash(commands: dict[str, ArgumentParser]) -> Iterator[str]:
    yield "_polhode() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield "  local known="
    yield "  if [ $COMP_CWORD -eq 1 ]; then"
    yield f'    known="{" ".join(commands)}"'
    yield "  else"
    yield '    case "${COMP_WORDS[1]} $before" in'
    for name, command in commands.items():
        for flags, choices in _choices(command):
            patterns = "|".join(f'"{name} {flag}"' for flag in flags)
            yield f'      {patterns}) known="{" ".join(choices)}";;'
    for name, command in commands.items():
        yield f'      "{name} "*) [ "${{word#-}}" = "$word" ] || known="{_flags(command)}";;'
    yield "    esac"
    yield "  fi"
    yield '  COMPREPLY=($(compgen -W "$known" -- "$word"))'
    yield "}"
    yield "complete -o default -F _polhode polhode"


def _zsh(commands: dict[str, ArgumentParser]) -> Iterator[str]:
    yield "#compdef polhode"
    yield "autoload -U +X bashcompinit && bashcompinit"
    yield from _bash(commands)


def _fish(commands: dict[str, ArgumentParser]) -> Iterator[str]:
    for name, command in commands.items():
        about = _quoted(command.description or "")
        yield f"complete -c polhode -n __fish_use_subcommand -a {name} -d {about}"
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for action in command._actions:
            long = [flag[2:] for flag in action.option_strings if flag.startswith("--")]
            values = f" -xa '{' '.join(map(str, action.choices))}'" if action.choices else ""
            for flag in long:
                about = _quoted(action.help or "")
                yield f"complete -c polhode {seen} -l {flag}{values} -d {about}"


def _choices(command: ArgumentParser) -> Iterator[tuple[list[str], list[str]]]:
    """Options that take one of some values, and the values."""
    for action in command._actions:
        if action.choices and action.option_strings:
            yield [*action.option_strings], [*map(str, action.choices)]


def _flags(command: ArgumentParser) -> str:
    return " ".join(flag for a in command._actions for flag in a.option_strings)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
