"""From rows of a run to the ranks of judged documents."""
