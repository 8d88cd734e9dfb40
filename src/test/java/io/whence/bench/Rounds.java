package io.whence.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Measures peers side by side. The rounds are interleaved: each peer once, then each again, so that
 * a disk or machine that gets slower does so for all. Thread safety: immutable.
 *
 * @param count how often each peer is measured
 * @param warmUpNanos how long each runs before
 */
public record Rounds(int count, long warmUpNanos) {
  /**
   * Measures.
   *
   * @param sessions what runs, by peer, in order
   * @param nanos how long one measurement of a peer takes
   * @return the medians over the rounds, by peer, in order
   */
  public <P> Map<P, Sample> measure(Map<P, ? extends Session> sessions, ToLongFunction<P> nanos)
      throws Exception {
    for (Session session : sessions.values()) {
      Load.run(session.callers(), warmUpNanos);
    }
    Map<P, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 0; round < count; round++) {
      for (Map.Entry<P, ? extends Session> session : sessions.entrySet()) {
        samples
            .computeIfAbsent(session.getKey(), peer -> new ArrayList<>())
            .add(Load.run(session.getValue().callers(), nanos.applyAsLong(session.getKey())));
      }
    }
    for (Session session : sessions.values()) {
      session.verify();
    }
    Map<P, Sample> medians = new LinkedHashMap<>();
    samples.forEach((peer, rounds) -> medians.put(peer, Sample.median(rounds)));
    return medians;
  }
}
