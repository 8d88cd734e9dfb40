"""What became of the calls: a table, and what must not have been."""

KINDS = ["one", "hundred", "window", "commit"]
TITLES = ["1 partition", "100 partitions", "windows", "commits"]
# Clients, servers and the broker share the machine, and a server that starts takes its part: the table says how many
# calls were made. Fewer than these of a client's own share would be no load of that client.
LEAST_SHARE_OF_RATE = 0.7


def percentile(micros, share):
    """Returns milliseconds."""
    ordered = sorted(micros)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] / 1000 if ordered else 0.0


def table(results, seconds):
    """Returns a table in Markdown, with a line for each client."""
    heads = ["client", "calls/s", *TITLES, "sent again", "not sent", "failed", "wrong", "p50 ms", "p99 ms", "slowest ms"]
    rows = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    for name, result in results.items():
        lookups = [micros for kind in KINDS[:-1] for micros in result["micros"].get(kind, [])]
        every = lookups + result["micros"].get("commit", [])
        rows.append(
            [
                name,
                f"{sum(result['calls'].values()) / seconds:.0f}",
                *(str(result["calls"].get(kind, 0)) for kind in KINDS),
                *(str(result[count]) for count in ("sent_again", "missed")),
                str(sum(result["failures"].values())),
                str(result["wrong"]),
                *(f"{percentile(every, share):.1f}" for share in (0.5, 0.99, 1)),
            ]
        )
    return [f"| {' | '.join(row)} |" for row in rows]


def is_retriable(failure):
    """A status that says that the same request may succeed later; all else is for nobody to make up for."""
    return " UNAVAILABLE" in failure


def failures(results):
    """Returns lines: each kind of failure, and the first of each client."""
    for name, result in results.items():
        for what, count in sorted(result["failures"].items()):
            word = "retriable, given up" if is_retriable(what) else "NOT retriable"
            yield f"{name}: {count} x {what} ({word})"
        yield from (f"{name}: {text}" for text in (result["shown"] or []))
        yield from (f"{name}: WRONG: {text}" for text in (result["wrong_shown"] or []))


def lost(results, found):
    """Returns lines: acknowledged commits that a server doesn't have."""
    for result in results.values():
        for group, offsets in result["committed"].items():
            for partition, offset in offsets.items():
                there = found.get(group, {}).get(str(partition))
                if there is None or there < offset:
                    yield f"LOST: {group}, partition {partition}: {offset} was acknowledged, {there} is there"


def answered(result):
    """Returns how many calls of a client had an answer."""
    return sum(result["calls"].values()) - sum(result["failures"].values())


def problems(results, asked_rates, seconds, away_seconds, may_give_up):
    """Returns why it didn't pass, but for what servers show.

    asked_rates: calls a second that each client was asked for, by name. away_seconds: for how long no server was there. may_give_up: whether calls may fail with UNAVAILABLE after all
    retries, as when servers are killed."""
    for name, result in results.items():
        grave = {what: n for what, n in result["failures"].items() if not (may_give_up and is_retriable(what))}
        if grave:
            yield f"{name}: {sum(grave.values())} calls failed"
        if result["wrong"]:
            yield f"{name}: {result['wrong']} wrong answers"
        for kind in KINDS:
            if not result["micros"].get(kind):
                yield f"{name}: no {kind} was answered"
        rate, asked = answered(result) / (seconds - away_seconds), asked_rates[name]
        if rate < LEAST_SHARE_OF_RATE * asked:
            yield f"{name}: {rate:.0f} calls/s had an answer, less than {LEAST_SHARE_OF_RATE} of the {asked:.0f} asked for"
