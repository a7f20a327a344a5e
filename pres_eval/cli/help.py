"""pres-eval help, and the texts of -h and --help-all: options, formats, exit codes, texts of measures."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pres_eval.cli.commands import COMMANDS, HelpContext, command_of
from pres_eval.cli.wrapping import definitions, fitted, prose, text_width
from pres_eval.errors import UsageError, did_you_mean
from pres_eval.measures import HOME, NICKNAMES
from pres_eval.measures.base import Measure
from pres_eval.measures.selection import named_measures
from pres_eval.options import VERSIONS
from pres_eval.reading.run_files import RUN_FORMATS

USAGE = """\
pres-eval [OPTIONS] QRELS RUN [RUN ...]
pres-eval COMMAND ...        (pres-eval help COMMAND)"""

USAGE_SECTION = "Usage: " + USAGE.replace("\n", "\n       ")

EXAMPLE = """\
Example: what trec_eval prints, followed by PRES at Nmax 100 and 1000
  pres-eval qrels.txt run.txt"""

FIRST_OPTIONS = {
    "measures": "A measure: map, ndcg_cut.10, PRES.100; repeatable.",
    "per_topic": "Also print the values of each topic.",
    "complete": "Average over all topics of the qrels.",
    "relevance_level": "Lowest grade of a relevant document (1).",
    "max_retrieved": "Evaluate the first NUM documents of each topic.",
    "relevance_format": "Format of the qrels, if they are not TREC's.",
    "output_format": "table, csv, json, latex, markdown ... (trec).",
    "output": "Write to FILE; its ending sets the format.",
    "fail_under": "Exit with 3 if a value is lower, such as map=0.30.",
    "help_all": "Show all options, formats and exit codes.",
}
"""The options of the short help, by the names of their fields, each with a text of one line."""

SECOND_COMMANDS = ("completion", "figures", "help", "man", "protocols")
"""Commands that the short help names without their purposes."""

MORE = "More: pres-eval help COMMAND, pres-eval --help-all, pres-eval man"

ARGUMENTS = (
    "QRELS and RUN are files, pipes or - for standard input; they may be compressed with gzip, bzip2, xz or"
    " zstd. If a file has the name of a command, write ./check."
)

FILE_FORMATS = {
    "trec_results": """\
RUN: lines of six columns, separated by blanks or tabs
    topic  Q0  docno  rank  score  tag
  pres-eval sorts by score, descending, and equal scores by docno, descending.  It ignores the rank.  The tag
  of the last line names the run.  The lines of a topic may be anywhere in the file.""",
    "qrels": """\
QRELS: lines of four columns
    topic  iteration  docno  relevance
  Relevance is an integer; negative means in the pool but not judged.  pres-eval ignores the iteration.""",
    "qrels_jg": """\
QRELS_JG: lines of four columns
    topic  group  docno  relevance
  As qrels, but each judgement group (such as an assessor) has its own judgements.""",
    "prefs": """\
PREFS: lines of five columns
    topic  group  subgroup  docno  level
  Of two documents in the same subgroup the one with the higher level is preferred.""",
    "qrels_prefs": """\
QRELS_PREFS: lines of four columns
    topic  iteration  docno  level
  Judgements as preferences: of two documents the one with the higher level is preferred.""",
    "qrels_float": """\
QRELS_FLOAT: lines of four columns
    topic  iteration  docno  relevance
  As qrels, but relevance is a decimal number, the gain of the document.  -l may be decimal too.""",
    "subtopics": """\
SUBTOPICS: lines of four columns
    topic  subtopic  docno  relevance
  As qrels, for each subtopic (aspect, intent) of a topic, as ndeval reads them.""",
    "strata": """\
STRATA: lines of five columns
    topic  iteration  docno  stratum  relevance
  A sample drawn within strata, as NIST's sample_eval.pl reads it: a negative relevance means that the
  document is in the stratum, but was not drawn.""",
    "prels": """\
