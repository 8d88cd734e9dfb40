package io.whence.cli;

import com.google.protobuf.ByteString;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.AppendResult;
import io.whence.v1.Compression;
import io.whence.v1.RecordData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Appends one record, or each line of standard input as one. Batches are sent one after the other;
 * the first that is refused ends it. Single-writer.
 */
@Command(
    name = "append",
    description = "Appends a record, or the lines of standard input, one record each.",
    mixinStandardHelpOptions = true)
final class AppendCommand implements Callable<Integer> {
  enum Codec {
    none,
    gzip,
    snappy,
    lz4,
    zstd
  }

  private static final int BATCH_RECORDS = 1_000;
  private static final int BATCH_BYTES = 512 << 10;

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private TimeOptions times = new TimeOptions();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(names = "--partition", required = true, paramLabel = "P", description = "The partition.")
  private int partition;

  @Option(names = "--key", paramLabel = "KEY", description = "The key. Default: none.")
  private @Nullable String key;

  @Option(
      names = "--value",
      paramLabel = "VALUE",
      description = "The value. Default: reads lines from standard input.")
  private @Nullable String value;

  @Option(
      names = "--timestamp",
      paramLabel = "TIME",
      description = "The time of the records. Default: the clock of the server.")
  private @Nullable String timestamp;

  @Option(
      names = "--compression",
      paramLabel = "CODEC",
      defaultValue = "none",
      description = "${COMPLETION-CANDIDATES}. Default: none.")
  private Codec compression = Codec.none;

  @Override
  public Integer call() {
    RecordData.Builder record = RecordData.newBuilder();
    if (key != null) {
      record.setKey(ByteString.copyFromUtf8(key));
    }
    if (timestamp != null) {
      record.setTimestampMs(RecordTime.epochMs(timestamp, times, Instant.now()));
    }
    AppendResponse.Builder results = AppendResponse.newBuilder();
    try (Client client = server.connect()) {
      if (value != null) {
        record.setValue(ByteString.copyFromUtf8(value));
        send(client, entry().addRecords(record), results);
      } else {
        sendLines(client, record, results);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("standard input can't be read", e);
    } catch (CallFailedException e) {
      printAppended(results);
      throw e;
    }
    return report(results);
  }

  private void sendLines(Client client, RecordData.Builder record, AppendResponse.Builder results)
      throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    AppendEntry.Builder batch = entry();
    int bytes = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      ByteString contents = ByteString.copyFromUtf8(line);
      boolean full =
          batch.getRecordsCount() == BATCH_RECORDS || bytes + contents.size() > BATCH_BYTES;
      if (full && batch.getRecordsCount() > 0) {
        if (!send(client, batch, results)) {
          return;
        }
        batch = entry();
        bytes = 0;
      }
      batch.addRecords(record.setValue(contents));
      bytes += contents.size();
    }
    if (batch.getRecordsCount() > 0) {
      send(client, batch, results);
    }
  }

  private AppendEntry.Builder entry() {
    return AppendEntry.newBuilder()
        .setTopic(topic)
        .setPartition(partition)
        .setCompression(
            Compression.valueOf("COMPRESSION_" + compression.name().toUpperCase(Locale.ROOT)));
  }

  private boolean send(Client client, AppendEntry.Builder batch, AppendResponse.Builder results) {
    AppendRequest request =
        AppendRequest.newBuilder().setSource(server.source()).addEntries(batch).build();
    AppendResponse response = client.log(log -> log.append(request));
    results.addAllResults(response.getResultsList());
    return response.getResultsList().stream().noneMatch(AppendResult::hasError);
  }

  private int report(AppendResponse.Builder results) {
    if (output.json()) {
      output.document(results);
    } else {
      printAppended(results);
    }
    boolean failed = results.getResultsList().stream().anyMatch(AppendResult::hasError);
    return failed ? ExitCode.SOME_FAILED : ExitCode.ANSWERED;
  }

  private void printAppended(AppendResponse.Builder results) {
    if (output.json()) {
      return;
    }
    Tally failures = new Tally();
    long appended = 0;
    for (AppendResult result : results.getResultsList()) {
      if (result.hasError()) {
        failures.failed("partition " + result.getPartition(), result.getError());
      } else {
        appended += result.getRange().getEndOffset() - result.getRange().getStartOffset();
      }
    }
    output.line("appended " + TopicWords.count(appended, "record") + offsets(results));
    failures.printFailures(output);
  }

  /** Other writers may come in between, so only the first and the last offset are told. */
  private String offsets(AppendResponse.Builder results) {
    long first = -1;
    long end = -1;
    for (AppendResult result : results.getResultsList()) {
      if (result.hasRange()) {
        first = first < 0 ? result.getRange().getStartOffset() : first;
        end = result.getRange().getEndOffset();
      }
    }
    return first < 0
        ? ""
        : " to "
            + DisplayText.printable(topic)
            + " partition "
            + partition
            + ", offsets "
            + first
            + " to "
            + (end - 1);
  }
}
