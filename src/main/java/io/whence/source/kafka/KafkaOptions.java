package io.whence.source.kafka;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.regex.Pattern;

/**
 * What a source that follows a cluster needs. Thread safety: immutable.
 *
 * @param directory where it keeps its logs; may be wiped between starts
 * @param client settings of Kafka's clients, with {@code bootstrap.servers} among them
 * @param topics which topics to follow
 * @param start where those partitions begin that were there before this server
 * @param timing how often and how long
 * @param lanes how many connections to each broker fetch, with the partitions spread over them
 * @param resources what it shares with others
 */
public record KafkaOptions(
    Path directory,
    Map<String, Object> client,
    Topics topics,
    StartPoint start,
    Timing timing,
    int lanes,
    Resources resources) {
  /** Copies the settings. */
  public KafkaOptions {
    client = Map.copyOf(client);
    if (lanes < 1) {
      throw new IllegalArgumentException("lanes: " + lanes + " is not positive");
    }
  }

  /**
   * Which topics to follow.
   *
   * @param include whole names that match are followed
   * @param exclude whole names that match are not followed, whatever {@code include} says
   */
  public record Topics(Pattern include, Pattern exclude) {
    boolean contains(String name) {
      return include.matcher(name).matches() && !exclude.matcher(name).matches();
    }
  }

  /**
   * How often and how long.
   *
   * @param refresh how often the cluster is asked for its topics
   * @param request how long one question to the cluster may take
   * @param maxStaleness how old an answer may be; what the cluster has not confirmed for longer is
   *     refused
   * @param compactionCheck how often compacted topics are looked at for records that were removed
   */
  public record Timing(
      Duration refresh, Duration request, Duration maxStaleness, Duration compactionCheck) {}

  /**
   * What the source shares with others.
   *
   * @param clock the time
   * @param scheduler runs short tasks
   * @param threads makes the threads that fetch
   * @param events is told how it goes
   * @param logEvents is told what happens to logs
   * @param memory what all logs share
   */
  public record Resources(
      InstantSource clock,
      ScheduledExecutorService scheduler,
      ThreadFactory threads,
      KafkaEvents events,
      LogEvents logEvents,
      LogMemory memory) {}
}
