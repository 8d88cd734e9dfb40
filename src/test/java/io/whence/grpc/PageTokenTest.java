package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.WhenceException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTokenTest {
  private static final FieldPath FIELD = FieldPath.of("page_token");

  @ParameterizedTest
  @ValueSource(strings = {"a", "über-漢-😀", "with:colon", " ", "1:"})
  void token_readBack(String name) {
    String text = new PageToken(name).text();
    assertThat(text).matches("[A-Za-z0-9_-]+");
    assertThat(PageToken.parse(text, "", FIELD).lastName()).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"!", "a", "abcd", "MTph=", "MTphYg==", "MjphYg", "MTr_"})
  void otherText_refused(String text) {
    assertRefused(text, "");
  }

  @Test
  void tokenOfOtherPrefix_refused() {
    assertRefused(new PageToken("orders-1").text(), "payments-");
    assertThat(PageToken.parse(new PageToken("orders-1").text(), "orders-", FIELD).lastName())
        .isEqualTo("orders-1");
  }

  @Test
  void bytesThatAreNoText_refused() {
    byte[] cut = "1:é".getBytes(StandardCharsets.UTF_8);
    assertRefused(
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(java.util.Arrays.copyOf(cut, cut.length - 1)),
        "");
  }

  private static void assertRefused(String text, String prefix) {
    assertThatThrownBy(() -> PageToken.parse(text, prefix, FIELD))
        .isInstanceOf(WhenceException.class)
        .hasMessageStartingWith("page_token: no token of this list; take next_page_token");
  }
}
