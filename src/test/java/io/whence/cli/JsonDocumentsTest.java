package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.Code;
import io.whence.v1.ResolveTimestampResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonDocumentsTest extends CommandFixture {
  private static final long BEYOND_DOUBLE = 9_007_199_254_740_993L;

  @Test
  void json_isTheWholeResponseAndKeepsLargeOffsets() throws InvalidProtocolBufferException {
    ResolveTimestampResponse response = Answers.timestamps(Answers.found(0, BEYOND_DOUBLE));
    server.answer(response);

    assertThat(run("resolve", "--topic", "t", "--latest", "--format", "json")).isEqualTo(0);
    assertThat(out.toString())
        .contains("\"offset\": \"9007199254740993\"")
        .contains("\"partition\": 0");
    ResolveTimestampResponse.Builder parsed = ResolveTimestampResponse.newBuilder();
    JsonFormat.parser().merge(out.toString(), parsed);
    assertThat(parsed.build()).isEqualTo(response);
  }

  @Test
  void jsonOfFailedCall_isOneDocumentOnStandardOutput() throws InvalidProtocolBufferException {
    server.fail(
        FakeServer.failure(Code.NOT_FOUND, "UNKNOWN_TOPIC", "no \"x\"", Map.of("topic", "x")));

    assertThat(run("topics", "--format=json")).isEqualTo(2);
    Struct error = document().getFieldsOrThrow("error").getStructValue();
    assertThat(error.getFieldsOrThrow("reason").getStringValue()).isEqualTo("UNKNOWN_TOPIC");
    assertThat(error.getFieldsOrThrow("message").getStringValue()).isEqualTo("no \"x\"");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void jsonOfWrongCommandLine_isOneDocumentOnStandardOutput()
      throws InvalidProtocolBufferException {
    int exitCode = run("topics", "--format", "json", "--nonsense");

    assertThat(exitCode).isEqualTo(2);
    Struct error = document().getFieldsOrThrow("error").getStructValue();
    assertThat(error.getFieldsOrThrow("message").getStringValue()).contains("--nonsense");
    assertThat(err.toString()).isEmpty();
  }

  private Struct document() throws InvalidProtocolBufferException {
    Struct.Builder document = Struct.newBuilder();
    JsonFormat.parser().merge(out.toString(), document);
    return document.build();
  }
}
