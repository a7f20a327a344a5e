"""From the text of one `-m` to the measures that it names.

A text is a name with or without parameters (`P.5,10`), a nickname (`official`), a label as it is printed
(`P_10`, `map(rel=2)`), or a name of another tool (`nDCG@10`, `mrr@10`); several of these with commas or
blanks between them; each in another case as well, where only one name fits.  At its end settings for this
column alone may follow in brackets: its view.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from pres_eval.errors import MeasureError, did_you_mean, quoted
from pres_eval.measures import NICKNAMES, OUR_NICKNAMES, find_measure, load_measure, measure_names, measure_of
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.notation import NOTATION_BY_FOLDED_NAME, NOTATIONS, Notation, read_settings
from pres_eval.measures.parameters import (
    WHOLE_RANKING,
    BetaCutoffs,
    Cutoffs,
    Fractions,
    NoParameters,
    OptionalCutoffs,
    Parameters,
)
from pres_eval.measures.settings import UnitedCutoffs
from pres_eval.options import V9, RelevanceInfo, Version
from pres_eval.records import dataclass

BOUNDS = ("least", "greatest")
"""Values of the setting `bound` in texts, in the order in which their columns follow the measure's."""

# `scale` is what other texts call max_rel.
_BOUND = rf"bound=(?P<bound>{'|'.join(BOUNDS)})(?:,(?:max_rel|scale)=(?P<scale>[0-9]{{1,9}}))?"
_VIEW = rf"\((?:rel=(?P<level>[0-9]{{1,18}}))?,?(?:(?P<judged_only>judged_only)=True)?,?(?:{_BOUND})?\)\Z"
"""Pattern of the settings of a view, in brackets at the end of a text: (rel=2,judged_only=True).

A comma too many, and brackets without settings, do no harm.
"""


class View(NamedTuple):
    """Settings with which one column alone is computed.

    level        the column's own relevance level; None: that of -l
    judged_only  whether unjudged documents are taken out of the ranking first, as by -J
    bound        "least" or "greatest": the column has the least or greatest value possible if the unjudged
                 documents down to the measure's cutoff were judged; "lower" or "upper": the column's label
                 has this for an end of the interval of a value that is inferred from a sample, which no text
                 asks for; None: the value itself
    scale        for "least" and "greatest": all unjudged documents retrieved may have grades up to this;
                 None: only those down to the cutoff, with grades up to the topic's highest
    """

    level: int | None = None
    judged_only: bool = False
    bound: str | None = None
    scale: int | None = None

    @property
    def ending(self) -> str:
        """Return the end of labels: `(rel=2)`, `(judged_only=True,bound=least)`."""
        settings = []
        if self.level is not None:
            settings.append(f"rel={self.level}")
        if self.judged_only:
            settings.append("judged_only=True")
        if self.bound is not None:
            settings.append(f"bound={self.bound}")
        if self.scale is not None:
            settings.append(f"max_rel={self.scale}")
        return f"({','.join(settings)})" if settings else ""


@dataclass(frozen=True)
class NamedMeasure:
    """A measure that a text asks for.

    parameters  the texts of its parameters; none for the defaults
    view        settings for its columns alone
    by_name     whether its own name was given, not a nickname for several measures
    """

    measure: Measure
    parameters: tuple[str, ...] = ()
    view: View = View()
    by_name: bool = True


LONGEST_NAME = 1_000
"""Characters of a text among which a name is looked for: each beginning of some of its words is tried."""

# Patterns are compiled where they are first used: most command lines need none of them.
# A measure of a module, package.module:NAME, and what follows it from a dot, an @ or a bracket on.
_IMPORTED = r"([A-Za-z_][\w.]*:[A-Za-z_]\w*)([.@(].*)?\Z"


