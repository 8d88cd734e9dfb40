package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcErrorsTest {
  @Test
  void reasons_sameInProto() {
    List<String> proto =
        Arrays.stream(io.whence.v1.ErrorReason.values())
            .map(Enum::name)
            .filter(name -> !name.equals("UNRECOGNIZED") && !name.endsWith("_UNSPECIFIED"))
            .toList();
    assertThat(Arrays.stream(ErrorReason.values()).map(r -> GrpcErrors.proto(r).name()))
        .containsExactlyElementsOf(proto);
  }

  @Test
  void document_hasEveryReasonWithItsStatus() throws IOException {
    List<String> rows =
        Files.readAllLines(Path.of("docs/errors.md")).stream()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.lastIndexOf('|', line.length() - 2) + 1))
            .toList();
    assertThat(rows)
        .containsExactlyElementsOf(
            Arrays.stream(ErrorReason.values())
                .map(
                    reason ->
                        "| `%s` | `%s` | %s |"
                            .formatted(
                                reason,
                                GrpcErrors.code(reason),
                                reason.isRetriable() ? "yes" : "no"))
                .toList());
  }

  @ParameterizedTest
  @EnumSource(ErrorReason.class)
  void status_carriesReasonAndFacts(ErrorReason reason) throws Exception {
    StatusRuntimeException status =
        GrpcErrors.status(WhenceException.of(reason, "what happened", "a", 1));
    assertThat(status.getStatus().getCode()).isEqualTo(GrpcErrors.code(reason));
    ErrorInfo info = StatusProto.fromThrowable(status).getDetails(0).unpack(ErrorInfo.class);
    assertThat(info.getReason()).isEqualTo(reason.name());
    assertThat(info.getMetadataMap()).containsEntry("a", "1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "漢"})
  void status_ofLongTexts_fitsTheHeadersThatClientsTake(String letter) {
    String text = letter.repeat(50_000);
    StatusRuntimeException status =
        GrpcErrors.status(
            WhenceException.of(
                ErrorReason.INVALID_ARGUMENT, text, "field", "config." + text, "value", text));
    int percentEncoded =
        URLEncoder.encode(
                String.valueOf(status.getStatus().getDescription()), StandardCharsets.UTF_8)
            .length();
    com.google.rpc.Status details =
        Objects.requireNonNull(StatusProto.fromThrowable(status), "details");
    int base64 = details.getSerializedSize() * 4 / 3;
    assertThat(percentEncoded + base64).isLessThan(8192 - 500);
  }

  @Test
  void overload_carriesRetryInfoAndLimitDoesNot() {
    assertThat(carriesRetryInfo(ErrorReason.OVERLOADED)).isTrue();
    assertThat(carriesRetryInfo(ErrorReason.NOT_READY)).isTrue();
    assertThat(carriesRetryInfo(ErrorReason.LIMIT_EXCEEDED)).isFalse();
  }

  @Test
  void longTexts_cut() {
    StatusRuntimeException status =
        GrpcErrors.status(
            WhenceException.of(ErrorReason.INTERNAL, "m".repeat(9_000), "a", "v".repeat(9_000)));
    assertThat(StatusProto.fromThrowable(status).getSerializedSize()).isLessThan(2_000);
  }

  private static boolean carriesRetryInfo(ErrorReason reason) {
    return StatusProto.fromThrowable(GrpcErrors.status(WhenceException.of(reason, "x")))
        .getDetailsList()
        .stream()
        .anyMatch(detail -> detail.is(RetryInfo.class));
  }
}
