package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.protobuf.ByteString;
import io.whence.testkit.Directories;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResult;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import io.whence.v1.ErrorReason;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import io.whence.v1.RecordData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server whose disk gets full: a file system in memory of 8 MiB, which only root can mount. */
class FullDiskProcessIT {
  private static final String TOPIC = "orders";
  private static final int FILLER_BYTES = 3 << 20;
  private static final int VALUE_BYTES = 100_000;
  private static final long TIME_MS = 1_717_200_000_000L;

  private final Path disk = Directories.temporary("whence-disk");
  private final Path data = disk.resolve("data");
  private final Map<Long, ByteString> acknowledged = new TreeMap<>();
  private final SplittableRandom random = new SplittableRandom(1);

  @BeforeEach
  void mount() throws Exception {
    assumeThat(run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk.toString()))
        .as("mount needs root")
        .isZero();
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
    Directories.delete(disk);
  }

  private static int run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Test
  void fullDisk_refusesAppendsUntilThereIsRoom() throws Exception {
    Path filler = Files.write(disk.resolve("filler"), new byte[FILLER_BYTES]);
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic(TOPIC, 2);

      AppendResult refused = appendUntilRefused(client);

      assertThat(refused.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_STORAGE_FULL);
      assertThat(refused.getError().getMessage())
          .contains("no space left to write " + data, "nothing was written; free some");
      assertThat(refused.getError().getMetadataMap().get("path")).startsWith(data.toString());
      assertThat(acknowledged).isNotEmpty();
      assertThat(append(client).getError().getReason())
          .isEqualTo(ErrorReason.ERROR_REASON_STORAGE_FULL);
      verify(client);
      assertThat(server.metric("whence_appends_total\\{result=\"storage_full\"}")).isEqualTo(2);
      assertThat(server.metric("whence_appends_total\\{result=\"appended\"}"))
          .isEqualTo(acknowledged.size());

      Files.delete(filler);
      AppendResult taken = append(client);
      assertThat(taken.hasError()).as("%s", taken).isFalse();
      verify(client);
      server.terminate();
      assertThat(server.exitCode()).isZero();
      assertThat(server.log()).doesNotContain("stopping failed", "could not be closed");
    }
    restart();
  }

  @Test
  void killOnFullDisk_restartsWithAllAcknowledged() throws Exception {
    Path filler = Files.write(disk.resolve("filler"), new byte[FILLER_BYTES]);
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      client.topic(TOPIC, 2);
      appendUntilRefused(client);
      server.kill();
    }
    Files.delete(filler);
    restart();
  }

  private void restart() throws Exception {
    try (ServerProcess server = ServerProcess.start(data);
        Client client = server.client()) {
      verify(client);
      assertThat(append(client).hasError()).isFalse();
      verify(client);
    }
  }

  private AppendResult appendUntilRefused(Client client) {
    for (int i = 0; i < 100; i++) {
      AppendResult result = append(client);
      if (result.hasError()) {
        return result;
      }
    }
    throw new AssertionError("the disk never got full");
  }

  private AppendResult append(Client client) {
    byte[] noise = new byte[VALUE_BYTES];
    for (int i = 0; i < noise.length; i++) {
      noise[i] = (byte) random.nextInt();
    }
    ByteString value = ByteString.copyFrom(noise);
    AppendResult result =
        client
            .log
            .append(
                AppendRequest.newBuilder()
                    .addEntries(
                        AppendEntry.newBuilder()
                            .setTopic(TOPIC)
                            .addRecords(
                                RecordData.newBuilder().setTimestampMs(TIME_MS).setValue(value)))
                    .build())
            .getResults(0);
    if (!result.hasError()) {
      acknowledged.put(result.getRange().getStartOffset(), value);
    }
    return result;
  }

  private void verify(Client client) {
    DescribeTopicResponse topic =
        client.log.describeTopic(DescribeTopicRequest.newBuilder().setTopic(TOPIC).build());
    assertThat(topic.getPartitions(0).getHighWatermark()).isEqualTo(acknowledged.size());
    assertThat(topic.getPartitions(0).getDamagesList()).isEmpty();
    for (Map.Entry<Long, ByteString> record : acknowledged.entrySet()) {
      ReadResponse page =
          client.log.read(
              ReadRequest.newBuilder()
                  .setTopic(TOPIC)
                  .setOffset(record.getKey())
                  .setMaxRecords(1)
                  .build());
      assertThat(List.of(page.getRecords(0).getInfo().getOffset(), page.getRecords(0).getValue()))
          .isEqualTo(List.of(record.getKey(), record.getValue()));
    }
  }
}
