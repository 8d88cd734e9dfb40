package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Fixture;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every answer about the log directories of a real broker is that of a brute-force scan. */
class ArchiveFixturesTest {
  @TempDir private Path directory;

  static List<String> fixtures() {
    return Fixtures.names();
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void everyQuestion_answeredAsByBruteForce(String fixture) {
    Path archive = Fixtures.unpack(fixture, directory.resolve("archive"));
    ArchiveSource source = Archives.load(archive);
    long seed = System.nanoTime();
    System.out.println("ArchiveFixturesTest " + fixture + " seed " + seed);
    Random random = new Random(seed);

    int compared = 0;
    for (Partition partition : Fixtures.load(fixture).partitions()) {
      LogComparison comparison = Archives.comparison(source, fixture, partition);
      comparison.bounds(partition);
      compared += comparison.named();
      compared += comparison.recorded(partition.queries());
      compared += comparison.random(random, 60);
      compared += comparison.offsets(1);
    }

    assertThat(compared).isGreaterThan(500);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void everyTopic_hasIdAndPartitions(String fixture) {
    ArchiveSource source = Archives.load(Fixtures.unpack(fixture, directory.resolve("archive")));

    Fixture expected = Fixtures.load(fixture);
    for (Partition partition : expected.partitions()) {
      var topic = source.topic(partition.topicPartition().topic());
      assertThat(topic.topicId()).isPresent();
      assertThat(topic.partitionCount()).isGreaterThan(partition.topicPartition().partition());
      assertThat(topic.config()).isEmpty();
    }
    assertThat(source.topics()).extracting("name").doesNotContain("__cluster_metadata");
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void cacheOfEarlierStart_answersTheSame(String fixture) throws IOException {
    Path archive = Fixtures.unpack(fixture, directory.resolve("archive"));
    ArchiveOptions options =
        ArchiveOptions.of(List.of(archive)).withCache(directory.resolve("cache"));
    Random random = new Random(fixture.hashCode());

    Archives.load(options);
    assertThat(cacheFiles()).isNotEmpty();
    Archives.assertAnswersOf(fixture, Archives.load(options), random);

    damageCache(random);
    Archives.assertAnswersOf(fixture, Archives.load(options), random);
  }

  /** Truncates, flips and mixes up the files of the cache. */
  private void damageCache(Random random) throws IOException {
    List<Path> files = cacheFiles();
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      switch (random.nextInt(4)) {
        case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        case 1 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
        case 2 -> bytes = Files.readAllBytes(files.get(random.nextInt(files.size())));
        default -> random.nextBytes(bytes);
      }
      Files.write(file, bytes);
    }
  }

  private List<Path> cacheFiles() throws IOException {
    try (Stream<Path> paths = Files.walk(directory.resolve("cache"))) {
      return paths.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
