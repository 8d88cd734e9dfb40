package io.whence.bench.commit;

import io.whence.bench.Load;
import io.whence.bench.Rounds;
import io.whence.bench.Session;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures all peers in all cells. The rounds of a cell are interleaved: each peer once, then each
 * again, so that a disk or machine that gets slower does so for all. Thread safety: immutable.
 *
 * @param plan what to measure
 * @param peers by their roles, in the order of the table
 * @param progress is told what is being done
 */
record Run(Plan plan, Map<Result.Role, Peer> peers, Consumer<String> progress) {
  Run {
    peers = new EnumMap<>(peers);
  }

  /** Measures. */
  Results measure() throws Exception {
    progress.accept("warming up");
    for (Peer peer : peers.values()) {
      try (Session session = peer.open(plan.warmUp())) {
        Load.run(session.callers(), plan.warmUpNanos());
      }
    }
    List<Result> results = new ArrayList<>();
    for (Cell cell : plan.cells()) {
      progress.accept("calls of " + cell.partitions() + ", callers: " + cell.callers());
      results.addAll(measure(cell));
    }
    return new Results(results);
  }

  private List<Result> measure(Cell cell) throws Exception {
    Map<Result.Role, Session> sessions = new EnumMap<>(Result.Role.class);
    try {
      for (Map.Entry<Result.Role, Peer> peer : peers.entrySet()) {
        if (peer.getValue().fits(cell)) {
          sessions.put(peer.getKey(), peer.getValue().open(cell));
        }
      }
      Rounds rounds = new Rounds(plan.rounds(), plan.warmUpNanosOfCell());
      List<Result> results = new ArrayList<>();
      rounds
          .measure(sessions, role -> plan.nanos(peers.get(role)))
          .forEach(
              (role, sample) ->
                  results.add(new Result(cell, role, peers.get(role).name(cell), sample)));
      return results;
    } finally {
      sessions.values().forEach(Session::close);
    }
  }
}
