package io.whence.cli;

import com.google.protobuf.ByteString;
import io.whence.cli.TextTable.Cell;
import io.whence.v1.IsolationLevel;
import io.whence.v1.ReadRecord;
import io.whence.v1.ReadRequest;
import io.whence.v1.ReadResponse;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads a few records. Single-writer. */
@Command(
    name = "read",
    description = "Reads a few records, to verify an answer.",
    mixinStandardHelpOptions = true)
final class ReadCommand implements Callable<Integer> {
  private static final int KEY_COLUMNS = 20;
  private static final int VALUE_COLUMNS = 60;

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ZoneOption zone = new ZoneOption();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(names = "--partition", required = true, paramLabel = "P", description = "The partition.")
  private int partition;

  @Option(
      names = "--offset",
      paramLabel = "N",
      description = "Where to start. Default: the log start offset.")
  private @Nullable Long offset;

  @Option(
      names = "--max",
      paramLabel = "N",
      defaultValue = "10",
      description = "How many records at the most. Default: 10.")
  private int max = 10;

  @Option(
      names = "--read-committed",
      description = "Hides records of aborted and open transactions.")
  private boolean readCommitted;

  @Override
  public Integer call() {
    TimeDisplay times = zone.display();
    ReadRequest request = request();
    try (Client client = server.connect()) {
      ReadResponse response = client.log(log -> log.read(request));
      if (output.json()) {
        output.document(response);
      } else {
        print(response, times);
      }
      return response.getRecordsCount() == 0 ? ExitCode.NOTHING_FOUND : ExitCode.ANSWERED;
    }
  }

  private ReadRequest request() {
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setSource(server.source())
            .setTopic(topic)
            .setPartition(partition)
            .setMaxRecords(max);
    if (offset != null) {
      request.setOffset(offset);
    }
    if (readCommitted) {
      request.setIsolationLevel(IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED);
    }
    return request.build();
  }

  private void print(ReadResponse response, TimeDisplay times) {
    TextTable records =
        new TextTable(
            TextTable.right("offset"),
            TextTable.left("time (" + times.zoneName() + ")"),
            TextTable.left("key"),
            TextTable.left("value"),
            TextTable.right("headers"));
    for (ReadRecord record : response.getRecordsList()) {
      records.add(
          record.getInfo().getOffset(),
          Cells.time(record.getInfo(), times),
          contents(record.hasKey(), record.getKey(), KEY_COLUMNS),
          contents(record.hasValue(), record.getValue(), VALUE_COLUMNS),
          record.getHeadersCount() == 0 ? "" : record.getHeadersCount());
    }
    output.table(records);
    output.line("");
    output.line(
        "  log ["
            + response.getBounds().getLogStartOffset()
            + ", "
            + response.getBounds().getEndOffset()
            + "), next offset "
            + response.getNextOffset());
  }

  private static Cell contents(boolean present, ByteString bytes, int columns) {
    if (!present) {
      return Cells.none();
    }
    String text =
        bytes.isValidUtf8()
            ? bytes.toStringUtf8()
            : TopicWords.count(bytes.size(), "byte") + " that are no UTF-8";
    return new Cell(DisplayText.cut(DisplayText.printable(text), columns), Ink.PLAIN);
  }
}
