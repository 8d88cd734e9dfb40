package io.whence.resolve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Bytes of logs as a follower gets them, and as a crash leaves them. Thread safety: immutable. */
final class FetchedBytes {
  private FetchedBytes() {}

  /** The last batch of an answer is often cut off. */
  static ByteBuffer joined(List<byte[]> portion, Optional<byte[]> next, Random random) {
    int size = portion.stream().mapToInt(batch -> batch.length).sum();
    ByteBuffer bytes = ByteBuffer.allocate(size + 100 + 30);
    bytes.position(random.nextInt(30));
    int start = bytes.position();
    portion.forEach(bytes::put);
    next.ifPresent(cut -> bytes.put(cut, 0, Math.min(cut.length - 1, random.nextInt(100))));
    return bytes.limit(bytes.position()).position(start);
  }

  /** Leaves the last .log as a crash of the machine may: cut, or with something else behind. */
  static String tear(Path directory, Random random) throws IOException {
    Path last;
    try (Stream<Path> files = Files.list(directory)) {
      last = files.filter(f -> f.toString().endsWith(".log")).sorted().reduce((a, b) -> b).get();
    }
    byte[] bytes = Files.readAllBytes(last);
    int kind = random.nextInt(4);
    if (kind == 0) {
      Files.write(last, new byte[random.nextInt(200)], StandardOpenOption.APPEND);
    } else if (kind == 1 && bytes.length > 0) {
      byte[] noise = new byte[1 + random.nextInt(Math.min(40, bytes.length))];
      random.nextBytes(noise);
      System.arraycopy(noise, 0, bytes, bytes.length - noise.length, noise.length);
      Files.write(last, bytes);
    }
    return kind == 1 ? ", torn" : "";
  }
}
