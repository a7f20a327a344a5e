"""Random cases from a seed: everything that trec_eval takes, short of where we differ from it on purpose.

Not generated, because it is on the list of differences or has no defined result: duplicates that count,
scores that are NaN or no numbers, relevance that is no integer, topics with negative judgements only, several
parameter lists for one measure, qrels topics that the run lacks under 10.0 without -c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from fuzz import options, values
from fuzz.case import Case, Lines

Row = tuple[bytes, ...]
FORMATS = ("qrels",) * 7 + ("prefs", "qrels_prefs", "qrels_jg")


@dataclass(frozen=True)
class Topic:
    """A topic with the documents that it may use."""

    name: bytes
    pool: list[bytes]
    judged: bool
    retrieved: bool


def make_case(seed: int, version: str) -> Case:
    """The case of a seed; the same in every process and on every platform."""
    random = Random(f"{version}:{seed}")
    relevance = random.choice(FORMATS)
    topics = make_topics(random)
    judged = [topic.name for topic in topics if topic.judged]
    named = next((name for name in judged if name.isalnum() and name.isascii()), None)
    flags = options.flags(random, named.decode() if named else None)
    groups = options.measures(random, version, relevance)
    complete = any(flag[0] in ("-c", "-qc", "--complete") for flag in flags)
    if version == "10.0" and not complete:
        topics = [Topic(topic.name, topic.pool, topic.judged, True) for topic in topics]
    if relevance != "qrels":
        flags.append(("-R", relevance))
    zscores = None
    if relevance == "qrels" and random.random() < 0.06:
        zscores = make_zscores(random, topics)
        flags.append(("-Z", "ZSCORES"))
    groups = [options.spelled(random, group) for group in [*groups, *flags]]
    random.shuffle(groups)
    trailing = random.randint(0, len(groups)) if random.random() < 0.1 else 0
    qrels = make_qrels(random, topics, relevance, version)
    run = make_run(random, topics, version)
    if relevance == "qrels" and random.random() < 0.03:
        qrels, run = broken(random, qrels, run, topics[0].name)
        # trec_eval notices a document that comes twice only where it has to rank the topic.
        groups = [("-m", "map"), *(group for group in groups if group[0] != "-D")]
        trailing = 0
    if relevance == "qrels" and zscores is None and random.random() < 0.03:
        run, groups = repeated(random, run, groups, [topic.name for topic in topics], named)
    return Case(
        version,
        qrels,
        run,
        tuple(groups),
        zscores,
        trailing,
        random.choice([1, 1, 2, 3]),
        random.random() < 0.5,
    )


def make_topics(random: Random) -> list[Topic]:
    """Topics of which some are not judged and some not retrieved; the first is both."""
    count = random.choice([1, 1, 2, 3, 4, 6, 12] * 7 + [60])
    documents = values.docnos(random, random.choice([1, 3, 10, 25, 25, 80] * 7 + [500]))
    missing = random.choice([0, 0, 0.2, 0.5])
    topics = []
    for index, name in enumerate(values.topics(random, count)):
        pool = random.sample(documents, random.randint(1, len(documents)))
        judged = index == 0 or random.random() >= missing
        retrieved = index == 0 or not judged or random.random() >= missing
        topics.append(Topic(name, pool, judged, retrieved))
    return topics


def arranged(random: Random, by_topic: list[list[Row]]) -> list[Row]:
    """All rows: topic after topic, or taking turns, or in any order."""
    style = random.choice(["blocks", "blocks", "split", "any"])
    if style == "split":
        by_topic = [part for rows in by_topic for part in halves(random, rows)]
    random.shuffle(by_topic)
    rows = [row for part in by_topic for row in part]
    if style == "any":
        random.shuffle(rows)
    return rows


def halves(random: Random, rows: list[Row]) -> list[list[Row]]:
    cut = random.randint(0, len(rows))
    return [rows[:cut], rows[cut:]]


def without_last_end(random: Random, lines: list[bytes]) -> Lines:
    """Sometimes the last line has no newline."""
    if lines and random.random() < 0.1 and lines[-1].strip():
        lines[-1] = lines[-1].rstrip(b"\r\n")
    return tuple(lines)


def make_run(random: Random, topics: list[Topic], version: str) -> Lines:
    """The run; scores in one style for the whole file."""
    score = values.score_maker(random)
    tag = random.choice([b"tag", b"run-1", b"t\xe9st", b"a.very.long.tag.of.more.than.thirty.two.bytes"])
    in_order = random.random() < 0.4
    by_topic: list[list[Row]] = []
    for topic in topics:
        if not topic.retrieved:
            continue
        found = random.sample(topic.pool, random.randint(1, len(topic.pool)))
        scores = [score() for _ in found]
        if in_order:
            scores.sort(key=as_float, reverse=True)
        rows: list[Row] = [
            (topic.name, b"Q0", docno, str(rank).encode(), text.encode(), tag)
            for rank, (docno, text) in enumerate(zip(found, scores, strict=True), start=1)
        ]
        by_topic.append(rows)
    layout = values.layout_maker(random, most_hostile=True)
    more = random.random() < 0.05
    lines = []
    for row in arranged(random, by_topic):
        fields = (*row, b"more", b"columns") if more and random.random() < 0.3 else row
        lines.append(layout(fields))
        if random.random() < 0.01:
            lines.append(
                random.choice(
                    [b"\n", b"   \n", b"\t\r\n", b"# a b c d e f\n" if version == "10.0" else b"\n"]
                )
            )
    return without_last_end(random, lines)


def as_float(text: str) -> float:
    return float.fromhex(text) if "0x" in text.lower() else float(text)


def make_qrels(random: Random, topics: list[Topic], relevance: str, version: str) -> Lines:
    """The relevance file in the format wanted."""
    makers = {
        "qrels": plain_rows,
        "qrels_jg": grouped_rows,
        "qrels_prefs": preference_grade_rows,
        "prefs": preference_rows,
    }
    style = values.grade_maker(random)
    by_topic = []
    for topic in topics:
        if topic.judged:
            by_topic.append(makers[relevance](random, topic, style))
    layout = values.layout_maker(random, most_hostile=True)
    lines = [layout(row) for row in arranged(random, by_topic)]
    if version == "10.0" and random.random() < 0.05:
        lines.insert(random.randrange(len(lines)), b"# one comment, before a line\n")
    return without_last_end(random, lines)


def broken(random: Random, qrels: Lines, run: Lines, topic: bytes) -> tuple[Lines, Lines]:
    """The files with a fault at which trec_eval stops: a column less or more, a document twice."""
    name, lines = random.choice([("qrels", qrels), ("run", run)])
    place = random.choice([index for index, line in enumerate(lines) if line.split()[:1] == [topic]])
    fields = lines[place].split()
    fault = random.choice(["less", "twice"] if name == "run" else ["less", "more", "twice"])
    if fault == "twice":
        wrong = (*lines, b"\n" * (not lines[-1].endswith(b"\n")) + lines[place])
    else:
        fields = fields[:-1] if fault == "less" else [*fields, b"more"]
        wrong = (*lines[:place], b" ".join(fields) + b"\n", *lines[place + 1 :])
    return (wrong, run) if name == "qrels" else (qrels, wrong)


def repeated(
    random: Random, run: Lines, groups: list[options.Group], names: list[bytes], named: bytes | None
) -> tuple[Lines, list[options.Group]]:
    """Documents that the run has twice where trec_eval does not see it: below -M, and beside -D's topic."""
    if named is not None and random.random() < 0.5:
        others = [line for line in run if line.split()[:1] in [[name] for name in names if name != named]]
        groups = [*(group for group in groups if group[0] != "-D"), ("-D", f"0.{named.decode()}")]
        return (*run, *_whole(run, others)), groups
    top = {name: b"  ".join((name, b"Q0", b"the-first", b"1", b"1e30", b"t")) + b"\n" for name in names}
    scored = {line.split()[0] for line in run if line.split() and not line.startswith(b"#")}
    first = tuple(top[name] for name in names if name in scored)
    groups = [group for group in groups if not group[0].startswith(("-M", "--Max"))]
    return (*first, *run, *_whole(run, run)), [*groups, ("-M", "1")]


