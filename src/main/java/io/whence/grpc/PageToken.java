package io.whence.grpc;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a page of a list ended: the last name on it. What a client gets is opaque: the version,
 * then the name, in URL-safe base64.
 *
 * @param lastName the last name on the page
 */
record PageToken(String lastName) {
  private static final String VERSION = "1:";

  /**
   * Reads what {@link #text()} gave.
   *
   * @param prefix what the names start with that the list is of
   */
  static PageToken parse(String text, String prefix, FieldPath field) {
    String content = decoded(text, field);
    if (!content.startsWith(VERSION)) {
      throw bad(text, field);
    }
    PageToken token = new PageToken(content.substring(VERSION.length()));
    if (!token.lastName.startsWith(prefix) || !token.text().equals(text)) {
      throw bad(text, field);
    }
    return token;
  }

  /** Returns what a client gets. */
  String text() {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString((VERSION + lastName).getBytes(StandardCharsets.UTF_8));
  }

  private static String decoded(String text, FieldPath field) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)))
          .toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw bad(text, field);
    }
  }

  private static RuntimeException bad(String text, FieldPath field) {
    return BadRequests.invalid(
        field,
        text,
        "no token of this list; take next_page_token of an answer to the same request, or leave it"
            + " empty to begin anew");
  }
}
