package io.whence.bench.commit;

import io.whence.bench.Channels;
import io.whence.bench.Session;
import io.whence.model.TopicPartition;
import java.util.List;
import java.util.stream.IntStream;

/**
 * CommitOffset over gRPC. Thread safety: immutable.
 *
 * @param server the server
 * @param kind which groups commit, and whether they do
 */
record WhencePeer(CommitServer server, Kind kind) implements Peer {
  /** Which groups commit. */
  enum Kind {
    /** Each caller commits for a group of its own. */
    OWN_GROUPS("Whence: CommitOffset, a group for each caller"),
    /** All callers commit for one group, each for partitions of its own. */
    ONE_GROUP("Whence: CommitOffset, one group for all callers"),
    /** Each caller asks what a commit would do, for a group of its own. */
    DRY_RUN("no-op, same entries: CommitOffset with dry_run");

    private final String title;

    Kind(String title) {
      this.title = title;
    }
  }

  @Override
  public String name(Cell cell) {
    return kind.title;
  }

  @Override
  public boolean isBrief() {
    return kind == Kind.DRY_RUN;
  }

  @Override
  public boolean fits(Cell cell) {
    // With one caller both are the same.
    return kind != Kind.ONE_GROUP
        || cell.callers() > 1 && cell.partitions() * cell.callers() <= server.partitionCount();
  }

  @Override
  public Session open(Cell cell) {
    Channels channels = Channels.open(server.port(), cell.callers());
    List<CommitCaller> callers =
        IntStream.range(0, cell.callers())
            .mapToObj(i -> new CommitCaller(channels.of(i), group(cell, i), partitions(cell, i)))
            .toList();
    if (kind == Kind.DRY_RUN) {
      callers.forEach(CommitCaller::onlyAsk);
    }
    return new CommitSession(channels, callers, kind != Kind.DRY_RUN);
  }

  private String group(Cell cell, int caller) {
    String name = "load-" + cell.partitions() + "-" + cell.callers();
    return kind == Kind.ONE_GROUP ? name : name + "-" + caller;
  }

  private List<TopicPartition> partitions(Cell cell, int caller) {
    int first = kind == Kind.ONE_GROUP ? cell.partitions() * caller : 0;
    return IntStream.range(first, first + cell.partitions()).mapToObj(server::partition).toList();
  }

  /** Callers over shared connections. Thread safety: immutable. */
  private record CommitSession(Channels channels, List<CommitCaller> callers, boolean commits)
      implements Session {
    @Override
    public void verify() {
      if (commits) {
        callers.forEach(CommitCaller::verify);
      }
    }

    @Override
    public void close() {
      channels.close();
    }
  }
}
