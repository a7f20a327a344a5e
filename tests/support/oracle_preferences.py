"""Slow twins of the preference and judgement-group measures: one topic, plain loops, from the definitions.

A ranking is a list of docnos from rank 1; preferences are a dict of judgement groups, each a list of
(subgroup, docno, level) in file order.  Nothing of the product code is used.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from dataclasses import dataclass, field

Judgement = tuple[str, str, float]


class ContradictionError(Exception):
    """A judgement group that contradicts itself."""


def as_float(level: float) -> float:
    """The number as a C float."""
    try:
        return float(struct.unpack("f", struct.pack("f", level))[0])
    except OverflowError:
        return math.copysign(math.inf, level)


@dataclass
class Group:
    """What one judgement group prefers: (better, worse) pairs, how often, and the levels of its documents."""

    preferred: Counter[tuple[str, str]] = field(default_factory=Counter)
    classes: list[list[str]] = field(default_factory=list)
    level: dict[str, float] = field(default_factory=dict)
    judged: list[tuple[str, float]] = field(default_factory=list)
    partial: bool = False


def ordered_group(judgements: list[Judgement]) -> Group:
    """A group with one subgroup: every document of a higher level over every one of a lower level."""
    levels = sorted({level for _, _, level in judgements}, reverse=True)
    if levels[0] == -3:  # trec_eval's mark for "no level yet"
        levels.pop()
    group = Group()
    for level in levels:
        group.classes.append([docno for _, docno, other in judgements if other == level])
        group.judged += [(docno, level) for docno in group.classes[-1]]
    for number, better in enumerate(group.classes):
        for worse in group.classes[number + 1 :]:
            for a in better:
                for b in worse:
                    if a == b:
                        raise ContradictionError(a)
                    group.preferred[a, b] += 1
    return group


def partial_group(judgements: list[Judgement]) -> Group:
    """A group with several subgroups: the preferences of all, and what follows from them."""
    group = Group(partial=True)
    better: set[tuple[str, str]] = set()
    for subgroup in sorted({name for name, _, _ in judgements}):
        rows = [(docno, level) for name, docno, level in judgements if name == subgroup]
        for docno, level in sorted(rows, key=lambda row: -row[1]):
            before = group.level.get(docno)
            if before is not None and ((before > 0 and level == 0) or (before == 0 and level > 0)):
                raise ContradictionError(docno)
            group.level[docno] = level
        better |= {(a, b) for a, high in rows for b, low in rows if high > low and a != b}
    while True:
        more = {(a, d) for a, b in better for c, d in better if b == c} - better
        if not more:
            break
        better |= more
    better = {(a, b) for a, b in better if a != b}
    if any((b, a) in better for a, b in better):
        raise ContradictionError(sorted(better))
    group.preferred = Counter(better)
    group.judged = list(group.level.items())
    return group


def read_groups(groups: dict[str, list[Judgement]], compat: str) -> list[Group]:
    """The groups of a topic in byte order of their names."""
    result = []
    for name in sorted(groups):
        rows = groups[name]
        if compat == "9.0.8":
            rows = [(subgroup, docno, as_float(level)) for subgroup, docno, level in rows]
        several = len({subgroup for subgroup, _, _ in rows}) > 1
        result.append(partial_group(rows) if several else ordered_group(rows))
    return result


def preference_scores(
    groups: dict[str, list[Judgement]], ranking: list[str], compat: str
) -> dict[str, float]:
    """All preference measures of one topic."""
    known = sorted({docno for rows in groups.values() for _, docno, _ in rows})
    order = [docno for docno in ranking if docno in known]
    retrieved = set(order)
    order += [docno for docno in known if docno not in retrieved]
    place = {docno: number for number, docno in enumerate(order)}
    read = read_groups(groups, compat)

    def count(group: Group, kind: str) -> tuple[int, int]:
        ful = poss = 0
        for (a, b), times in group.preferred.items():
            there = (a in retrieved) + (b in retrieved)
            if there >= {"ret": 2, "imp": 1, "all": 0}[kind]:
                poss += times
                ful += times * (a in retrieved and place[a] < place[b])
        return ful, poss

    def simple(kind: str) -> float:
        ful = sum(count(group, kind)[0] for group in read)
        poss = sum(count(group, kind)[1] for group in read)
        return ful / poss if poss else 0.0

    def average(kind: str) -> float:
        total = 0.0
        for group in read:
            ful, poss = count(group, kind)
            if poss:
                total += ful / poss
        return total / len(read)

    def by_pair(kind: str) -> float:
        total, pairs = 0.0, 0
        inner = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        both = [pair for pair in inner if pair[1] in retrieved]
        one = [pair for pair in inner if pair[0] in retrieved and pair[1] not in retrieved]
        none = [pair for pair in inner if pair[0] not in retrieved]
        for a, b in both + (one if kind != "ret" else []) + (none if kind == "all" else []):
            forward = sum(group.preferred[a, b] for group in read) % 65536
            backward = sum(group.preferred[b, a] for group in read) % 65536
            if forward or backward:
                pairs += 1
                total += forward / (forward + backward) if a in retrieved else 0.0
        return total / pairs if pairs else 0.0

    def balanced(kind: str) -> float:
        total = 0.0
        for group in read:
            ful, poss = balanced_counts(group, place, retrieved, kind, count(group, kind))
            if not poss:
                return 0.0
            total += ful / poss
        return total / len(read)

    scores: dict[str, float] = {
        "prefs_num_prefs_poss": sum(count(group, "all")[1] for group in read),
        "prefs_num_prefs_ful": sum(count(group, "all")[0] for group in read),
        "prefs_num_prefs_ful_ret": sum(count(group, "ret")[0] for group in read),
    }
    for suffix, kind in (("", "all"), ("_ret", "ret"), ("_imp", "imp")):
        scores[f"prefs_simp{suffix}"] = simple(kind)
        scores[f"prefs_pair{suffix}"] = by_pair(kind)
        scores[f"prefs_avgjg{suffix}"] = average(kind)
        if suffix != "_imp":
            scores[f"prefs_avgjg_Rnonrel{suffix}"] = balanced(kind)
    return scores


def balanced_counts(
    group: Group, place: dict[str, int], retrieved: set[str], kind: str, counts: tuple[int, int]
) -> tuple[int, int]:
    """Fulfilled and all preferences with as many nonrelevant documents as relevant ones."""
    relevant = [docno for docno, level in group.judged if level > 0]
    others = [docno for docno, level in group.judged if (level == 0 if group.partial else level <= 0)]
    num_rel = len(relevant)
    num_rel_ret = len([docno for docno in relevant if docno in retrieved])
    wanted, there = num_rel, len(others)
    if kind == "ret":
        wanted, there = num_rel_ret, len([docno for docno in others if docno in retrieved])
    if wanted >= there:
        return counts[0] + num_rel_ret * (wanted - there), counts[1] + num_rel * (wanted - there)

    def fulfilled(a: str, b: str) -> bool:
        return a in retrieved and place[a] < place[b]

    if group.partial:
        dropped = set(sorted(others, key=lambda docno: place[docno])[num_rel:])
        pairs = [pair for pair in group.preferred if not dropped & set(pair)]
    else:
        last = sorted(group.classes[-1], key=lambda docno: place[docno])[:wanted]
        upper = [docno for docnos in group.classes[:-1] for docno in docnos]
        number = {docno: i for i, docnos in enumerate(group.classes[:-1]) for docno in docnos}
        pairs = [(a, b) for a in upper for b in upper if number[a] < number[b]]
        pairs += [(a, b) for docnos in group.classes for a in docnos for b in last]
    if kind == "ret":
        pairs = [(a, b) for a, b in pairs if a in retrieved and b in retrieved]
    return sum(fulfilled(a, b) for a, b in pairs), len(pairs)


def jg_scores(
    groups: dict[str, dict[str, int]],
    ranking: list[str],
    *,
    level: float = 1,
    judged_only: bool = False,
    cutoffs: tuple[int, ...] = (5,),
    multiples: tuple[float, ...] = (1.0,),
) -> dict[str, float]:
    """The judgement-group measures of one topic; `groups` gives each group's grades by docno."""
    sums: dict[str, float] = {"map_avgjg": 0.0}
    sums.update({f"P_avgjg_{cutoff}": 0.0 for cutoff in cutoffs})
    sums.update({f"Rprec_mult_avgjg_{multiple:3.2f}": 0.0 for multiple in multiples})
    for name in sorted(groups):
        grades = groups[name]
        grade = [grades.get(docno, -1) for docno in ranking]
        if judged_only:
            grade = [value for value in grade if value >= 0]
        num_rel = len([value for value in grades.values() if value >= level])
        total, found = 0.0, 0
        for rank, value in enumerate(grade, 1):
            if value >= level:
                found += 1
                total += found / rank
        if found:
            sums["map_avgjg"] += total / num_rel
        for cutoff in cutoffs:
            sums[f"P_avgjg_{cutoff}"] += len([value for value in grade[:cutoff] if value >= level]) / cutoff
        for multiple in multiples:
            cutoff = int(multiple * num_rel + 0.9)
            hits = len([value for value in grade[:cutoff] if value >= level])
            sums[f"Rprec_mult_avgjg_{multiple:3.2f}"] += hits / cutoff if cutoff else 0.0
    return {label: value / len(groups) for label, value in sums.items()}