def read_text(text: str, version: Version) -> Iterator[NamedMeasure]:
    """Yield the measures that a text names; `package.module:NAME@5` is one in a module of the user's.

    version  of trec_eval, whose nicknames count
    Raises MeasureError for a name that does not exist, with the nearest ones, and for a setting that the
    measure does not have.
    """
    plain_measure = _plain_measure(text, version)
    if plain_measure is not None:
        yield plain_measure
        return
    if ":" in text and (match := re.match(_IMPORTED, text)):
        text = load_measure(match[1]).name + (match[2] or "")
    for part in split_text(text):
        head = _longest_name(part)
        if head is None:
            raise MeasureError(_unknown(part))
        rest = part[len(head) :]
        try:
            if not rest or rest.startswith("."):
                yield from _read_plain(head, rest, version)
            elif rest.startswith("_"):
                yield _read_label(part, head, rest)
            else:
                yield _read_notation(part, head, rest)
        except MeasureError as error:
            message = str(error)
            raise MeasureError(message if message.startswith("-m ") else f"-m {part}: {message}") from None


def _plain_measure(text: str, version: Version) -> NamedMeasure | None:
    """Return the measure of its own name, alone or with whole numbers behind a dot; None for other texts."""
    name, dot, parameters = text.partition(".")
    if name in NICKNAMES[version.name]:
        return None
    measure = find_measure(name)
    if measure is None:
        return None
    if not dot:
        return NamedMeasure(measure)
    are_numbers = parameters.isascii() and all(part.isdecimal() for part in parameters.split(","))
    if not are_numbers or isinstance(measure.parameters, NoParameters):
        return None
    return NamedMeasure(measure, (parameters,))


def split_text(text: str) -> list[str]:
    """Return the texts of single measures: a comma or blank before a name, outside brackets, ends one.

    P.5,10,map is P.5,10 and map.
    """
    parts: list[str] = []
    begin = 0
    open_brackets = 0
    # Brackets; commas and blanks.  Of P.5,10,map the comma before 10 is passed over, as a number and a comma
    # go on with a list.
    for match in re.finditer(r"[(){}\[\]]|(?:,|\s+)(?![0-9]+,)", text):
        mark = match[0]
        if mark in "({[":
            open_brackets += 1
        elif mark in ")}]":
            open_brackets -= 1
        is_separator = mark == "," or mark.isspace()
        part = text[begin : match.start()]
        if not is_separator or open_brackets > 0 or _takes_any_parameters(part):
            continue
        rest = text[match.end() :].lstrip()
        begins_measure = rest[:1] not in ("", ",", ".") and _longest_name(rest) is not None
        if not rest or begins_measure:
            parts.append(part.strip())
            begin = match.end()
    parts.append(text[begin:].strip())
    return [part for part in parts if part] or [text.strip()]


def _takes_any_parameters(text: str) -> bool:
    """Return whether a text names a measure that takes all text behind its dot as parameters."""
    # trec_eval: a measure without parameters accepts any, which have no effect.
    name, dot, _ = text.partition(".")
    measure = find_measure(name) if dot else None
    return measure is not None and isinstance(measure.parameters, NoParameters) and not measure.ours


def falling_labels(labels: Iterable[str]) -> frozenset[str]:
    """Return those of the labels that name measures of which less is better; not those that name nothing."""
    return _labels_of(labels, lambda measure: measure.less_is_better)


def bounded_labels(labels: Iterable[str]) -> frozenset[str]:
    """Return those of the labels that name measures from 0 to 1."""
    return _labels_of(labels, lambda measure: Trait.BOUNDED in measure.traits)


def _labels_of(labels: Iterable[str], holds: Callable[[Measure], bool]) -> frozenset[str]:
    """Return those of the labels that name measures for which `holds` is true."""
    names = set()
    for label in labels:
        if ":" in label:  # a column of somebody's file must not name a module that is then run
            continue
        with suppress(MeasureError):
            if all(holds(named.measure) for named in read_text(label, V9)):
                names.add(label)
    return frozenset(names)


