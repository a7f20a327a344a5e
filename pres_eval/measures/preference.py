"""The preference measures: how many of the users' preferences the ranking fulfils.

They need preferences: `-R prefs`, or `-R qrels_prefs` to read a qrels file as preferences.  A judgement
group is one user at one time; a document with a higher level is preferred to one with a lower level.  Levels,
and so these measures, have nothing to do with -l; unjudged documents count for nothing.

Counts have trec_eval's names: `poss` are the preferences that can be fulfilled, `ful` those that are.  `ret`
are those between retrieved documents; `imp` those between a retrieved document and one that was not, whose
order is implied.  Of pairs, `sum_imp` and `pairs_imp` have both kinds.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, divide
from pres_eval.batches.from_preferences import PreferenceBatch
from pres_eval.batches.preference_counts import segment_sums
from pres_eval.measures.base import Format, Measure, Trait, total
from pres_eval.options import RelevanceInfo


def num_prefs_poss(batch: PreferenceBatch) -> IntArray:
    """Number of preferences, whether the documents were retrieved or not.

    Formula:  prefs_num_prefs_poss = Σ_g P_g
      P_g   preferences "document a over document b" of judgement group g; the same pair counts once in each
            group that speaks of it
    Range: 0 to the number of ordered pairs times the number of groups; the summary is the sum over topics.
    Source: trec_eval (prefs_num_prefs_poss), by Chris Buckley, 2008.
    """
    return segment_sums(batch.counts.poss, batch.offsets)


def num_prefs_ful(batch: PreferenceBatch) -> IntArray:
    """Number of preferences that the ranking fulfils, with one or both documents retrieved.

    Formula:  prefs_num_prefs_ful = Σ_g F_g
      F_g   preferences of judgement group g whose better document was retrieved, before the other one or
            without it
    Range: 0 to prefs_num_prefs_poss; the summary is the sum over topics.
    Source: trec_eval (prefs_num_prefs_ful), by Chris Buckley, 2008.
    """
    return segment_sums(batch.counts.ful, batch.offsets)


def num_prefs_ful_ret(batch: PreferenceBatch) -> IntArray:
    """Number of preferences between retrieved documents that the ranking fulfils.

    Formula:  prefs_num_prefs_ful_ret = Σ_g F_g
      F_g   preferences of judgement group g whose documents were both retrieved, the better one first
    Range: 0 to prefs_num_prefs_ful; the summary is the sum over topics.
    Source: trec_eval (prefs_num_prefs_ful_ret), by Chris Buckley, 2008.
    """
    return segment_sums(batch.counts.ful_ret, batch.offsets)


def simp(batch: PreferenceBatch) -> FloatArray:
    """Share of the preferences that the ranking fulfils, all preferences being equal.

    Formula:  prefs_simp = Σ_g F_g / Σ_g P_g
      F_g   preferences of judgement group g whose better document was retrieved, before the other one or
            without it
      P_g   all its preferences; one of which neither document was retrieved is not fulfilled
    Range: 0 to 1, and less than 1 at best where groups contradict each other; 0 if there is no preference.
    Source: trec_eval (prefs_simp), by Chris Buckley, 2008.  Preferences for judging: Carterette, Bennett,
      Chickering & Dumais, "Here or There: Preference Judgments for Relevance", ECIR 2008,
      doi:10.1007/978-3-540-78646-7_5; as a measure (ppref): Carterette & Bennett, "Evaluation Measures for
      Preference Judgments", SIGIR 2008.
    """
    return divide(num_prefs_ful(batch), num_prefs_poss(batch))


def pair(batch: PreferenceBatch) -> FloatArray:
    """Share of the users whose preference the ranking fulfils, averaged over pairs of documents.

    Formula:  prefs_pair = 1 / N · Σ_(a,b) C(a, b) / (C(a, b) + C(b, a))
      (a,b)    each pair of documents of which any judgement group prefers one; a comes before b in the
               ranking, or was retrieved and b was not
      C(a, b)  groups that prefer a to b
      N        number of such pairs, with those of which neither was retrieved, which add 0 to the sum
    Range: 0 to 1; 0 if there is no preference.  Equal to prefs_simp if no pair is judged by several groups.
    Notes: C is counted modulo 65536, as in trec_eval, which only shows if a file repeats lines very often.
    Source: trec_eval (prefs_pair), by Chris Buckley, 2008.
    """
    # The pairs of which neither was retrieved add nothing to the sum.
    return divide(batch.pairs.sum_imp, batch.pairs.pairs)


def avgjg(batch: PreferenceBatch) -> FloatArray:
    """Share of the preferences that the ranking fulfils, averaged over judgement groups.

    Formula:  prefs_avgjg = 1 / G · Σ_g F_g / P_g
      G     judgement groups of the topic, with those that express no preference, which add 0
      F_g   preferences of group g whose better document was retrieved, before the other one or without it
      P_g   all its preferences
    Range: 0 to 1.
    Notes: each user counts the same, however many preferences they gave; in prefs_simp each preference does.
    Source: trec_eval (prefs_avgjg), by Chris Buckley, 2008.
    """
    return batch.average(divide(batch.counts.ful, batch.counts.poss))


def avgjg_rnonrel(batch: PreferenceBatch) -> FloatArray:
    """Like prefs_avgjg, with as many nonrelevant documents in each judgement group as relevant ones.

    Formula:  prefs_avgjg_Rnonrel = 1 / G · Σ_g F_g / P_g
      G         judgement groups of the topic
      R, N      relevant (level above 0) and nonrelevant judgements of group g; r relevant ones were retrieved
      F_g, P_g  fulfilled and all preferences of the group.  If R ≥ N, F_g is r (R − N) more and P_g is
                R (R − N) more: nonrelevant documents that nobody retrieved.  If R < N, only the R documents
                of the lowest level that rank highest stay.
    Range: 0 to 1; 0 for a topic with a group that is left without preferences (0 / 0), for instance because
      it has no relevant document.
    Notes: how many nonrelevant documents happened to be judged should not decide how much a group counts.
      With one group and two levels, 0 and 1, akin to bpref.  If R < N, each document left on the lowest level
      is compared with all documents of the group, those of its own level and itself too; in a group with
      several subgroups only with those it is better or worse than.
    Source: trec_eval (prefs_avgjg_Rnonrel), by Chris Buckley, 2008.
    """
    return _average_or_zero(batch, batch.counts.ful_balanced, batch.counts.poss_balanced)


def simp_ret(batch: PreferenceBatch) -> FloatArray:
    """Share of the preferences between retrieved documents that the ranking fulfils.

    Formula:  prefs_simp_ret = Σ_g F_g / Σ_g P_g
      P_g   preferences of judgement group g whose documents were both retrieved
      F_g   those of them whose better document comes first
    Range: 0 to 1; 0 if there is no such preference.
    Notes: for collections that change, where a document may be missing because it is no longer there;
      inferior to prefs_simp elsewhere, since not retrieving costs nothing.
    Source: trec_eval (prefs_simp_ret), by Chris Buckley, 2008.
    """
    return divide(num_prefs_ful_ret(batch), segment_sums(batch.counts.poss_ret, batch.offsets))


def pair_ret(batch: PreferenceBatch) -> FloatArray:
    """Like prefs_pair, over pairs of retrieved documents alone.

    Formula:  prefs_pair_ret = 1 / N · Σ_(a,b) C(a, b) / (C(a, b) + C(b, a))
      (a,b)    each of the N pairs of retrieved documents of which any judgement group prefers one; a comes
               before b in the ranking
      C(a, b)  groups that prefer a to b
    Range: 0 to 1; 0 if there is no such pair.
    Notes: for collections that change; see prefs_simp_ret.
    Source: trec_eval (prefs_pair_ret), by Chris Buckley, 2008.
    """
    return divide(batch.pairs.sum_ret, batch.pairs.pairs_ret)


def avgjg_ret(batch: PreferenceBatch) -> FloatArray:
    """Like prefs_avgjg, with the preferences between retrieved documents alone.

    Formula:  prefs_avgjg_ret = 1 / G · Σ_g F_g / P_g
      G     judgement groups of the topic, with those that have no such preference, which add 0
      P_g   preferences of group g whose documents were both retrieved
      F_g   those of them whose better document comes first
    Range: 0 to 1.
    Notes: for collections that change; see prefs_simp_ret.
    Source: trec_eval (prefs_avgjg_ret), by Chris Buckley, 2008.
    """
    return batch.average(divide(batch.counts.ful_ret, batch.counts.poss_ret))


def avgjg_rnonrel_ret(batch: PreferenceBatch) -> FloatArray:
    """Like prefs_avgjg_Rnonrel, with the preferences between retrieved documents alone.

    Formula:  prefs_avgjg_Rnonrel_ret = 1 / G · Σ_g F_g / P_g
      G         judgement groups of the topic
      r, n      relevant (level above 0) and nonrelevant judgements of retrieved documents in group g; R
                relevant ones in all
      F_g, P_g  preferences of the group whose documents were both retrieved: fulfilled, and all.  If r ≥ n,
                F_g is r (r − n) more and P_g is R (r − n) more.  If r < n, only the r documents of the lowest
                level that rank highest stay (the first R nonrelevant ones in a group with several subgroups).
    Range: 0 to 1; 0 for a topic with a group that is left without preferences (0 / 0).
    Notes: the R where r is to be expected, and the other oddities of prefs_avgjg_Rnonrel, are trec_eval's.
    Source: trec_eval (prefs_avgjg_Rnonrel_ret), by Chris Buckley, 2008.
    """
    return _average_or_zero(batch, batch.counts.ful_balanced_ret, batch.counts.poss_balanced_ret)


def simp_imp(batch: PreferenceBatch) -> FloatArray:
    """Share of the preferences that the ranking fulfils, leaving out those of which neither was retrieved.

    Formula:  prefs_simp_imp = Σ_g F_g / Σ_g P_g
      P_g   preferences of judgement group g of whose documents one or both were retrieved
      F_g   those of them whose better document was retrieved, before the other one or without it
    Range: 0 to 1; 0 if there is no such preference.
    Source: trec_eval (prefs_simp_imp), by Chris Buckley, 2008.
    """
    possible = segment_sums(batch.counts.poss_ret + batch.counts.poss_imp, batch.offsets)
    return divide(num_prefs_ful(batch), possible)


def pair_imp(batch: PreferenceBatch) -> FloatArray:
    """Like prefs_pair, leaving out the pairs of documents of which neither was retrieved.

    Formula:  prefs_pair_imp = 1 / N · Σ_(a,b) C(a, b) / (C(a, b) + C(b, a))
      (a,b)    each of the N pairs of documents of which any judgement group prefers one and at least one was
               retrieved; a comes before b in the ranking, or was retrieved and b was not
      C(a, b)  groups that prefer a to b
    Range: 0 to 1; 0 if there is no such pair.
    Source: trec_eval (prefs_pair_imp), by Chris Buckley, 2008.
    """
    return divide(batch.pairs.sum_imp, batch.pairs.pairs_imp)


def avgjg_imp(batch: PreferenceBatch) -> FloatArray:
    """Like prefs_avgjg, leaving out the preferences of which neither document was retrieved.

    Formula:  prefs_avgjg_imp = 1 / G · Σ_g F_g / P_g
      G     judgement groups of the topic, with those that have no such preference, which add 0
      P_g   preferences of group g of whose documents one or both were retrieved
      F_g   those of them whose better document was retrieved, before the other one or without it
    Range: 0 to 1.
    Source: trec_eval (prefs_avgjg_imp), by Chris Buckley, 2008.
    """
    possible = batch.counts.poss_ret + batch.counts.poss_imp
    return batch.average(divide(batch.counts.ful, possible))


def _average_or_zero(batch: PreferenceBatch, fulfilled: IntArray, possible: IntArray) -> FloatArray:
    """Return (T,) the mean of fulfilled / possible over the groups of each topic, of all G groups.

    A topic with a group that has no possible preferences gets 0.
    """
    # trec_eval: 0/0 makes the sum nan, which is not above 0, and only sums above 0 are kept.
    num_empty_groups = np.bincount(batch.topic_of_group, weights=possible == 0, minlength=len(batch))
    average = batch.average(divide(fulfilled, possible))
    return np.where(num_empty_groups > 0, 0.0, average)


_TRAITS_OF_ALL = frozenset({Trait.IGNORES_UNJUDGED, Trait.IGNORES_TAIL, Trait.GRADED})
_measure = partial(Measure, uses_level=False, relevance=RelevanceInfo.PREFS)
_count = partial(_measure, summary=total, format=Format.COUNT, tells_quality=False)
_share = partial(_measure, traits=_TRAITS_OF_ALL | {Trait.BOUNDED})

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _count("prefs_num_prefs_poss", num_prefs_poss, traits=_TRAITS_OF_ALL | {Trait.SET}),
    _count("prefs_num_prefs_ful", num_prefs_ful, traits=_TRAITS_OF_ALL),
    _count("prefs_num_prefs_ful_ret", num_prefs_ful_ret, traits=_TRAITS_OF_ALL),
    _share("prefs_simp", simp),
    _share("prefs_pair", pair),
    _share("prefs_avgjg", avgjg),
    _share("prefs_avgjg_Rnonrel", avgjg_rnonrel),
    _share("prefs_simp_ret", simp_ret),
    _share("prefs_pair_ret", pair_ret),
    _share("prefs_avgjg_ret", avgjg_ret),
    _share("prefs_avgjg_Rnonrel_ret", avgjg_rnonrel_ret),
    _share("prefs_simp_imp", simp_imp),
    _share("prefs_pair_imp", pair_imp),
    _share("prefs_avgjg_imp", avgjg_imp),
)
