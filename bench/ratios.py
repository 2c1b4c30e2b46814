"""How many times as fast as others Omnizarr is: the median over the rounds, in each of which all are measured in turn."""
import statistics


def rounds(ours, theirs):
    """The ratio of each round."""
    return [b / a for a, b in zip(ours["turns"], theirs["turns"])]


def ratio(ours, theirs):
    return statistics.median(rounds(ours, theirs))


def best(ours, others):
    """The name of the one that comes off best, None if there is none."""
    return min(others, key=lambda who: ratio(ours, others[who]), default=None)


def to_best(ours, others):
    """The ratio to the best of others by name, and how far apart the rounds lie: 1.44 (tensorstore; 1.31 to 1.52)."""
    who = best(ours, others)
    if who is None:
        return ""
    each = rounds(ours, others[who])
    return f"{statistics.median(each):.2f} ({who}" + (f"; {min(each):.2f} to {max(each):.2f})" if len(each) > 1 else ")")


def others(cells):
    """Whoever has a cell in a row and is not Omnizarr."""
    return {who: r for who, r in cells.items() if not who.startswith("omnizarr")}
