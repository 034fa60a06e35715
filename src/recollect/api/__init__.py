"""Operations besides the moments: one request, one answer, one function each. The daemon and the command line share them."""