def _whole(run: Lines, again: Sequence[bytes]) -> Lines:
    """The lines for a place behind the run, whose last line may lack its end."""
    ended = not run or run[-1].endswith(b"\n")
    return (b"" if ended else b"\n", *again)


def judged_documents(random: Random, topic: Topic) -> list[bytes]:
    some = random.sample(topic.pool, random.randint(1, len(topic.pool)))
    return [*some, b"never-retrieved"] if random.random() < 0.3 else some


def plain_rows(random: Random, topic: Topic, grade: Callable[[], str]) -> list[Row]:
    """topic iteration docno grade, at least one grade of 0 or more."""
    grades = {docno: grade() for docno in judged_documents(random, topic)}
    if all(text.startswith("-") for text in grades.values()):
        grades[next(iter(grades))] = random.choice(["0", "1"])
    iteration = random.choice([b"0", b"Q0", b"x-1"])
    return [(topic.name, iteration, docno, text.encode()) for docno, text in grades.items()]


def grouped_rows(random: Random, topic: Topic, grade: Callable[[], str]) -> list[Row]:
    """The same for several groups of judgements."""
    rows: list[Row] = []
    for group in range(random.choice([1, 2, 2, 3, 5])):
        rows += [
            (name, f"jg{group}".encode(), docno, text)
            for name, _, docno, text in plain_rows(random, topic, grade)
        ]
    return rows