@cache
def _folded_names(measures: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the names of these measures, of nicknames and of other tools, by their case-folded form.

    All versions of trec_eval have the same nicknames, though not for the same measures.
    """
    folded: dict[str, list[str]] = {}
    foreign = [name for notation in NOTATIONS for name in notation.names]
    for name in dict.fromkeys((*measures, *NICKNAMES[V9.name], *foreign)):
        folded.setdefault(name.casefold(), []).append(name)
    return folded


def _longest_name(text: str) -> str | None:
    """Return the longest name, in upper or lower case, that begins a text; None if no name does."""
    head = text if text.isidentifier() else re.split(r"[\s,.@(]", text, maxsplit=1)[0]
    folded_names = _folded_names(measure_names())
    words = head[:LONGEST_NAME].split("_")
    # A label such as P_10 begins with a name that may itself have underscores.
    for length in range(len(words), 0, -1):
        beginning = "_".join(words[:length])
        if beginning.casefold() in folded_names:
            return beginning
    return None


def _read_plain(head: str, rest: str, version: Version) -> list[NamedMeasure]:
    """Return the measures of a name, or of a name, a dot and parameters.

    head  the name of a measure, a nickname, or a name of another tool, in any case
    rest  the dot and the parameters, or nothing

    A nickname comes first, if it is written like this or no measure's name differs by case alone; then a
    measure of just this name, then a name of another tool, then a measure whose name differs by case.
    Raises MeasureError for a name that by case alone may be both a measure's and a nickname.
    """
    members = NICKNAMES[version.name]
    measure = _measure_called(head)
    nickname = next((name for name in members if name.casefold() == head.casefold()), None)
    if nickname is not None:
        if measure is None or nickname == head:
            return _read_nickname(nickname, members[nickname], rest, measure)
        if measure.name != head and not rest:
            raise MeasureError(f"expected {measure.name} (the measure) or {nickname} (a nickname)")
    if rest == ".":
        raise MeasureError(f"nothing after the dot, expected parameters of {head}")
    # A name that differs from a measure's by case may be another tool's.
    if measure is None or (head != measure.name and head.casefold() in NOTATION_BY_FOLDED_NAME):
        return [_read_notation(head + rest, head, rest.replace(".", "@", 1))]
    if not rest:
        return [NamedMeasure(measure)]
    parameters = rest.removeprefix(".")
    if measure.ours and isinstance(measure.parameters, NoParameters):
        raise MeasureError(f"{measure.name} takes no parameters, found {quoted(parameters)}")
    if not parameters.endswith(")"):
        return [NamedMeasure(measure, (parameters,))]
    parameters, view = _split_view(parameters)
    return [_in_view(measure, parameters, view)]


def _read_nickname(
    nickname: str, members: Iterable[str], rest: str, measure: Measure | None
) -> list[NamedMeasure]:
    """Return the measures of a nickname; raise MeasureError for parameters of one of our own.

    trec_eval: parameters of its nicknames have no effect.
    measure  the measure whose name differs from the nickname by case alone, None if there is none
    """
    if rest and nickname in OUR_NICKNAMES:
        message = f"{nickname} is a nickname for {', '.join(members)} and takes no parameters"
        if measure is not None:
            message += f"; did you mean {measure.name}{rest}?"
        raise MeasureError(message)
    return [NamedMeasure(measure_of(member), by_name=False) for member in members]


def _measure_called(head: str) -> Measure | None:
    """Return the measure of this name, else one whose name only differs by case; None if there is neither.

    head  a name that `_longest_name` returned: of a measure, a nickname, or of another tool
    """
    for name in (head, *_folded_names(measure_names())[head.casefold()]):
        measure = find_measure(name)
        if measure is not None:
            return measure
    return None


def _in_view(measure: Measure, parameters: str | None, view: View) -> NamedMeasure:
    """Return the measure with the settings of a view; raise MeasureError if it cannot have them."""
    if view.level is not None and not measure.uses_level:
        raise MeasureError(f"{measure.name} does not depend on the relevance level, found rel={view.level}")
    if (view.judged_only or view.bound) and measure.relevance is not RelevanceInfo.QRELS:
        setting = "judged_only" if view.judged_only else "bound"
        raise MeasureError(f"{measure.name} has no setting {setting}: expected a measure computed from qrels")
    if view.bound is not None:
        from pres_eval.measures.bounds import check_bounds

        check_bounds(measure)
    return NamedMeasure(measure, () if parameters is None else (parameters,), view)


def _split_view(text: str) -> tuple[str, View]:
    """Return a text without the brackets of a view at its end, and the view."""
    match = re.search(_VIEW, text) if text.endswith(")") else None
    if match is None:
        return text, View()
    level = match["level"]
    scale = match["scale"]
    view = View(
        level=None if level is None else int(level),
        judged_only=match["judged_only"] is not None,
        bound=match["bound"],
        scale=None if scale is None else int(scale),
    )
    return text[: match.start()], view


def _read_label(text: str, head: str, rest: str) -> NamedMeasure:
    """Return the measure of a printed label: P_10, set_F_2.0, F_cut_2_10, sdcg_5_max_rel=4.

    head, rest  the name at its beginning, and what follows: `P` and `_10`
    """
    after_name = rest.removeprefix("_")
    label_parameters, view = _split_view(after_name)
    measure = _measure_called(head)
    if measure is None:  # another tool's name: AP_10(rel=2) is AP(rel=2)@10
        if re.fullmatch(_CUTOFF, label_parameters) is None:
            raise MeasureError(_unknown(text))
        brackets = after_name.removeprefix(label_parameters)
        return _read_notation(text, head, f"{brackets}@{label_parameters}")
    kind = measure.parameters
    parameters = _from_label(kind, label_parameters)
    takes_one_cutoff = isinstance(kind, Cutoffs | OptionalCutoffs | UnitedCutoffs) and "=" not in parameters
    is_cutoff = parameters.isdecimal() or parameters == WHOLE_RANKING
    if isinstance(kind, NoParameters) or (takes_one_cutoff and not is_cutoff):
        raise MeasureError(_unknown(text))
    try:
        kind.columns(measure.name, [parameters], ())  # raises MeasureError for parameters of another form
    except MeasureError:
        raise MeasureError(_unknown(text)) from None
    return _in_view(measure, parameters, view)


def _from_label(kind: Parameters, parameters: str) -> str:
    """Return the text of -m for the parameters of a label: 5,max_rel=4 for 5_max_rel=4."""
    if isinstance(kind, BetaCutoffs):
        parameters = "+" + parameters.replace("_", ",", 1)  # with the sign, a β of 0 is no decimal comma
    # A cutoff before settings.
    return re.sub(rf"\A([0-9]+|{WHOLE_RANKING})_(?=\w+=)", r"\1,", parameters)


# Patterns of what follows a name in the notation of other tools: (rel=2)@5.
_SETTINGS = r"[^()]*"
_CUTOFF = r"[0-9]+%?|[0-9]*\.[0-9]+%?"
_SETTINGS_AND_CUTOFF = rf"(?:\((?P<settings>{_SETTINGS})\))?(?:@(?P<cutoff>{_CUTOFF}))?\Z"
_FOLLOWED_BY_WORD = rf"(?P<settings>\({_SETTINGS}\))?(?:@(?P<cutoff>{_CUTOFF}))?[\s,]+(?P<word>\S+)\Z"
"""The same pattern with a further word, such as the 10 of P@5,10."""

_WHOLE_CUTOFFS = r"[0-9]+(?:,[0-9]+)*"


def _read_notation(text: str, head: str, rest: str) -> NamedMeasure:
    """Return the measure of a name with settings in brackets or a cutoff behind @: P(rel=2)@5.

    text        the whole text, for messages
    head, rest  the name at its beginning, and what follows: `P` and `(rel=2)@5`

    Each step takes the settings that it knows out of `settings`; what is left at the end is wrong.
    """
    match = re.match(_SETTINGS_AND_CUTOFF, rest)
    if match is None:
        raise MeasureError(_no_notation(head, rest))
    settings = read_settings(match["settings"] or "")
    judged_only = settings.choose("judged_only", "False", "True") == "True"
    bound = settings.choose("bound", *BOUNDS) if "bound" in settings else None
    notation = NOTATION_BY_FOLDED_NAME.get(head.casefold())
    if notation is None:
        measure = _measure_called(head)
        if measure is None:
            raise MeasureError(_unknown(text))
        takes_cutoff = isinstance(measure.parameters, Cutoffs | Fractions | OptionalCutoffs)
        with_cutoff = f"{measure.name}.{{}}" if takes_cutoff else None
        notation = Notation(names=(), whole=measure.name, cut=with_cutoff)
    name, dot, parameters = notation.text(settings, match["cutoff"]).partition(".")
    # `notation.text` took the max_rel of the measure itself: this one is the scale of the bound.  If both of
    # its names are there, the second is left over, and so refused.
    scale = ""
    if bound:
        scale = settings.take("max_rel") or settings.take("scale")
    level = settings.take("rel")
    wrong = [f"{key}={value}" for key, value in settings.items()]
    if wrong:
        raise MeasureError(f"{name} has no setting {', '.join(wrong)}")
    view = View(
        level=_whole_setting(name, "rel", level),
        judged_only=judged_only,
        bound=bound,
        scale=_whole_setting(name, "max_rel", scale),
    )
    measure = find_measure(name)
    assert measure is not None, "notations name existing measures"
    return _in_view(measure, parameters if dot else None, view)


def _no_notation(head: str, rest: str) -> str:
    """Return the message that what follows the name `head` is not as expected, with what it may mean."""
    following = re.match(_FOLLOWED_BY_WORD, rest)
    if following is not None:
        word = following["word"]
        if following["cutoff"] and re.fullmatch(_WHOLE_CUTOFFS, word):
            return _several_cutoffs(head, following)
        if _longest_name(word) is None:
            return _unknown(word)
    return f"found {quoted(rest)} behind {head}, expected (setting=value,…)@cutoff"


def _several_cutoffs(head: str, following: re.Match[str]) -> str:
    """Return the message about P@5,10 or P@5 10, with the texts that name all of these cutoffs.

    following  what follows the name `head`: settings in brackets, a cutoff, and a word of more cutoffs
    Raises MeasureError for a measure that takes no cutoff.
    """
    settings = following["settings"] or ""
    cutoff = following["cutoff"]
    more = following["word"]
    first = _read_notation(f"{head}{settings}@{cutoff}", head, f"{settings}@{cutoff}")
    texts = [",".join(f"{head}{settings}@{number}" for number in (cutoff, *more.split(",")))]
    if not settings and first.parameters == (cutoff,):
        texts.insert(0, f"{first.measure.name}.{cutoff},{more}")
    return f"-m {more}: a number is no measure; write several cutoffs as {' or '.join(texts)}"


def with_cutoffs(text: str) -> str | None:
    """Return the text of -m that was meant by a name and cutoffs: ndcg_cut.10 for ndcg10; None for others."""
    match = re.fullmatch(rf"(?P<name>[A-Za-z_]*[A-Za-z])[._]?(?P<cutoffs>{_WHOLE_CUTOFFS})", text)
    if match is None:
        return None
    name = match["name"].lower()
    for known in measure_names():
        if known.lower() not in (name, f"{name}_cut"):
            continue
        measure = find_measure(known)
        if measure is not None and isinstance(measure.parameters, Cutoffs):
            return f"{known}.{match['cutoffs']}"
    return None


def _whole_setting(name: str, key: str, text: str) -> int | None:
    """Return the number of a setting, None where it is not given; raise MeasureError for other texts."""
    if not text:
        return None
    if not text.isdecimal() or len(text) >= 19:
        raise MeasureError(f"{name} has no setting {key}={text}")
    return int(text)


def _unknown(text: str) -> str:
    """Return the message that there is no such measure, with the nearest names."""
    if text.isdecimal():
        return f"-m {text}: a number is no measure; write several cutoffs as P.5,10 or P@5,P@10"
    meant = with_cutoffs(text)
    if meant is not None:
        return f"-m {text}: no such measure; did you mean {meant}?"
    name = re.split(r"[.(@]", text)[0]
    known = [names[0] for names in _folded_names(measure_names()).values()]
    return f"-m {text}: no such measure; {did_you_mean(name, known, '`pres-eval measures` lists them all')}"
