"""Gates for CI: is the evaluation good enough, as good as an earlier one, and equal to trec_eval's output?"""