PRELS: lines of five columns
    topic  docno  relevance  method  inclusion-probability
  A sample drawn with known probabilities, as in the Million Query tracks.  Documents of methods 0 and 2
  were sure to be judged: each stands for itself alone.""",
    "others": "OTHER FORMATS: recognised by their first lines, or named with -T and -R\n"
    f"    {'  '.join(RUN_FORMATS)}\n"
    """\
  -T is for runs, -R for judgements.  msmarco is topic, docno, rank, where the rank is the order (runs only).
  beir has the header query-id corpus-id score.  json is {"topic": {"docno": number}} as pytrec_eval has it,
  {"topic": ["docno", ...]} in ranked order (as judgements: all relevant), a list of records, Elasticsearch's
  and OpenSearch's responses to _msearch, _search and _rank_eval, requests of _rank_eval, judgement lists, or
  MTEB's predictions; topics of _msearch are numbered from 1.  jsonl has an object of json per line, or a
  record with the columns by name, or with a list of documents, as ragas and LlamaIndex write them.  csv has a
  header; commas, semicolons or tabs separate columns.  csv and parquet (extra "parquet") have columns
  query_id doc_id score relevance, as ir_measures has them, qid docno score label, as PyTerrier has them, or
  those of ranx, BEIR and Quepid; --columns names others, and numbers the columns of text without a header.
  A run may be a folder of part files, as engines write them (part-00000.gz, part.0.parquet ...): all with
  lines of six columns, or all Parquet.""",
}

LINES_IN_ALL = """\
Ids may be any bytes but blanks.  pres-eval ignores blank lines and lines that begin with #.  It accepts
\\r\\n, tabs, a missing newline at the end and a UTF-8 byte order mark."""

EXIT_CODES = {
    0: "done",
    1: "usage: an option, measure or parameter is wrong (check: the files have errors)",
    2: "input: a file is missing, unreadable or malformed",
    3: "a gate failed: --fail-under, --fail-over, --against, --expect, --target",
    7: "no topic is in both the qrels and the run",
    130: "interrupted",
}

DIFFERENCES = (
    "Under 10.0 a topic of the qrels that the run lacks is left out (with a warning) instead of stopping.",
    "A score that is nan or not a number, or a relevance that is not an integer, is an error instead of 0.",
    "More than six columns in a run: the first six are used, as trec_eval does, with one warning.",
    "A document judged or retrieved twice for a topic: stops, as trec_eval does, but names both lines; also"
    " where trec_eval does not look, because only num_q or runid is asked for.",
    "-m P.5 -m P.10 prints the union; trec_eval keeps the first.  A cutoff named twice is one column"
    " (trec_eval stops), and columns are sorted also where cutoffs lie 2^31 apart.",
    "Comments (#), - for standard input, pipes and compressed files work under both versions.",
    "A topic whose judgements are all negative is scored (nothing is relevant) instead of stopping; behind"
    " another topic 10.0 gives it that topic's ideal_dcg.",
    "Without -m PRES follows the official measures; -m official prints trec_eval's lines alone.",
    "-D n.topic restricts to the topic; the debugging text itself is not printed.  -o has no effect.",
    "-l, -M and -N below 0 are errors; trec_eval counts with them.  So are 1e1, 1.5 and x there and in -D; it"
    " reads 1, 1 and 0.  A parameter of a measure that takes none is ignored, with a warning.",
    "pres-eval ignores a UTF-8 byte order mark at the start of a file; trec_eval takes it as part of the"
    " first id.",
    "A level of preference or a parameter that is not a number is an error; trec_eval reads 0 or a prefix."
    "  So is a decimal comma that makes no list: several numbers for set_F, a 0 before a whole number above 1"
    " where fractions are meant.",
    "pres-eval ignores blank lines in the qrels, where trec_eval stops; a NUL byte or a line of more than 1"
    " MiB is an error.",
    "rbp has the value of its formula, whatever other measures you print: 10.0 reads variables that it never"
    " sets, so its output depends on the compiler and on the measures before.",
    "Gains of dcg, ideal_dcg and ndcg are independent; 10.0 uses the last ones for all, and may crash.",
    "prefs_avgjg_Rnonrel and prefs_avgjg_Rnonrel_ret with a negative lowest level use only the documents of"
    " the topic; trec_eval reads beyond them.",
    "Preferences that contradict each other are an error that names line and documents; trec_eval aborts.",
    "-Z: -1000000 and a warning where trec_eval reads beyond the last entry of the file, and crashes.",
    "10.0 -c: a topic that the run lacks has no document; 10.0 gives it one called ceci_nest_pas_un_docno,"
    " which counts if the qrels have it.",
)
"""Intended differences from trec_eval; docs/correctness.md has the same list."""


@click.command()
@click.argument("name", metavar="[COMMAND]", required=False)
@click.pass_context
def command(context: click.Context, /, name: str | None) -> None:
    """Show the help of a command. Without a name, show the first screen.

    \b
    Examples:
      pres-eval help compare
      pres-eval help
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    if name is None:
        click.echo(first_screen(command_of(None)), nl=False)
    elif name in COMMANDS:
        named = command_of(name)
        help_context = HelpContext(named, info_name=f"pres-eval {name}", **named.context_settings)
        click.echo(named.get_help(help_context))
    elif name in HOME:
        context.invoke(command_of("measures"), names=(name,))
    else:
        hint = did_you_mean(name, [*COMMANDS, *HOME], "`pres-eval help` lists the commands")
        raise UsageError(f"help {name}: no such command or measure; {hint}")


