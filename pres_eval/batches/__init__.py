"""From ranks and judgements to the frozen arrays that measures see."""
