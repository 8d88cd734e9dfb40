package io.whence.bench.lookup;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * The bytes of Kafka's protocol over one connection, without a client: the least that a lookup of a
 * broker can take. Thread safety: single-writer.
 */
final class KafkaSocket implements LookupClient, AutoCloseable {
  private static final ApiKeys API = ApiKeys.LIST_OFFSETS;
  private static final short VERSION = 8;
  private static final int TIME_LIMIT_MS = 60_000;

  private final Socket socket;
  private final DataInputStream in;
  private final List<Question> questions;
  private final List<byte[]> requests;
  private Question asked;
  private byte[] response = {};

  KafkaSocket(int port, List<Question> questions) {
    this.questions = List.copyOf(questions);
    this.requests = questions.stream().map(KafkaSocket::request).toList();
    this.asked = questions.get(0);
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIME_LIMIT_MS);
      in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] request(Question question) {
    Map<TopicPartition, ListOffsetsPartition> partitions = new HashMap<>();
    for (int i = 0; i < question.partitions(); i++) {
      TopicPartition partition = question.partition(i);
      partitions.put(
          partition,
          new ListOffsetsPartition()
              .setPartitionIndex(partition.partition())
              .setTimestamp(question.timestampMs()));
    }
    ListOffsetsRequest message =
        ListOffsetsRequest.Builder.forConsumer(true, IsolationLevel.READ_UNCOMMITTED)
            .setTargetTimes(ListOffsetsRequest.toListOffsetsTopics(partitions))
            .build(VERSION);
    ByteBuffer bytes = message.serializeWithHeader(new RequestHeader(API, VERSION, "load", 0));
    ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + bytes.remaining());
    return framed.putInt(bytes.remaining()).put(bytes).array();
  }

  @Override
  public void ask(int question) throws IOException {
    asked = questions.get(question);
    socket.getOutputStream().write(requests.get(question));
    response = in.readNBytes(in.readInt());
  }

  @Override
  public long[] offsets() {
    ByteBuffer bytes = ByteBuffer.wrap(response);
    ResponseHeader.parse(bytes, API.responseHeaderVersion(VERSION));
    ListOffsetsResponseData data =
        new ListOffsetsResponseData(new ByteBufferAccessor(bytes), VERSION);
    Map<Integer, Long> offsets = new HashMap<>();
    for (ListOffsetsPartitionResponse partition : data.topics().get(0).partitions()) {
      if (partition.errorCode() != 0) {
        throw new IllegalStateException("Kafka answered an error: " + partition);
      }
      offsets.put(partition.partitionIndex(), partition.offset());
    }
    long[] inOrder = new long[asked.partitions()];
    for (int i = 0; i < inOrder.length; i++) {
      inOrder[i] = offsets.get(asked.firstPartition() + i);
    }
    return inOrder;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