def preference_grade_rows(random: Random, topic: Topic, _: Callable[[], str]) -> list[Row]:
    """topic group docno level: the levels of a group say what is preferred to what."""
    rows: list[Row] = []
    for group in range(random.choice([1, 1, 2, 3])):
        levels = random.choice([["0", "1"], ["0", "1", "2", "3"], ["0", "0.5", "1.5", "2", "1e1"]])
        rows += [
            (topic.name, f"g{group}".encode(), docno, random.choice(levels).encode())
            for docno in judged_documents(random, topic)[:25]
        ]
    return rows


def preference_rows(random: Random, topic: Topic, _: Callable[[], str]) -> list[Row]:
    """topic group subgroup docno level; mostly without contradictions in a group."""
    rows: list[Row] = []
    documents = judged_documents(random, topic)[:25]
    for group in range(random.choice([1, 1, 2, 3])):
        truth = {docno: random.choice([0, 0, 1, 2, 3, 4, 5]) for docno in documents}
        for subgroup in range(random.choice([1, 1, 2, 3, 5])):
            some = random.sample(documents, random.randint(1, len(documents)))
            scale = random.choice([1, 1, 0.5, 2])
            for docno in some:
                level = truth[docno] * scale if random.random() > 0.002 else 7
                names = (f"g{group}".encode(), f"s{subgroup}".encode())
                rows.append((topic.name, *names, docno, f"{level:g}".encode()))
    return rows


def make_zscores(random: Random, topics: list[Topic]) -> Lines:
    """Means and deviations of some measures on some topics.

    trec_eval's binary search reads one entry behind a topic's, so a last topic is there that no run has.
    """
    rows: list[Row] = []
    ends = ["~"] if random.random() < 0.5 else []
    for topic in topics:
        if random.random() < 0.8:
            labels = random.sample(options.LABELS, random.randint(0, len(options.LABELS)))
            again = random.choices(labels, k=2) if labels and random.random() < 0.2 else []
            for label in [*labels, *again, *ends]:
                mean, deviation = (
                    random.choice([f"{random.uniform(0, 1):.4f}"] * 9 + ["nan"]),
                    random.choice(["0.1", "0.25", "1", "0", "2e-1", "nan"]),
                )
                rows.append((topic.name, label.encode(), mean.encode(), deviation.encode()))
    rows.append((b"\xff\xff", b"~", b"0", b"1"))
    random.shuffle(rows)
    return tuple(b" ".join(row) + b"\n" for row in rows)
