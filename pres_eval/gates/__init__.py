"""Gates for CI: is the evaluation good enough, as good as an earlier one, and what trec_eval printed?"""
