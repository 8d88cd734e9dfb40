package io.whence.bench.data;

import io.whence.model.TopicPartition;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A data directory of the embedded source, which a broker can open, too. Its .log files are written
 * here; all indexes are made by the source itself. Thread safety: thread-safe.
 */
public final class DataSet {
  /** Records of any year, kept for ever. */
  private static final Map<String, String> CONFIG =
      Map.of(
          "retention.ms", "-1", "message.timestamp.after.max.ms", String.valueOf(Long.MAX_VALUE));

  private DataSet() {}

  /** Does something with an open source. */
  @FunctionalInterface
  public interface Use<R> {
    /** Does it. */
    R with(EmbeddedSource source) throws Exception;
  }

  /** Writes a directory with these logs, stopped in order. */
  public static void write(Path data, List<LogPlan> plans) throws Exception {
    use(
        data,
        source -> {
          plans.forEach(plan -> source.createTopic(plan.topic(), plan.partitions(), CONFIG));
          return source.topics();
        });
    for (LogPlan plan : plans) {
      List<Path> directories =
          IntStream.range(0, plan.partitions())
              .mapToObj(i -> data.resolve(new TopicPartition(plan.topic(), i).toString()))
              .toList();
      for (Path directory : directories) {
        deleteSegments(directory);
      }
      new SegmentWriter(plan).write(directories);
    }
    use(data, source -> source.topics());
  }

  private static void deleteSegments(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "0*")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  /** Opens a directory, does something with it, and closes it in order. */
  public static <R> R use(Path data, Use<R> use) throws Exception {
    try (OpenData open = OpenData.open(data)) {
      return use.with(open.source());
    }
  }
}
