package io.whence.cli.demo;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Unpacks the data directory of a Kafka broker from a {@code .tar.gz} file (plain or ustar; long
 * names of GNU and pax are not read). No entry leaves the directory it is unpacked into; links are
 * refused. Immutable.
 *
 * <p>A header is one block of 512 bytes: the name at 0, the size at 124 and the time of change at
 * 136 as octal text, the type at 156, the start of the name at 345. The contents follow, filled up
 * to whole blocks.
 */
final class SampleArchive {
  private static final int BLOCK_BYTES = 512;
  private static final int NAME_BYTES = 100;
  private static final int SIZE_AT = 124;
  private static final int MTIME_AT = 136;
  private static final int NUMBER_BYTES = 12;
  private static final int TYPE_AT = 156;
  private static final int MAGIC_AT = 257;
  private static final int PREFIX_AT = 345;
  private static final int PREFIX_BYTES = 155;

  private SampleArchive() {}

  /** Unpacks into a directory; returns the data directory within it. */
  static Path unpack(Path file, Path target) throws IOException {
    Files.createDirectories(target);
    try (InputStream in =
        new GZIPInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      for (byte[] header = block(in); header[0] != 0; header = block(in)) {
        unpackEntry(in, header, target);
      }
    }
    return dataDirectory(target);
  }

  private static void unpackEntry(InputStream in, byte[] header, Path target) throws IOException {
    Path path = target.resolve(name(header)).normalize();
    if (!path.startsWith(target)) {
      throw new IOException("an entry outside the archive: " + name(header));
    }
    long size = number(header, SIZE_AT);
    switch (header[TYPE_AT]) {
      case '5' -> Files.createDirectories(path);
      case '0', 0 -> {
        Files.createDirectories(path.toAbsolutePath().getParent());
        byte[] contents = bytes(in, Math.toIntExact(size));
        Files.write(path, contents);
        Files.setLastModifiedTime(path, FileTime.fromMillis(number(header, MTIME_AT) * 1_000));
        bytes(in, padding(size));
      }
      case 'x', 'g' -> bytes(in, Math.toIntExact(size) + padding(size));
      default -> throw new IOException("an entry that is neither file nor directory: " + path);
    }
  }

  private static Path dataDirectory(Path target) throws IOException {
    try (Stream<Path> files = Files.walk(target, 3)) {
      Optional<Path> marker = files.filter(f -> f.endsWith("meta.properties")).sorted().findFirst();
      return marker.map(m -> m.toAbsolutePath().getParent()).orElse(target);
    }
  }

  private static String name(byte[] header) {
    String name = text(header, 0, NAME_BYTES);
    boolean ustar = text(header, MAGIC_AT, 6).equals("ustar");
    String prefix = ustar ? text(header, PREFIX_AT, PREFIX_BYTES) : "";
    return prefix.isEmpty() ? name : prefix + "/" + name;
  }

  private static String text(byte[] header, int at, int length) {
    int end = at;
    while (end < at + length && header[end] != 0) {
      end++;
    }
    return new String(header, at, end - at, StandardCharsets.UTF_8);
  }

  private static long number(byte[] header, int at) throws IOException {
    String octal = text(header, at, NUMBER_BYTES).strip();
    try {
      return octal.isEmpty() ? 0 : Long.parseLong(octal, 8);
    } catch (NumberFormatException e) {
      throw new IOException("a number that is not octal: " + octal, e);
    }
  }

  private static int padding(long size) {
    return (int) ((BLOCK_BYTES - size % BLOCK_BYTES) % BLOCK_BYTES);
  }

  private static byte[] block(InputStream in) throws IOException {
    return bytes(in, BLOCK_BYTES);
  }

  private static byte[] bytes(InputStream in, int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("the archive ends in the middle of an entry");
    }
    return bytes;
  }
}
