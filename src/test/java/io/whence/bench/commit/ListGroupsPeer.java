package io.whence.bench.commit;

import io.whence.bench.Caller;
import io.whence.bench.Channels;
import io.whence.bench.Session;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.GroupOffsetsServiceGrpc.GroupOffsetsServiceBlockingStub;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The smallest call of the server: lists groups with a prefix that none has. Thread safety:
 * immutable.
 *
 * @param port where the server listens
 */
record ListGroupsPeer(int port) implements Peer {
  private static final ListGroupsRequest REQUEST =
      ListGroupsRequest.newBuilder().setPrefix("none-begins-so").build();

  @Override
  public String name(Cell cell) {
    return "no-op, smallest: ListGroups that finds none";
  }

  @Override
  public boolean isBrief() {
    return true;
  }

  @Override
  public Session open(Cell cell) {
    Channels channels = Channels.open(port, cell.callers());
    List<Lister> callers =
        IntStream.range(0, cell.callers())
            .mapToObj(i -> new Lister(GroupOffsetsServiceGrpc.newBlockingStub(channels.of(i))))
            .toList();
    return new Session() {
      @Override
      public List<Lister> callers() {
        return callers;
      }

      @Override
      public void close() {
        channels.close();
      }
    };
  }

  /** Lists. Thread safety: single-writer. */
  private static final class Lister implements Caller {
    private final GroupOffsetsServiceBlockingStub stub;
    private ListGroupsResponse response = ListGroupsResponse.getDefaultInstance();

    Lister(GroupOffsetsServiceBlockingStub stub) {
      this.stub = stub;
    }

    @Override
    public void prepare() {
      response = ListGroupsResponse.getDefaultInstance();
    }

    @Override
    public void call() {
      response = stub.withDeadlineAfter(30, TimeUnit.SECONDS).listGroups(REQUEST);
    }

    @Override
    public void check() {
      if (response.getGroupsCount() != 0 || response.getSource().isEmpty()) {
        throw new IllegalStateException("not an empty list: " + response);
      }
    }
  }
}
