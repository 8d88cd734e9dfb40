package io.whence.record;

import io.whence.model.WhenceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * Decompresses the records of batches into an array that it keeps. Invariant: the array never grows
 * beyond the limit, whatever the bytes claim. Thread safety: single-writer.
 */
final class Decompressor {
  private static final int INITIAL_BYTES = 64 * 1024;

  private final int maxBytes;
  private final BufferSupplier buffers = BufferSupplier.create();
  private byte[] scratch = new byte[0];
  private ByteBuffer view = ByteBuffer.wrap(scratch);
  private int size;

  Decompressor(int maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes " + maxBytes + " is negative");
    }
    this.maxBytes = maxBytes;
  }

  /**
   * Decompresses.
   *
   * @param compressed the bytes, from position to limit
   * @return a buffer whose first {@link #size} bytes are valid until the next call
   * @throws InvalidBatchException if they are not the codec's, or too many come out
   * @throws WhenceException {@code STORAGE_ERROR} if the library of the codec can't be loaded,
   *     which says nothing of the bytes
   */
  ByteBuffer decompress(CompressionCodec codec, ByteBuffer compressed) {
    size = 0;
    if (codec == CompressionCodec.SNAPPY) {
      SnappyFrames.check(compressed, maxBytes);
    }
    try (InputStream in =
        codec.compression().wrapForInput(compressed, BatchFormat.MAGIC_V2, buffers)) {
      readAll(in);
    } catch (InvalidBatchException e) {
      throw e;
    } catch (IOException | RuntimeException | LinkageError e) {
      codec.requireLoaded(e);
      // The codecs answer garbage with whatever they run into.
      throw new InvalidBatchException(
          "expected records compressed with " + codec + ", found bytes that are not: " + e, e);
    }
    return view;
  }

  /** Returns how many bytes the last call gave. */
  int size() {
    return size;
  }

  private void readAll(InputStream in) throws IOException {
    while (true) {
      if (size == scratch.length && !grow()) {
        requireEnd(in);
        return;
      }
      int count = in.read(scratch, size, scratch.length - size);
      if (count < 0) {
        return;
      }
      if (count == 0) {
        throw new IOException("the codec neither goes on nor ends");
      }
      size += count;
    }
  }

  private boolean grow() {
    if (scratch.length == maxBytes) {
      return false;
    }
    long doubled = Math.max(INITIAL_BYTES, 2L * scratch.length);
    scratch = Arrays.copyOf(scratch, (int) Math.min(doubled, maxBytes));
    view = ByteBuffer.wrap(scratch);
    return true;
  }

  private void requireEnd(InputStream in) throws IOException {
    if (in.read() >= 0) {
      throw new InvalidBatchException(
          "expected at most " + maxBytes + " bytes of decompressed records, found more");
    }
  }
}
