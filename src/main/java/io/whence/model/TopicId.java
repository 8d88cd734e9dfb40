package io.whence.model;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;

/**
 * The id of a topic. It tells a topic from another one of the same name that was created after it
 * was deleted.
 *
 * @param uuid the id
 */
public record TopicId(UUID uuid) {
  /** Reads Kafka's text form: 22 characters of URL-safe base64. */
  public static TopicId parse(String text) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a topic id (22 characters of URL-safe base64)", e);
    }
    if (bytes.length != 16) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a topic id (22 characters of URL-safe base64)");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new TopicId(new UUID(buffer.getLong(), buffer.getLong()));
  }

  /** Returns Kafka's text form. */
  @Override
  public String toString() {
    byte[] bytes =
        ByteBuffer.allocate(16)
            .putLong(uuid.getMostSignificantBits())
            .putLong(uuid.getLeastSignificantBits())
            .array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
