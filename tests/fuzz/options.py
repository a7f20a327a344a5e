"""Random options and measures with valid parameters."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Group = tuple[str, ...]

WITHOUT_PARAMETERS = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("infAP", "gm_bpref", "binG", "set_P", "set_recall", "set_relative_P", "set_map"),
    *("num_nonrel_judged_ret", "yaap"),
)
WITH_CUTOFFS = ("P", "recall", "success", "ndcg_cut", "map_cut", "relative_P")
WITH_PAIRS = ("ndcg", "ndcg_rel", "Rndcg", "G")
NICKNAMES = ("official", "all_trec", "set")
PREFERENCES = (
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair"),
    *("prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"),
    *("prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp", "num_q", "runid"),
)
LABELS = (
    *("num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "P_5", "P_10"),
    *("P_1000", "iprec_at_recall_0.00", "iprec_at_recall_0.50", "recall_5", "ndcg", "ndcg_cut_10", "infAP"),
    *("set_F", "utility", "success_1", "relstring", "map_cut_5", "num_nonrel_judged_ret", "prefs_simp"),
)


def cutoffs(random: Random) -> str:
    largest = random.choice([6, 20, 20, 1200])
    chosen = random.sample(range(1, largest + 1), random.randint(1, 4))
    if random.random() < 0.03:
        chosen[-1] = 2**31 - 1  # further apart than an int trec_eval sorts them wrongly
    elif random.random() < 0.03:
        chosen = [random.choice([2**31, 2**32 + 1, 2**53 + 1, 2**63 - 1])]
    texts = [str(cutoff) for cutoff in chosen]
    if random.random() < 0.05:
        texts[0] += " "
    return ",".join(texts)


def with_fraction(texts: str, fraction: str) -> str:
    """Several cutoffs with a fraction, which trec_eval cuts off; elsewhere it is an error here."""
    return texts if texts.endswith(" ") or "," not in texts else texts + fraction


def fractions(random: Random) -> str:
    """Recall levels or multiples of R: different numbers, most of them up to 1."""
    whole = random.sample(range(0, 101), random.randint(1, 5))
    values = [value * random.choice([1, 1, 1, 3]) / 100 for value in whole]
    texts = {
        value: random.choice([f"{value:.2f}", f"{value:g}", f"{value:.2f}".lstrip("0")]) for value in values
    }
    if random.random() < 0.1:
        texts = {value: value.hex() for value in values}
    return ",".join(texts.values())


def numbers(random: Random, count: int) -> str:
    return ",".join(
        random.choice(["1", "-1", "0", ".5", "-.25", "2.75", "0.01", "1e1", "0x10", "-0x1.8p-1"])
        for _ in range(count)
    )


def pairs(random: Random) -> str:
    """Gains for relevance levels."""
    levels = random.sample(range(0, 12), random.randint(1, 4))
    return ",".join(
        f"{level}={random.choice(['0', '1', '2', '3.5', '9', '4.25', '0.5'])}" for level in levels
    )


def persistence(random: Random) -> str:
    text = f"p={random.choice(['0.8', '.95', '0.5', '0', '1'])}"
    return f"{text},{pairs(random)}" if random.random() < 0.3 else text


def with_parameters(random: Random, version: str) -> dict[str, Callable[[], str]]:
    """For each measure that takes parameters a source of their text."""
    makers: dict[str, Callable[[], str]] = {name: lambda: cutoffs(random) for name in WITH_CUTOFFS}
    makers["ndcg_cut"] = lambda: with_fraction(cutoffs(random), random.choice(["", "", "", ".4"]))
    makers |= {name: lambda: pairs(random) for name in WITH_PAIRS}
    makers["iprec_at_recall"] = makers["Rprec_mult"] = makers["11pt_avg"] = lambda: fractions(random)
    makers["utility"] = lambda: numbers(random, 3 if random.random() < 0.02 else 4)
    makers["set_F"] = lambda: random.choice(
        ["1", "0.5", "0", "2.25", "3.0", ".1", "1.2", "0x2", "0x.8p1", "2 "]
    )
    makers["relstring"] = lambda: random.choice(["5", "1", "20", "100", "0", "3.7"])
    if version == "10.0":
        makers["unj"] = lambda: cutoffs(random)
        makers["rbp"] = makers["rbp_resid"] = lambda: persistence(random)
    return makers


def alone(random: Random) -> str:
    """A measure of 10.0 that has a defined result only without certain others.

    rbp reads variables that others left on the stack; the parameters of dcg and ideal_dcg overwrite those of
    ndcg, and are freed for each.
    """
    texts = ["rbp", f"rbp.{persistence(random)}", f"dcg.{pairs(random)}", f"ideal_dcg.{pairs(random)}"]
    return random.choice(texts)


def measures(random: Random, version: str, relevance: str) -> list[Group]:
    """Some -m, each measure once (trec_eval heeds the first parameter list only)."""
    if relevance in ("prefs", "qrels_prefs"):
        if random.random() < 0.5:
            return [("-m", random.choice(["all_prefs", "prefs"]))]
        return [("-m", name) for name in random.sample(PREFERENCES, random.randint(1, 6))]
    if relevance == "qrels_jg":
        grouped = {"P_avgjg": cutoffs, "Rprec_mult_avgjg": fractions}
        chosen = [("-m", f"{name}.{make(random)}") for name, make in grouped.items() if random.random() < 0.4]
        return [("-m", random.choice(["qrels_jg", "qrels_jg", "map_avgjg"])), *chosen]
    makers = with_parameters(random, version)
    if version == "10.0" and random.random() < 0.06:
        return [("-m", alone(random))]
    texts = []
    if random.random() < 0.55:
        texts.append(random.choice(NICKNAMES))
    elif random.random() < 0.1:
        return []
    more = ("dcg", "ideal_dcg") if version == "10.0" else ()
    names = random.sample([*WITHOUT_PARAMETERS, *more, *makers], random.randint(0 if texts else 1, 7))
    for name in names:
        wanted = name in makers and random.random() < 0.7
        texts.append(f"{name}.{makers[name]()}" if wanted else name)
    return [("-m", text) for text in random.sample(texts, len(texts))]


def flags(random: Random, some_topic: str | None) -> list[Group]:
    """The other options, in the spellings that getopt takes."""
    groups: list[Group] = []

    def add(chance: float, *spellings: Group) -> None:
        if random.random() < chance:
            groups.append(random.choice(spellings))

    add(0.8, ("-q",), ("--query_eval_wanted",), ("--query_eval",))
    add(0.35, ("-c",), ("-c",), ("--complete",))
    add(0.15, ("-J",), ("--Judged_docs_only",))
    add(0.05, ("-n",), ("--nosummary",))
    level = random.choice(["2", "2", "3", "0", "10"])
    add(0.25, ("-l", level), (f"-l{level}",), ("--level_for_rel", level), (f"--level={level}",))
    most = random.choice(["1", "1", "2", "3", "5", "10", "1000", str(2**31), str(2**63)])
    add(0.25, ("-M", most), (f"-M{most}",), (f"--Max_retrieved_per_topic={most}",))
    size = random.choice(["1000", "50", "500000", "25205179", str(2**31), str(2**62), str(2**63)])
    add(0.15, ("-N", size), (f"-N{size}",), ("--Number_docs", size))
    add(0.03, ("-o",), ("-T", "trec_results"))
    if some_topic is not None:
        add(0.04, ("-D", f"0.{some_topic}"))
    if groups and random.random() < 0.1 and ("-q",) in groups and ("-c",) in groups:
        groups = [group for group in groups if group not in (("-q",), ("-c",))] + [("-qc",)]
    return groups


def spelled(random: Random, group: Group) -> Group:
    """-m in one of its spellings."""
    if group[0] != "-m" or random.random() < 0.7:
        return group
    return random.choice([(f"-m{group[1]}",), ("--measure", group[1]), (f"--measure={group[1]}",)])
