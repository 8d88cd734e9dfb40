package io.whence.commit.reset;

import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.resolve.RandomLog;
import io.whence.resolve.RandomLogs;
import org.junit.jupiter.api.Test;

/** Compares plans with what a brute-force scan says, over logs and offsets that were made up. */
class ResetOracleTest {
  private static final int LOGS = 1_000;
  private static final int LEAST_PLANS = 100;

  @Test
  void randomLogs_everyTarget_equalBruteForce() {
    RandomLogs.check("ResetOracleTest", LOGS, LEAST_PLANS, ResetOracleTest::check);
  }

  private static long check(RandomLog log, LogSnapshot snapshot, long seed) {
    long asked = 0;
    for (IsolationLevel isolation : IsolationLevel.values()) {
      asked += new RandomResets(log, snapshot, isolation, seed).askAll();
    }
    return asked;
  }
}