def first_screen(
    command: click.Command, measures: Sequence[str] = (), compat: str = "", form: str = ""
) -> str:
    """Return the short help, of at most 40 lines on a terminal of usual width.

    command   the evaluator
    measures  names of measures and nicknames whose texts follow
    compat    the version of trec_eval whose nicknames these are; empty if there are none
    form      the format of judgements whose text follows, empty for none
    """
    option_by_field = {option.name: option for option in command.params if isinstance(option, click.Option)}
    options = [(_first_name(option_by_field[field]), text) for field, text in FIRST_OPTIONS.items()]
    commands = [(name, text) for name, text in COMMANDS.items() if name not in SECOND_COMMANDS]
    commands.append(("and", ", ".join(SECOND_COMMANDS)))
    sections = [
        USAGE_SECTION,
        EXAMPLE,
        f"Options ({len(option_rows(command))} in --help-all):\n" + definitions(options),
        "Commands:\n" + definitions(commands),
        prose(MORE),
    ]
    if form in FILE_FORMATS:
        sections.append(_file_format(FILE_FORMATS[form]))
    return _page(*sections, *_measure_section(measures, compat))


def _first_name(option: click.Option) -> str:
    """Return the shortest name of an option, with what its value is called: -m NAME."""
    name = min(option.opts, key=len)
    if option.is_flag:
        return name
    return f"{name} {option.metavar or 'FORMAT'}"


def _measure_section(measures: Sequence[str], compat: str) -> list[str]:
    """Return the section with the texts of the named measures, as a list; an empty list without names.

    compat  the version of trec_eval whose nicknames `measures` may be
    """
    if not measures:
        return []
    texts = [measure_text(measure) for measure in named_measures(measures, VERSIONS[compat])]
    return ["-" * text_width() + "\nMeasures:\n\n" + "\n\n".join(texts)]


def _page(*sections: str) -> str:
    """Return the sections with blank lines between them."""
    return "\n\n".join(section.rstrip("\n") for section in sections) + "\n"


def help_text(command: click.Command, measures: Sequence[str], compat: str, form: str) -> str:
    """Return the whole help; for the evaluator, as `first_screen` returns the short one.

    command   the evaluator
    measures  names of measures and nicknames whose texts follow
    compat    the version of trec_eval whose nicknames are listed
    form      the format of judgements to explain; qrels if it has no text
    """
    format_of_judgements = form if form in FILE_FORMATS else "qrels"
    formats = [_file_format(FILE_FORMATS[name]) for name in ("trec_results", format_of_judgements, "others")]
    exit_codes = [(str(code), text) for code, text in EXIT_CODES.items()]
    differences = [prose(f"- {text}", 2, 4) for text in DIFFERENCES]
    return _page(
        USAGE_SECTION,
        EXAMPLE,
        prose(ARGUMENTS),
        "Options:\n" + definitions(option_rows(command)),
        "Commands:\n" + definitions(COMMANDS.items()),
        "File formats:\n" + "\n".join(formats),
        prose(LINES_IN_ALL),
        "Exit codes:\n" + definitions(exit_codes),
        "Differences from trec_eval, on purpose:\n" + "\n".join(differences),
        prose(f"Nicknames: {', '.join(NICKNAMES[compat])}; `pres-eval measures` lists all measures."),
        *_measure_section(measures, compat),
    )


def measure_text(measure: Measure) -> str:
    """Return the name of a measure, and on the lines below it its whole text."""
    return measure.name + "\n" + fitted(measure.text, 4)


def _file_format(text: str) -> str:
    """Return a text of FILE_FORMATS with the lines of its description broken for the terminal."""
    name, columns, notes = text.split("\n", 2)
    return f"{name}\n{columns}\n{prose(notes, 2)}"


def option_rows(command: click.Command) -> list[tuple[str, str]]:
    """Return for each option its names with its value, and its effect with its default.

    Hidden options are left out.
    """
    rows = []
    for option in command.params:
        if not isinstance(option, click.Option) or option.hidden:
            continue
        effect = option.help or ""
        if option.show_default:
            effect += f" [{option.default}]"
        rows.append((_all_names(option), effect))
    return rows


def _all_names(option: click.Option) -> str:
    """Return the names of an option, the shortest first, with its value."""
    names = ", ".join([*sorted(option.opts, key=len), *option.secondary_opts])
    if option.is_flag:
        return names
    return f"{names} {_value_name(option)}"


def _value_name(option: click.Option) -> str:
    """Return what the help calls the value of an option."""
    # Not make_metavar: click 8.1 and 8.2 want different arguments for it.
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return f"[{'|'.join(option.type.choices)}]"
    return {"integer range": "NUM", "float range": "VALUE"}.get(option.type.name, option.type.name.upper())
