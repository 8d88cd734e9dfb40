package io.whence.resolve;

import org.junit.jupiter.api.Test;

/** Compares every kind of answer with a brute-force scan, over logs that were made up. */
class RandomLogOracleTest {
  @Test
  void randomLogs_everyQuestion_equalBruteForce() {
    RandomLogs.check(
        "RandomLogOracleTest",
        10_000,
        50,
        (log, snapshot, seed) -> new RandomQuestions(snapshot, log.oracle(), log, seed).askAll());
  }
}
