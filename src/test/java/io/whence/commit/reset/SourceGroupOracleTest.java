package io.whence.commit.reset;

import io.whence.log.LogSnapshot;
import io.whence.model.IsolationLevel;
import io.whence.resolve.RandomLog;
import io.whence.resolve.RandomLogs;
import org.junit.jupiter.api.Test;

/**
 * Moves groups between logs that were made up, the other one in any order: what was not read in one
 * never lies below the planned offset in the other.
 */
class SourceGroupOracleTest {
  private static final int LOGS = 600;
  private static final int LEAST_PLANS = 10;

  @Test
  void randomLogs_nothingUnreadIsSkipped() {
    RandomLogs.check("SourceGroupOracleTest", LOGS, LEAST_PLANS, SourceGroupOracleTest::check);
  }

  private static long check(RandomLog log, LogSnapshot snapshot, long seed) {
    long asked = 0;
    for (IsolationLevel isolation : IsolationLevel.values()) {
      try (MirroredLog mirror = new MirroredLog(log, snapshot, isolation, seed)) {
        asked += mirror.askAll();
      }
    }
    return asked;
  }
}
