package io.whence.commit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A request of a group, by half of the SHA-256 of both names: short, and no two are the same.
 * Thread safety: immutable.
 */
record RequestKey(long high, long low) {
  static RequestKey of(String group, String requestId) {
    MessageDigest digest = sha256();
    digest.update(group.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0xff); // In no UTF-8: it keeps the names apart.
    ByteBuffer hash = ByteBuffer.wrap(digest.digest(requestId.getBytes(StandardCharsets.UTF_8)));
    return new RequestKey(hash.getLong(), hash.getLong());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
