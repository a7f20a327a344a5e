"""pres-eval completion SHELL: the script that lets a shell complete options, files, measures, commands."""

from __future__ import annotations

import copy
import os

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from pres_eval.cli.command_options import NAMES_A_FILE, Choice
from pres_eval.cli.commands import COMMANDS, COMPLETION_VARIABLE, command_of
from pres_eval.cli.streams import say

SHELLS = ("bash", "zsh", "fish")
"""Shells for which there is a script."""

PROGRAM = "pres-eval"
"""Name of the command that is completed."""

SHELL_SCRIPTS = {
    "bash": """\
%(complete_func)s() {
    local IFS=$'\\n' words="${COMP_WORDS[*]}" word="${COMP_WORDS[COMP_CWORD]}" line
    COMPREPLY=()
    for line in $(env COMP_WORDS="$words" COMP_CWORD="$COMP_CWORD" %(complete_var)s=bash_complete "$1"); do
        case ${line%%%%,*} in
            plain) COMPREPLY+=("${line#*,}") ;;
            file) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$word")) ;;
            dir) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$word")) ;;
        esac
    done
}

complete -o nosort -F %(complete_func)s %(prog_name)s
""",
    "fish": """\
function %(complete_func)s
    set -l words (commandline -cp)
    set -l word (commandline -t)
    for line in (env %(complete_var)s=fish_complete COMP_WORDS="$words" COMP_CWORD="$word" %(prog_name)s)
        set -l parts (string split -m 1 "," -- $line)
        switch $parts[1]
            case plain
                printf '%%s\\n' $parts[2]
            case file
                __fish_complete_path $word
            case dir
                __fish_complete_directories $word
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
""",
}
"""Templates of scripts that take the place of click's; zsh has click's own.

Click's for bash drops the commands where files may come as well, and the one for fish cuts descriptions at
their first comma.
"""


@click.command()
@click.argument("shell", type=Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Examples:
      eval "$(pres-eval completion bash)"     in ~/.bashrc
      eval "$(pres-eval completion zsh)"      in ~/.zshrc, after compinit
      pres-eval completion fish > ~/.config/fish/completions/pres-eval.fish

    Completed are commands, options and their choices, files, and after -m the names of measures.  bash has to
    be 4.4 or later.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    click.echo(_completer(shell).source(), nl=False)


def print_completions(instruction: str) -> int:
    """Print the completions that the script of a shell asks for; return the exit code.

    instruction  value of COMPLETION_VARIABLE, such as bash_complete; the words are in other variables
    """
    shell, _, what = instruction.partition("_")
    has_words = "COMP_WORDS" in os.environ and (shell == "fish" or "COMP_CWORD" in os.environ)
    if shell not in SHELLS or what != "complete" or not has_words:
        say(
            f"pres-eval: {COMPLETION_VARIABLE}={instruction}: expected SHELL_complete from a script that"
            "  pres-eval completion SHELL  prints"
        )
        return 1
    click.echo(_completer(shell).complete())
    return 0


def _completer(shell: str) -> ShellComplete:
    """Return click's completion for the shell, changed so that the first word may name a command."""
    base = get_completion_class(shell)
    assert base is not None, "click knows the three shells"
    template = SHELL_SCRIPTS.get(shell, base.source_template)

    class Completer(base):  # type: ignore[valid-type, misc]
        """Completion in which the first word may name a command, which click knows nothing of."""

        source_template = template

        def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
            """Return the completions of the word `incomplete` behind the words `args`.

            They are those of the command that the first word names; without one those of the evaluator, and
            for the first word itself the commands as well.
            """
            if args and args[0] in COMMANDS:
                self.cli = _completable(args[0])
                of_command: list[CompletionItem] = super().get_completions(args[1:], incomplete)
                return of_command
            self.cli = _completable(None)
            completions: list[CompletionItem] = super().get_completions(args, incomplete)
            if args:
                return completions
            commands = [name for name in COMMANDS if name.startswith(incomplete)]
            return [CompletionItem(name, help=COMMANDS[name]) for name in commands] + completions

    return Completer(_completable(None), {}, PROGRAM, COMPLETION_VARIABLE)


class _MeasureNames(click.types.StringParamType):
    """Type of a value that is completed by the names of measures and nicknames."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with `incomplete`, with their descriptions."""
        from pres_eval.measures import MEASURES, NICKNAMES

        texts: dict[str, str] = {}
        for nicknames in NICKNAMES.values():
            texts |= dict.fromkeys(nicknames, "nickname")
        texts |= {measure.name: measure.description for measure in MEASURES}
        return [CompletionItem(name, help=texts[name]) for name in texts if name.startswith(incomplete)]


def _completable(name: str | None) -> click.Command:
    """Return a copy of a command, None for the evaluator, whose parameters know their completions."""
    command = copy.copy(command_of(name))
    command.params = [copy.copy(parameter) for parameter in command.params]
    for parameter in command.params:
        is_argument = isinstance(parameter, click.Argument)
        names_measures = parameter.name == "measures" or (name == "measures" and is_argument)
        # Arguments without choices of their own name files.
        is_file_option = NAMES_A_FILE.match(parameter.metavar or "") is not None
        names_files = is_file_option or (is_argument and parameter.type is click.STRING)
        choices = _choices(parameter.name or "")
        if choices:
            parameter.type = Choice(choices)
        elif names_measures:
            parameter.type = _MeasureNames()
        elif parameter.metavar == "DIR":
            parameter.type = click.Path(file_okay=False)
        elif names_files:
            parameter.type = click.Path()
    return command


def _choices(name: str) -> tuple[str, ...]:
    """Return the values of an option that takes certain ones although click has no choices for it.

    name  of its field; none are returned for other options
    """
    if name == "relevance_format":
        from pres_eval.reading.judgements.relevance import JUDGED_FORMATS

        return tuple(JUDGED_FORMATS)
    if name == "style":
        from tabulate import tabulate_formats

        return tuple(tabulate_formats)
    return ()
