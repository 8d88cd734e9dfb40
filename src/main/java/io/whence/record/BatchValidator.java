package io.whence.record;

import java.util.Optional;

/**
 * Tells batches from what a crash or a bad disk leaves behind. Invariant: no check reads what an
 * earlier one has not shown to be there. Thread safety: thread-safe, the batch is the caller's.
 *
 * <p>The checks, in this order: the header is all there; the length is not below that of a batch
 * without records; the batch ends within what remains; the magic is 2; the CRC is right; the last
 * offset is not below the base offset; the base offset is above the last offset of the batch
 * before.
 */
public final class BatchValidator {
  private static final int START_OF_LOG = -1;

  private BatchValidator() {}

  /**
   * Checks a batch. All of it must be in its buffer, if it is there at all.
   *
   * @param batch the batch, wrapped at any place of a buffer
   * @param remainingBytes how many bytes there are from its position to the end of the file
   * @param previousLastOffset the last offset of the batch before it; -1 at the start of a log
   * @return the first fault, or nothing
   */
  public static Optional<BatchFault> fault(
      RecordBatch batch, long remainingBytes, long previousLastOffset) {
    Optional<BatchFault> fault = frameFault(batch, remainingBytes);
    if (fault.isPresent()) {
      return fault;
    }
    if (!batch.isCrcValid()) {
      return Optional.of(new BatchFault(crcText(batch.crc()), crcText(batch.computeCrc())));
    }
    return offsetFault(batch, previousLastOffset);
  }

  /**
   * Checks a batch without its CRC. Only its header needs to be in its buffer.
   *
   * @param batch the batch, wrapped at any place of a buffer
   * @param remainingBytes how many bytes there are from its position to the end of the file
   * @param previousLastOffset the last offset of the batch before it; -1 at the start of a log
   * @return the first fault, or nothing
   */
  public static Optional<BatchFault> headerFault(
      RecordBatch batch, long remainingBytes, long previousLastOffset) {
    Optional<BatchFault> fault = frameFault(batch, remainingBytes);
    return fault.isPresent() ? fault : offsetFault(batch, previousLastOffset);
  }

  /** Checks a batch without its CRC, and as the first of a log that ends with the buffer. */
  static Optional<BatchFault> headerFault(RecordBatch batch) {
    return headerFault(batch, batch.remainingBytes(), START_OF_LOG);
  }

  private static Optional<BatchFault> frameFault(RecordBatch batch, long remainingBytes) {
    if (remainingBytes < BatchFormat.RECORDS) {
      return fault(
          "a batch header of " + BatchFormat.RECORDS + " bytes", remainingBytes + " bytes");
    }
    int length = batch.length();
    if (length < BatchFormat.MIN_LENGTH) {
      return fault("a batch length of at least " + BatchFormat.MIN_LENGTH, "length " + length);
    }
    if (batch.sizeInBytes() > remainingBytes) {
      return fault(
          "a batch of " + batch.sizeInBytes() + " bytes, as its length says",
          remainingBytes + " bytes");
    }
    if (batch.magic() != BatchFormat.MAGIC_V2) {
      return fault("magic " + BatchFormat.MAGIC_V2, "magic " + batch.magic());
    }
    return Optional.empty();
  }

  private static Optional<BatchFault> offsetFault(RecordBatch batch, long previousLastOffset) {
    if (batch.lastOffset() < batch.baseOffset()) {
      return fault(
          "a last offset of at least the base offset " + batch.baseOffset(),
          "last offset " + batch.lastOffset());
    }
    if (batch.baseOffset() <= previousLastOffset) {
      return fault(
          "a base offset above " + previousLastOffset, "base offset " + batch.baseOffset());
    }
    return Optional.empty();
  }

  private static Optional<BatchFault> fault(String expected, String found) {
    return Optional.of(new BatchFault(expected, found));
  }

  private static String crcText(int crc) {
    String digits = Integer.toHexString(crc);
    return "CRC-32C 0x" + "0".repeat(Integer.BYTES * 2 - digits.length()) + digits;
  }
}
