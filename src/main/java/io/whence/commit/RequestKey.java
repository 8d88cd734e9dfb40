package io.whence.commit;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A request of a group, by half of the SHA-256 of both names: short, and no two are the same.
 * Thread safety: immutable.
 */
record RequestKey(long high, long low) {
  static RequestKey of(String group, String requestId) {
    BytesWriter names = new BytesWriter(64);
    return hash(names.writeCompactString(group).writeCompactString(requestId).toBytes());
  }

  /** Returns half of the SHA-256 of bytes. */
  static RequestKey hash(byte[] bytes) {
    ByteBuffer hash = ByteBuffer.wrap(sha256().digest(bytes));
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
