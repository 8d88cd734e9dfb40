package io.whence.record;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * Decompresses the records of batches into an array that it keeps while it is no large one.
 * Invariant: the array never grows beyond the limit, whatever the bytes claim, and is a large one
 * only between {@link LargeBatches#enter} and {@link LargeBatches#leave}. Thread safety:
 * single-writer.
 */
final class Decompressor {
  private static final int INITIAL_BYTES = 64 * 1024;

  private static final byte[] NOTHING = new byte[0];

  /** While the array grows, there are two. */
  private static final int SHARE_OF_HEAP = 8;

  private final int maxBytes;
  private final int heapBytes;
  private final LargeBatches largeBatches;
  private final BufferSupplier buffers = BufferSupplier.create();
  private byte[] scratch = NOTHING;
  private ByteBuffer view = ByteBuffer.wrap(scratch);
  private int size;
  private boolean isLarge;

  /** Makes one that takes no more of the heap than its share, whatever a batch may have. */
  Decompressor(int maxBytes) {
    this(maxBytes, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP, LargeBatches.OF_PROCESS);
  }

  /**
   * Makes a decompressor.
   *
   * @param maxBytes how many bytes may come out of a valid batch
   * @param heapBytes how many there is room for
   * @param largeBatches lets large batches in
   */
  Decompressor(int maxBytes, long heapBytes, LargeBatches largeBatches) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes " + maxBytes + " is negative");
    }
    this.maxBytes = maxBytes;
    this.heapBytes = (int) Math.min(Integer.MAX_VALUE, heapBytes);
    this.largeBatches = largeBatches;
  }

  /**
   * Decompresses. Whatever comes of it, {@link #release} is to be called soon.
   *
   * @param compressed the bytes, from position to limit
   * @param cancellation ends the wait for others that have large batches
   * @return a buffer whose first {@link #size} bytes are valid until the next call of any method
   * @throws InvalidBatchException if they are not the codec's, or too many come out
   * @throws WhenceException {@code UNSUPPORTED} if the library of the codec can't be loaded, or the
   *     heap has no room for what comes out; {@code OVERLOADED} if others have large batches for
   *     too long; none says anything of the bytes
   */
  ByteBuffer decompress(CompressionCodec codec, ByteBuffer compressed, Cancellation cancellation) {
    release();
    if (codec == CompressionCodec.SNAPPY) {
      SnappyFrames.check(compressed, maxBytes);
    }
    try (InputStream in =
        codec.compression().wrapForInput(compressed, BatchFormat.MAGIC_V2, buffers)) {
      readAll(in, cancellation);
    } catch (InvalidBatchException | WhenceException e) {
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

  /** Forgets what the last call gave, and gives a large array back. */
  void release() {
    size = 0;
    if (isLarge) {
      scratch = NOTHING;
      view = ByteBuffer.wrap(scratch);
      isLarge = false;
      largeBatches.leave();
    }
  }

  private void readAll(InputStream in, Cancellation cancellation) throws IOException {
    while (true) {
      if (size == scratch.length && !grow(cancellation)) {
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

  private boolean grow(Cancellation cancellation) {
    if (scratch.length == maxBytes) {
      return false;
    }
    if (scratch.length >= heapBytes) {
      throw noRoom();
    }
    long doubled = Math.max(INITIAL_BYTES, 2L * scratch.length);
    int bytes = (int) Math.min(Math.min(doubled, maxBytes), heapBytes);
    if (bytes > largeBatches.usualBytes() && !isLarge) {
      largeBatches.enter(cancellation);
      isLarge = true;
    }
    scratch = Arrays.copyOf(scratch, bytes);
    view = ByteBuffer.wrap(scratch);
    return true;
  }

  private WhenceException noRoom() {
    return WhenceException.of(
        ErrorReason.UNSUPPORTED,
        "the records of a batch take more than "
            + heapBytes
            + " bytes when they are decompressed, for which the heap of this server is too small;"
            + " start it with a larger one (-Xmx), at least "
            + SHARE_OF_HEAP
            + " times what such a batch takes, or leave the topic out",
        "limit_bytes",
        heapBytes);
  }

  private void requireEnd(InputStream in) throws IOException {
    if (in.read() >= 0) {
      throw new InvalidBatchException(
          "expected at most " + maxBytes + " bytes of decompressed records, found more");
    }
  }
}
